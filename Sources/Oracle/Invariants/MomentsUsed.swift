import Backend
import Core
import Updater

/// U6.push, U6.forced-in-front: in background a moment to switch is used. An app that was woken by a silent
/// push, or whose pending version the origin forces, runs the pending version half a minute later.
///
/// Silent about: a process that has switched without a request before (U5), that has served no page, or whose
/// disk is slow or has failed; a version that waits for its second chance, is recalled or listed; a page that
/// holds switches off.
struct MomentsUsed: Checker {
    let rule = "U6"
    private var decided = (push: 0, forced: 0)

    var decisions: [DecisionCount] {
        [DecisionCount("U6.push", decided.push), DecisionCount("U6.forced-in-front", decided.forced)]
    }

    mutating func forgetDecisions() { decided = (0, 0) }

    /// Id of the version that the newest publication forces, once the log has said so.
    private var forced: String?
    /// The name of the version that was published last, if by an order to force it.
    private var published: String?
    /// Id of the pending version that a check found after a push in background.
    private var pushed: String?
    private var isPushed = false
    private var hold: Instant?
    private var hasSwitched = false
    private var hasServed = false
    /// For how long a moment was not used.
    private var unused = LastingTime()

    private static let limit = TimeSpan.seconds(30)
    /// Switches that have another reason.
    private static let requested = ["processStart", "reload", "switch call", "try again"]
    private static let troubles: [LogCause] = [
        .recordNotWritten, .recordNewerFormat, .diskFailed, .storeUnavailable, .storeInUse, .startNotMarked,
        .readFailed, .noSpace, .rescuePostponed,
    ]

    /// Leaves out what ends with the process.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(forced)
        hasher.combine(published)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        let violation = evaluate(observed)
        switch event.kind {
        case .deployed(let version, _, _, let command, _, _):
            published = command == .force ? version : nil
            if published == nil { forced = nil }
        case .deployedFor, .settingsChanged, .installed, .damaged: (published, forced) = (nil, nil)
        case .launched:
            (isPushed, pushed, hold) = (false, nil, nil)
            (hasSwitched, hasServed) = (false, false)
        case .pushed: isPushed = !observed.isInForeground
        case .foregrounded: (isPushed, pushed) = (false, nil)
        case .called(_, .holdOff, _): hold = hold ?? event.at
        // A hold that has expired leaves no moment behind.
        case .called(_, .release, _): if let since = hold, event.at - since < .hours(24) { hold = nil }
        case .pageLoad: hasServed = true
        case .log(let entry): note(entry, observed)
        default: break
        }
        unused.set(version(due: observed) != nil)
        return violation
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        evaluate(observed)
    }

    private mutating func note(_ entry: LogEntry, _ observed: ObservedState) {
        switch entry.cause {
        case .forced: if published == entry.version.map(observed.names.name(ofID:)) { forced = entry.version }
        case .alreadyPending, .becamePending: if isPushed { pushed = entry.version }
        case .pendingDropped, .superseded:
            if pushed == entry.version { pushed = nil }
        case .switched:
            let isRequested = MomentsUsed.requested.contains { entry.detail.hasPrefix("moment=\($0)") }
            if !isRequested {
                hasSwitched = true
                decide(isForced: entry.detail.hasPrefix("moment=forced"))
            }
        default: break
        }
    }

    private mutating func evaluate(_ observed: ObservedState) -> Violation? {
        unused.advance(observed)
        let due = version(due: observed)
        unused.set(due != nil)
        guard let due, unused.time > MomentsUsed.limit + observed.timerDelay else { return nil }
        unused.countAnew()
        let isForced = due.id == forced
        decide(isForced: isForced)
        return Violation(
            "A moment to switch in background was not used, and \(version: observed.name(due)) stays pending",
            expected: "it is switched to", actual: "\(version: observed.name(observed.status?.current)) runs",
            clause: isForced ? "U6.forced-in-front" : "U6.push")
    }

    private mutating func decide(isForced: Bool) {
        if isForced { decided.forced += 1 } else { decided.push += 1 }
    }

    /// The pending version that must be switched to now.
    private func version(due observed: ObservedState) -> VersionKey? {
        guard observed.isAlive, !observed.isInForeground, !observed.isSuspended, hasServed, !hasSwitched,
            hold == nil, let status = observed.status, let pending = status.pending, !status.pendingWaits,
            pending != status.current, pending.id == forced || pending.id == pushed
        else { return nil }
        let isListed = (status.blacklist + status.parked).contains(pending) || observed.isRecalled(pending)
        if isListed || MomentsUsed.troubles.contains(where: observed.hasLoggedInProcess) { return nil }
        return pending
    }
}
