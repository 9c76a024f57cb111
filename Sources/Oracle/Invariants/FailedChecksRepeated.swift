import Backend
import Core
import Updater

/// U5.back-off: a check that failed on its way is repeated by itself, in the time that the schedule allows.
///
/// The n-th failure in a row is followed by another request to the origin within 1, 2, 4 … 60 s, 25 % more at
/// most; the eighth and each later one within 15 minutes. A row ends when a check leaves nothing to do, and
/// when a file has come; a manifest whose files are all there ends none. Without a reason of its own, a
/// launch or a wish for example, no request for a manifest comes in the first three quarters of that time.
///
/// Silent about: apps whose checks are not automatic; time in background, without network, while a
/// `Retry-After` holds, or while the disk is slow or fails; processes that have no store, or could not write
/// to it.
struct FailedChecksRepeated: RuleChecker {
    let rule = "U5"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U5.back-off", decided)] }

    /// Since the last success or file: requests for a manifest, failures that the app has reported, and
    /// files that are not what the manifest says. Not every request is seen: one to another host fails
    /// outside the world when the app runs on real sockets.
    private var row = (requests: 0, reports: 0, files: 0)
    /// Time since the last failure in which the app had to send a request, and sent none.
    private var waited: TimeSpan?
    private var clock = RunningTime()
    private var isOffline = false
    /// Whether a `Retry-After` held at the last event: it may have ended at any time since.
    private var wasDelayed = false
    /// Failures to reach the origin since the last reason for a check and the last success, and when the last
    /// of them was.
    private var unprompted = (count: 0, last: Instant.zero)
    /// Number of reasons for a check that no request has answered: one that comes while a check is on its way
    /// causes another one as it ends (U4), and one whose check was dropped still waits.
    private var reasons = 0
    /// Whether the last request for a manifest had a reason.
    private var isPrompted = false

    private static let slack = TimeSpan.seconds(2)

    /// The last file, until the app has had time to see whether it is what the manifest says.
    private var file: ArrivedFile?
    private struct ArrivedFile {
        var at: Instant
        var row: (requests: Int, reports: Int, files: Int)
    }

    private static let timeToCheck = TimeSpan.milliseconds(500)

    private static let successes: [LogCause] = [.upToDate, .nothingOffered, .alreadyPending]
    private static let wrongFiles: [LogCause] = [
        .contentMismatch, .lengthMismatch, .indexOfOtherVersion, .manifestChanged,
    ]
    /// After these a process does nothing, or not what it was asked for.
    private static let hindrances: [LogCause] = [
        .storeUnavailable, .storeInUse, .recordNotWritten, .diskFailed, .noSpace, .updatesOff,
        .waitsForNetwork,
    ]

    /// Failures in a row, at most as many as the app can know of.
    private var failures: Int { max(row.requests, row.reports) + row.files }

    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(min(failures, AttemptLimits.attemptLimit))
        hasher.combine(isOffline)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if let violation = overdue(observed) { return violation }
        if let file, event.at - file.at > FailedChecksRepeated.timeToCheck { endRow(before: file) }
        switch event.kind {
        case .transferFailed(let id, _, _), .transferEnded(let id, _, _), .transferCancelled(let id, _):
            ended(id, event, observed)
        case .requestSent(let request) where request.kind != .outcomes:
            endWait()
            if request.kind == .manifest { return early(event, observed) }
        case .log(let entry) where FailedChecksRepeated.successes.contains(entry.cause):
            (row, file) = ((0, 0, 0), nil)
            unprompted.count = 0
            endWait()
        case .log(let entry) where entry.cause == .downloadStarted:
            unprompted.count = 0
            endWait()
        case .log(let entry) where FailedChecksRepeated.isOfWrongFile(entry):
            row.files += 1
            file = nil
        // The app itself ends a request without an answer (U5.connect).
        case .log(let entry) where entry.cause == .checkFailed:
            row.reports += 1
            requireRequest(observed)
        // What replaces the version is asked for at once (R10).
        case .log(let entry) where entry.cause == .contentDamaged: prompt()
        case .log(let entry) where entry.cause == .checkJoined: reasons = max(reasons, 1)
        case .log(let entry) where entry.cause == .checkDropped: addReason()
        case .networkChanged(let state):
            isOffline = state == .offline
            prompt()
        case .launched, .processEnded, .powerCut, .settingsChanged:
            // What an earlier process was asked for, a new one does not know.
            if case .launched = event.kind { reasons = 0 }
            prompt()
            endWait()
        // R9's screen looks for an update as it appears.
        case .foregrounded, .pushed, .checkRequested, .userDid, .resumed, .routed,
            .called(_, .checkForUpdates, _), .screen(.recovery):
            prompt()
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    /// A file that is not what the manifest says, or that the origin does not have: the manifest is requested
    /// again as after a failed check (U1).
    private static func isOfWrongFile(_ entry: LogEntry) -> Bool {
        if wrongFiles.contains(entry.cause) { return true }
        guard entry.cause == .statusRefused, entry.detail.hasPrefix("route="),
            let status = entry.detail.split(separator: " ").last, status.hasPrefix("status="),
            let code = Int(status.dropFirst("status=".count))
        else { return false }
        let isOfTheMoment = [408, 425, 429].contains(code) || code >= 500 && code != 501 && code != 505
        return !isOfTheMoment
    }

    /// What had failed before the file came is forgotten.
    private mutating func endRow(before file: ArrivedFile) {
        row.requests = max(row.requests - file.row.requests, 0)
        row.reports = max(row.reports - file.row.reports, 0)
        row.files = max(row.files - file.row.files, 0)
        self.file = nil
    }

    private mutating func endWait() {
        if waited != nil { decided += 1 }
        waited = nil
    }

    private mutating func ended(_ id: TransferID, _ event: TraceEvent, _ observed: ObservedState) {
        guard let transfer = observed.transfer(id, ofProcess: event.process) else { return }
        guard transfer.isManifest else {
            // A new byte ends the row (U5).
            if transfer.bytes > 0 { unprompted.count = 0 }
            if transfer.isSuccess { file = ArrivedFile(at: event.at, row: row) }
            return
        }
        row.requests += 1
        guard isTransient(transfer) else {
            unprompted.count = 0
            return
        }
        // The first failure after a reason: how many there were before does not matter.
        unprompted = (isPrompted ? 1 : unprompted.count + 1, event.at)
        requireRequest(observed)
    }

    private mutating func prompt() {
        unprompted.count = 0
        addReason()
    }

    private mutating func addReason() { reasons = min(reasons + 1, FailedChecksRepeated.mostReasons) }

    private mutating func early(_ event: TraceEvent, _ observed: ObservedState) -> Violation? {
        isPrompted = reasons > 0
        reasons = max(reasons - 1, 0)
        guard !isPrompted, unprompted.count > 0, !observed.openTransfers.contains(where: { $0.route != nil })
        else {
            return nil
        }
        decided += 1
        let span = event.at - unprompted.last
        let shortest = FailedChecksRepeated.shortest(after: unprompted.count)
        guard span < shortest else { return nil }
        return Violation(
            "A check failed and is repeated too early",
            expected: "no request within \(shortest.microseconds / 1_000) ms",
            actual: "one \(span.microseconds / 1_000) ms after failure \(unprompted.count) in a row",
            clause: "U5.back-off")
    }

    private static func shortest(after failures: Int) -> TimeSpan {
        if failures >= AttemptLimits.attemptLimit { return AttemptLimits.backoff - rounding }
        return TimeSpan.seconds(min(60, 1 << Int64(failures - 1))) * 3 / 4 - rounding
    }

    private static let mostReasons = 3
    private static let rounding = TimeSpan.milliseconds(50)

    private mutating func requireRequest(_ observed: ObservedState) {
        // What a stopped process learns late, it may say after its next request.
        guard observed.settings.updates == .automatic,
            !observed.openTransfers.contains(where: { $0.request.kind != .outcomes }),
            !FailedChecksRepeated.hindrances.contains(where: observed.hasLoggedInProcess)
        else { return }
        waited = .zero
    }

    /// Whether the origin could not be reached, or could not answer now.
    private func isTransient(_ transfer: TransferTrace) -> Bool {
        if case .failed = transfer.state { return true }
        return transfer.status.map { $0 >= 500 || $0 == 429 } ?? false
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        let span = clock.advance(observed)
        let isDelayed = wasDelayed || observed.retryAfterLeft > .zero
        wasDelayed = observed.retryAfterLeft > .zero
        guard let time = waited, span > .zero, observed.isInForeground, !isOffline, !isDelayed else {
            return nil
        }
        waited = time + span
        let limit = FailedChecksRepeated.limit(after: failures)
        guard time + span > limit + observed.timerDelay else { return nil }
        waited = nil
        if FailedChecksRepeated.hindrances.contains(where: observed.hasLoggedInProcess) { return nil }
        decided += 1
        return Violation(
            "A check failed and is not repeated in its time",
            expected: "a request within \(limit.microseconds / 1_000_000) s",
            actual: "none after the failure number \(failures) in a row", clause: "U5.back-off")
    }

    private static func limit(after failures: Int) -> TimeSpan {
        if failures >= AttemptLimits.attemptLimit { return AttemptLimits.backoff + slack }
        let base = TimeSpan.seconds(Int64(min(60, 1 << max(failures - 1, 0))))
        return base + base / 4 + slack
    }
}
