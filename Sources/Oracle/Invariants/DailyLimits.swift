import AppHost
import Backend
import Core
import Updater

/// U5: no cycle of download, switch, reload and rescue repeats more often than the rules have reasons for, on
/// however many processes it is spread.
///
/// In any 24 hours the checker counts
/// - rescues from a version: five since it was last confirmed. R3 allows two starts whose clock runs out
///   while the origin is not reachable, an end in front and two failures; then the version is blacklisted or
///   parked;
/// - changes to a version that neither its page nor the user requested: three, and two for each reason;
/// - complete downloads of the right content of a version's file: eight, and one for each reason;
///
/// and in any ten minutes of a process
/// - page loads because the web process died: three after the confirmation (R11), one before it (R3).
///
/// A reason is a rescue, whatever changes at the origin, on the way to it, in the settings, the build or on
/// the disk, and a check that somebody requests. A launch is none.
///
/// Silent about: attempts and checks, which ``AttemptLimits`` counts from each launch on, because nobody but
/// a user or the platform launches an app.
package struct DailyLimits: RuleChecker {
    package let rule = "U5"
    package var decided = 0

    private struct Counted<Subject: Hashable & Sendable>: Sendable {
        var subject: Subject
        var at: Instant
    }

    private struct FetchedFile: Hashable, Sendable {
        var version: VersionKey
        var route: String
    }

    private var reasons: [Instant] = []
    private var rescues: [Counted<VersionKey>] = []
    private var changes: [Counted<VersionKey>] = []
    private var downloads: [Counted<FetchedFile>] = []
    /// Version of the last page load of the first web view, in whatever process.
    private var shown: VersionKey?
    private var isRequested = false
    private var isRescued = false
    private var hasWebProcessDied = false
    private var loadsAfterDeath: [Instant] = []

    static let mostRescues = 5
    static let mostChanges = 3
    static let mostDownloads = 8
    static let mostLoadsAfterDeath = 4
    private static let day = TimeSpan.hours(24)

    package init() {}

    package func hashMemory(into hasher: inout Hasher) {
        for instant in reasons { hasher.combine(seconds: instant) }
        for list in [rescues, changes] {
            for counted in list {
                hasher.combine(counted.subject)
                hasher.combine(seconds: counted.at)
            }
            hasher.combine(list.count)
        }
        for counted in downloads {
            hasher.combine(counted.subject)
            hasher.combine(seconds: counted.at)
        }
        hasher.combine(shown)
    }

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        switch event.kind {
        case .deployed, .deployedFor, .recalled, .unblocked, .routed, .faultBegan, .faultHealed,
            .settingsChanged, .networkChanged, .powerCut, .damaged, .pushed, .checkRequested:
            addReason(observed)
        case .installed:
            // Another build has its own counts (N1).
            let before = decided
            self = DailyLimits()
            decided = before
        case .launched:
            isRequested = false
            isRescued = false
            hasWebProcessDied = false
            loadsAfterDeath = []
        case .userDid(.presses):
            addReason(observed)
            isRequested = true
            loadsAfterDeath = []
        case .called(_, .switchToPendingVersion, _): isRequested = true
        case .called(_, .checkForUpdates, _): addReason(observed)
        case .navigation(.first, let kind, _):
            hasWebProcessDied = false
            if kind == .reload { isRequested = true }
        case .webProcessDied(.first): hasWebProcessDied = true
        case .log(let entry): logged(entry, observed)
        case .transferEnded(let id, let bytes, let content): return ended(id, bytes, content, observed)
        case .pageLoad(.first, _, let key): return loaded(key, observed)
        default: break
        }
        return nil
    }

    private mutating func addReason(_ observed: ObservedState) {
        reasons.removeAll { observed.now - $0 >= DailyLimits.day }
        reasons.append(observed.now)
    }

    private mutating func logged(_ entry: LogEntry, _ observed: ObservedState) {
        switch entry.cause {
        case .rescued: isRescued = true
        case .contentDamaged, .diskFailed, .storeInUse, .storeUnavailable: addReason(observed)
        case .startConfirmed:
            rescues.removeAll { $0.subject.id == entry.version }
        default: break
        }
    }

    // MARK: - Page loads

    private mutating func loaded(_ key: VersionKey, _ observed: ObservedState) -> Violation? {
        defer {
            shown = key
            isRequested = false
            isRescued = false
            hasWebProcessDied = false
        }
        if hasWebProcessDied, shown == key {
            decided += 1
            loadsAfterDeath.removeAll { observed.now - $0 >= .minutes(10) }
            loadsAfterDeath.append(observed.now)
            if loadsAfterDeath.count > DailyLimits.mostLoadsAfterDeath {
                return Violation(
                    "A page whose process dies is loaded again and again",
                    expected: "\(DailyLimits.mostLoadsAfterDeath) times in ten minutes at most",
                    actual: "\(loadsAfterDeath.count) times")
            }
        }
        guard let previous = shown, previous != key else { return nil }
        if isRescued { return rescued(from: previous, observed) }
        return isRequested ? nil : changed(to: key, observed)
    }

    private mutating func rescued(from key: VersionKey, _ observed: ObservedState) -> Violation? {
        decided += 1
        addReason(observed)
        rescues.removeAll { observed.now - $0.at >= DailyLimits.day }
        rescues.append(Counted(subject: key, at: observed.now))
        let count = rescues.count { $0.subject == key }
        guard count > DailyLimits.mostRescues else { return nil }
        return Violation(
            "The user is rescued from \(version: observed.name(key)) again and again",
            expected: "\(DailyLimits.mostRescues) times in 24 h without a confirmation of it",
            actual: "\(count) times")
    }

    private mutating func changed(to key: VersionKey, _ observed: ObservedState) -> Violation? {
        decided += 1
        changes.removeAll { observed.now - $0.at >= DailyLimits.day }
        changes.append(Counted(subject: key, at: observed.now))
        let count = changes.count { $0.subject == key }
        let most = DailyLimits.mostChanges + 2 * reasonCount(observed)
        guard count > most else { return nil }
        return Violation(
            "The device comes back to \(version: observed.name(key)) again and again",
            expected: "\(most) times in 24 h, as often as there is a reason", actual: "\(count) times")
    }

    private func reasonCount(_ observed: ObservedState) -> Int {
        reasons.count { observed.now - $0 < DailyLimits.day }
    }

    // MARK: - Downloads

    /// Whether the manifest states another size than the file has, so that no download of it is right (U1).
    /// Meteor's sizes are hints.
    private func hasFalseSize(_ route: String, _ version: VersionKey, _ observed: ObservedState) -> Bool {
        guard observed.app.dialect != .meteor else { return false }
        return observed.versions.contains { candidate in
            candidate.id == version.id
                && candidate.files.contains { file in
                    file.route == route && file.statedSize.map { $0 != file.content.size } ?? false
                }
        }
    }

    private mutating func ended(
        _ id: TransferID, _ bytes: Int, _ content: VersionMask, _ observed: ObservedState
    ) -> Violation? {
        let ended = observed.transfer(id, ofProcess: observed.process)
        guard bytes > 0, let transfer = ended, transfer.status == 200, let route = transfer.route,
            let version = transfer.request.version,
            content.indices.contains(where: { observed.versions[$0].id == version.id }),
            !hasFalseSize(route, version, observed)
        else { return nil }
        decided += 1
        let file = FetchedFile(version: version, route: route)
        downloads.removeAll { observed.now - $0.at >= DailyLimits.day }
        downloads.append(Counted(subject: file, at: observed.now))
        let count = downloads.count { $0.subject == file }
        let most = DailyLimits.mostDownloads + reasonCount(observed)
        guard count > most else { return nil }
        return Violation(
            "\(route) of \(version: observed.name(version)) is downloaded again and again",
            expected: "\(most) times in 24 h at most", actual: "\(count) times")
    }
}
