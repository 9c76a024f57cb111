import Backend
import Core
import Updater

/// T1.true-cause: the cause of a log entry holds.
///
/// What an entry says of the device, of the origin's answer or of a file is compared with what happened: an
/// offer is refused as blacklisted only if its version was, content is called wrong only if other bytes came,
/// and damaged only if something could have damaged it.
///
/// Silent about: causes that another checker compares (those of starts, of switches and of order), and
/// whatever rests on an answer that a fault has replaced, or on a disk that was damaged.
struct CausesHold: RuleChecker {
    let rule = "T1"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("T1.true-cause", decided)] }

    /// Ids of versions that were reported, or logged, as blacklisted or parked.
    private var listed: [String] = []
    /// Whether something may have changed what is stored: damage, a power cut, a disk call that failed, an
    /// installation or a restored backup.
    private var mayBeDamaged = false
    /// Whether a manifest arrived that the origin has not published: a fault has changed or replaced it.
    private var hasForeignManifest = false
    /// Whether a publication was for some devices only.
    private var hasShares = false
    /// Whether a fault has changed an answer of the origin, which may have lost its end unnoticed.
    private var hasAlteredAnswer = false
    /// When the settings changed last: an entry may be about the ones before.
    private var settingsChangedAt: Instant?
    /// When a check was requested last, by the app, its page, the user or the platform; the first of those
    /// that a frozen process has not heard.
    private var requestedAt = Instant.zero
    /// Whether a frozen process has not heard that request.
    private var isRequestUnheard = false

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(listed)
        hasher.combine(mayBeDamaged)
        hasher.combine(hasForeignManifest)
        hasher.combine(hasAlteredAnswer)
        hasher.combine(hasShares)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .damaged, .powerCut: mayBeDamaged = true
        case .installed: if observed.buildsSeen.count > 1 { mayBeDamaged = true }
        case .faultApplied(let id):
            if observed.diskFaults.contains(id) { mayBeDamaged = true } else { hasAlteredAnswer = true }
        case .transferEnded(let id, _, _):
            let ended = observed.transfer(id, ofProcess: event.process)
            if let ended, ended.isManifest, ended.status == 200, ended.serial == nil {
                hasForeignManifest = true
            }
        case .deployedFor: hasShares = true
        case .settingsChanged: settingsChangedAt = event.at
        case .launched, .foregrounded, .pushed, .checkRequested, .userDid, .called(_, .checkForUpdates, _):
            if isRequestUnheard { break }
            requestedAt = event.at
            isRequestUnheard = observed.isSuspended
        case .resumed, .processEnded: isRequestUnheard = false
        case .status(let status):
            for key in status.blacklist + status.parked { note(key.id) }
        case .log(let entry):
            if entry.cause == .blacklistEntry || entry.cause == .parked, let id = entry.version { note(id) }
            return evaluate(entry, event, observed)
        default: break
        }
        return nil
    }

    private mutating func note(_ id: String) { if !listed.contains(id) { listed.append(id) } }

    private mutating func evaluate(_ entry: LogEntry, _ event: TraceEvent, _ observed: ObservedState)
        -> Violation?
    {
        guard let expected = condition(of: entry, event, observed) else { return nil }
        decided += 1
        guard !expected.holds else { return nil }
        return Violation(
            "The log gives a cause that does not hold: \(entry.cause.rawValue)",
            expected: expected.text,
            actual: ViolationText("\(entry.version ?? "no version") \(entry.detail)"),
            clause: "T1.true-cause")
    }

    /// What a cause says, and whether it is so.
    private struct Condition {
        var holds: Bool
        var text: ViolationText
    }

    private func condition(of entry: LogEntry, _ event: TraceEvent, _ observed: ObservedState) -> Condition? {
        hasForeignManifest
            ? deviceCondition(of: entry, event, observed)
            : originCondition(of: entry, event, observed) ?? deviceCondition(of: entry, event, observed)
    }

    /// Of causes that rest on what the origin has published.
    private func originCondition(
        of entry: LogEntry, _ event: TraceEvent, _ observed: ObservedState
    ) -> Condition? {
        switch entry.cause {
        case .recalledOffer:
            return entry.version.map {
                Condition(
                    holds: observed.recalled.contains($0), text: "a version that the origin has recalled")
            }
        case .rolloutOutside: return Condition(holds: hasShares, text: "a publication for some devices only")
        case .nativeOutsideRange: return fitness(entry, observed)
        case .manifestUnreadable, .manifestUnknownFormat: return readability(event, observed)
        case .contentMismatch: return content(entry, event, observed)
        case .lengthMismatch: return length(entry, observed)
        default: return nil
        }
    }

    /// Of causes that rest on what the app has done, and on its settings.
    private func deviceCondition(
        of entry: LogEntry, _ event: TraceEvent, _ observed: ObservedState
    ) -> Condition? {
        switch entry.cause {
        case .blacklisted, .parkedOffer:
            return entry.version.map {
                Condition(
                    holds: listed.contains($0), text: "a version that the app has blacklisted or parked")
            }
        case .updatesOff:
            // A process that is frozen or busy learns of both later, and of the request before the settings.
            if let changed = settingsChangedAt, changed >= requestedAt { return nil }
            let isOff = observed.settings.updates != .automatic
            return Condition(holds: isOff, text: "settings without automatic updates")
        case .contentDamaged:
            let wasUnread = observed.logged([.readFailed, .storeUnavailable]) != nil
            return Condition(
                holds: mayBeDamaged || wasUnread, text: "damage of the disk, or a disk call that failed")
        case .transferStalled: return stall(event, observed)
        case .retriesExhausted: return attempts(entry, observed)
        default: return nil
        }
    }

    private func fitness(_ entry: LogEntry, _ observed: ObservedState) -> Condition? {
        // Meteor compares compatibility versions, which a package may state otherwise.
        let named = observed.versions.filter { $0.id == entry.version }
        guard !named.isEmpty, observed.app.dialect == .own else { return nil }
        return Condition(
            holds: !named.allSatisfy { observed.fits($0.name) }, text: "a version that another build can run")
    }

    /// A manifest that arrived as the origin has published it can be read. An app without keys does not know
    /// signed ones.
    private func readability(_ event: TraceEvent, _ observed: ObservedState) -> Condition? {
        guard let last = observed.transfersOfProcess({ $0.isManifest && $0.endedAt != nil }).last,
            last.endedAt == event.at, last.serial != nil, last.signers.isEmpty, !hasAlteredAnswer
        else { return nil }
        return Condition(holds: false, text: "a manifest that did not arrive as it was published")
    }

    /// The last answer for the route had all bytes of the version's file.
    private func content(_ entry: LogEntry, _ event: TraceEvent, _ observed: ObservedState) -> Condition? {
        guard let route = entry.route,
            let last = observed.transfersOfProcess({ $0.route == route }).last, last.status == 200,
            last.state == .ended
        else { return nil }
        let named = observed.names.entries.indices.filter { observed.names.entries[$0].id == entry.version }
        // Of two versions with this id, the entry may be about either.
        let isWhole = !named.isEmpty && named.allSatisfy { last.contentOf.contains($0) }
        return Condition(holds: !isWhole || mayBeDamaged, text: "other bytes than those of the version")
    }

    /// The whole file that the last answer had is not as long as the manifest says.
    private func length(_ entry: LogEntry, _ observed: ObservedState) -> Condition? {
        guard let route = entry.route,
            let last = observed.transfersOfProcess({ $0.route == route }).last, last.status == 200,
            last.state == .ended
        else { return nil }
        let text: ViolationText = "an answer of another length than the manifest says"
        if let limit = entry.number(after: "longer than ") {
            return Condition(holds: last.bytes > limit || mayBeDamaged, text: text)
        }
        guard let wanted = entry.number(after: "wanted="), entry.detail.contains("bytes=") else { return nil }
        return Condition(holds: last.bytes != wanted || mayBeDamaged, text: text)
    }

    /// U5: bytes were awaited for fifteen seconds.
    private func stall(_ event: TraceEvent, _ observed: ObservedState) -> Condition? {
        let open = observed.transfersOfProcess { $0.state == .open || $0.state == .cancelled }
        let isOld = open.contains { event.at - $0.sentAt >= .seconds(14) }
        return Condition(holds: isOld, text: "a transfer that has been silent for 15 s")
    }

    /// U5: eight requests for the file have brought nothing new. An attempt that the disk refuses sends none.
    private func attempts(_ entry: LogEntry, _ observed: ObservedState) -> Condition? {
        let isRefused = [LogCause.diskFailed, .noSpace, .readFailed].contains(
            where: observed.hasLoggedInProcess)
        guard !isRefused, let route = entry.route else { return nil }
        let requests = observed.transfers.count { $0.route == route }
        return Condition(holds: requests >= 8, text: "eight requests for \(route)")
    }
}

extension LogEntry {
    /// The route that the entry is about.
    fileprivate var route: String? {
        guard let (_, rest) = detail.components(around: "route=") else { return nil }
        return rest.components(around: " ")?.0 ?? rest
    }

    /// The number that follows these words in the detail.
    fileprivate func number(after words: String) -> Int? {
        guard let (_, rest) = detail.components(around: words) else { return nil }
        return Int(rest.components(around: " ")?.0 ?? rest)
    }
}
