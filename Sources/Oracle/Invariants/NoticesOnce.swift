import AppHost
import Backend
import Core
import Updater

/// T2: a page is notified once of what is true, and of no failure more often than checks were requested.
///
/// - A document does not receive the same notification twice, and at most three documents receive it.
/// - `newVersionReady` is delivered neither to a page of that version, nor later than two seconds after the
///   version was pending last. A version whose start ended unclear or uncounted is pending again (R3), which
///   is reported once it is durable.
/// - A cause of `error` comes again only after a success: what the origin offers runs or is pending. In all
///   there are at most as many errors as checks that anything but the updater's own retries can have
///   requested, successes, and one download that was under way.
///
/// Silent about: whether a notification arrives at all, because a page need not listen; versions that share
/// an id, which a notification can't distinguish; errors in a process that can't write its record, because
/// the entry of a success between two of them is never written.
struct NoticesOnce: RuleChecker {
    let rule = "T2"
    var decided = 0

    private struct Delivery: Hashable {
        var load: PageLoadToken
        var event: Int64
    }

    /// Page load of the document that each web view shows.
    private var shown: [(view: WebViewID, load: PageLoadToken?)] = []
    private var delivered: [Delivery] = []
    /// Causes of errors that were delivered before their entries were logged, and when.
    private var early: [(cause: String, at: Instant)] = []
    /// Errors delivered in this process, each once.
    private var errors: [(event: Int64, cause: String)] = []
    /// Log entries in this process that say that the origin's offer is here, or that there is none.
    private var successes = 0
    /// Causes that were logged since the last success, each once.
    private var causes: [String] = []
    /// The same for all successes before: a cause that is here twice may be reported twice.
    private var allCauses: [String] = []
    /// Events in this process that can make the updater check, retries left out.
    private var requests = 0
    /// Id of the version that was pending last, and when it was seen so.
    private var pending: (id: String, until: Instant)?
    /// Id of the version whose start ended since the last report, and that may be pending again.
    private var pendingAgain: String?
    /// Whether the record that makes it pending again could not be written: no status shows it, but this
    /// process, and the next one that reads the open start, go by it.
    private var isPendingAgainUnwritten = false
    private var resumedAt = Instant.zero
    /// Whether successes of this process may have no entry.
    private var hidesSuccesses = false

    private static let timeToDeliver = TimeSpan.seconds(2)
    private static let mostPages = 3
    private static let endsOfFailures: [LogCause] = [
        .upToDate, .nothingOffered, .alreadyPending, .becamePending,
    ]

    private static let endsWithoutFailure: [LogCause] = [
        .startUnclear, .startUnclearByClock, .startUncounted, .startEndedInFront,
    ]

    private static let endsOfPending: [LogCause] = [
        .superseded, .pendingDropped, .parked, .blacklistEntry, .switched, .recalled,
    ]

    /// Adds nothing: notifications are numbered anew in each process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .status:
            if let before = observed.previousStatus?.pending { pending = (before.id, observed.now) }
            if !isPendingAgainUnwritten || observed.status?.pending != nil { endPendingAgain() }
        case .launched:
            let before = decided
            self = NoticesOnce()
            decided = before
            requests = 1
        case .foregrounded, .pushed, .checkRequested, .settingsChanged, .networkChanged, .userDid,
            .called(_, .checkForUpdates, _):
            requests += 1
        case .resumed:
            resumedAt = observed.now
            requests += 1
        case .log(let entry):
            if NoticesOnce.endsWithoutFailure.contains(entry.cause) {
                pendingAgain = entry.version
                isPendingAgainUnwritten = false
            }
            if entry.cause == .recordNotWritten { isPendingAgainUnwritten = pendingAgain != nil }
            if NoticesOnce.endsOfPending.contains(entry.cause), entry.version == pendingAgain {
                endPendingAgain()
            }
            if ObservedState.unwritten.contains(entry.cause) { hidesSuccesses = true }
            if NoticesOnce.isOfCheck(entry) { note(entry.cause) }
        case .committed(let view, let load, _): show(load, in: view)
        case .messageDelivered(let view, let bytes):
            guard let message = PageMessage(bytes, observed.names) else { return nil }
            return evaluate(message, shown.first { $0.view == view }?.load, observed)
        default: break
        }
        return nil
    }

    private mutating func endPendingAgain() {
        pendingAgain = nil
        isPendingAgainUnwritten = false
    }

    /// What the disk refuses besides checks and downloads says in its entry what it was.
    private static func isOfCheck(_ entry: LogEntry) -> Bool {
        let others = ["clean-up:", "starts:", "serving ", "www:"]
        return entry.cause != .diskFailed || !others.contains(where: entry.detail.hasPrefix)
    }

    private mutating func note(_ cause: LogCause) {
        if NoticesOnce.endsOfFailures.contains(cause) {
            successes += 1
            causes = []
        } else if !causes.contains(cause.rawValue) {
            causes.append(cause.rawValue)
            allCauses.append(cause.rawValue)
        }
    }

    private mutating func show(_ load: PageLoadToken?, in view: WebViewID) {
        shown.removeAll { $0.view == view }
        shown.append((view, load))
    }

    private mutating func evaluate(_ message: PageMessage, _ load: PageLoadToken?, _ observed: ObservedState)
        -> Violation?
    {
        if let load {
            decided += 1
            let delivery = Delivery(load: load, event: message.event)
            if delivered.contains(delivery) {
                return Violation(
                    "A page was notified twice of the same",
                    expected: "notification \(message.event) once", actual: ViolationText(message.text))
            }
            delivered.append(delivery)
            // A page that reloads itself on a notice would reload for ever.
            let pages = delivered.count { $0.event == message.event }
            if pages > NoticesOnce.mostPages {
                return Violation(
                    "One notification was sent to page after page",
                    expected: "to \(NoticesOnce.mostPages) pages at most, none of which says a word",
                    actual: "to \(pages): \(message.text)")
            }
        }
        switch message.method {
        case "newVersionReady": return evaluateReady(message, load, observed)
        case "error": return evaluateError(message, observed)
        default: return nil
        }
    }

    private mutating func evaluateReady(
        _ message: PageMessage, _ load: PageLoadToken?, _ observed: ObservedState
    )
        -> Violation?
    {
        let name = message.subject
        let ids = observed.names.entries.filter { $0.name == name }.map(\.id)
        guard let id = ids.first, observed.names.entries.count(where: { $0.id == id }) == 1 else {
            return nil
        }
        decided += 1
        // Another manifest under the same id is another version; a page can't distinguish the two.
        let own = load.flatMap { observed.load($0)?.version }
        let isOther = observed.status?.pending.map { $0.id == id && $0 != own } ?? false
        if own?.id == id, !isOther {
            return Violation(
                "A page of \(version: name) was notified that \(version: name) is ready",
                expected: "no notification", actual: ViolationText(message.text))
        }
        if observed.status?.pending?.id == id || pendingAgain == id { return nil }
        let wasPending = pending.map { $0.id == id && isRecent($0.until, observed) } ?? false
        if wasPending || isRecent(resumedAt, observed) { return nil }
        return Violation(
            "A page was notified that \(version: name) is ready, which is not pending",
            expected: "a version that is pending", actual: ViolationText(message.text))
    }

    private func isRecent(_ instant: Instant, _ observed: ObservedState) -> Bool {
        observed.now - instant <= NoticesOnce.timeToDeliver
    }

    private func isTooOften(_ cause: String) -> Bool {
        errors.count { $0.cause == cause } > max(1, allCauses.count { $0 == cause })
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        let due = early.filter { !isRecent($0.at, observed) }
        guard !due.isEmpty else { return nil }
        early = early.filter { isRecent($0.at, observed) }
        if hidesSuccesses { return nil }
        if let unlogged = due.first(where: { !allCauses.contains($0.cause) })?.cause {
            return Violation(
                "A page was notified of a failure of which the log says nothing",
                expected: "an entry of the check or the download that failed",
                actual: ViolationText(unlogged))
        }
        guard let cause = due.first(where: { isTooOften($0.cause) })?.cause else { return nil }
        return Violation(
            "Pages were notified of the same failure again", expected: "once until a success",
            actual: "\(errors.count { $0.cause == cause }) times: \(cause)")
    }

    private mutating func evaluateError(_ message: PageMessage, _ observed: ObservedState) -> Violation? {
        // Each switch that a page requests is answered (U5).
        if message.subject == LogCause.switchedTooOften.rawValue { return nil }
        if hidesSuccesses { return nil }
        decided += 1
        if errors.contains(where: { $0.event == message.event }) { return nil }
        errors.append((message.event, message.subject))
        // Its entry waits for the record, the notice does not.
        if isTooOften(message.subject) || !allCauses.contains(message.subject) {
            early.append((message.subject, observed.now))
        }
        let limit = requests + successes + 1
        guard errors.count > limit else { return nil }
        return Violation(
            "Pages were notified of more failures than checks were requested", expected: "\(limit) at most",
            actual: "\(errors.count), the last: \(message.subject)")
    }
}
