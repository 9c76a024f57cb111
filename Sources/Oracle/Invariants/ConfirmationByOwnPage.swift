import Backend
import Core
import Updater

/// R6: a confirmation counts only for the version of the page load that sent it, and only in the start to
/// which that page load belongs.
///
/// When the log reports a confirmation, a page of that version must have sent a signal in this process (the
/// host attaches the page load's token, so this holds for calls without arguments too), and the start must
/// not have ended before. If the server confirms, a page that has sent no signal must have received its
/// document and all that it refers to, and must have been alive for five seconds after that, whatever its
/// start-up does later. A version becomes last known good only if it was confirmed on this build, or if it is
/// embedded.
///
/// Silent about: the last known good version between a store update and the first record of the new build
/// (N1).
struct ConfirmationByOwnPage: RuleChecker {
    let rule = "R6"
    var decided = 0

    /// Starts that the log has reported as ended without a confirmation.
    private var ended: [(key: VersionKey, process: Int)] = []

    /// When the settings changed from a confirmation without a call to another.
    private var serverConfirmedUntil: Instant?
    private var serverConfirms = false

    /// Longest time from a confirmation to its entry in the log, which waits for the record.
    private static let timeToRecord = TimeSpan.seconds(1)

    /// Adds nothing: a start counts only in its own process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if serverConfirms, observed.settings.confirmation != .loaded { serverConfirmedUntil = event.at }
        serverConfirms = observed.settings.confirmation == .loaded
        switch event.kind {
        case .log(let entry): return evaluate(entry, observed)
        case .status(let status): return evaluate(status, observed, store)
        default: return nil
        }
    }

    private mutating func evaluate(_ entry: LogEntry, _ observed: ObservedState) -> Violation? {
        guard let id = entry.version, let end = StartTrace.End(entry.cause) else { return nil }
        let starts = observed.starts.filter { $0.key.id == id && $0.process == observed.process }
        guard end == .confirmed else {
            if let start = starts.last { ended.append((start.key, start.process)) }
            return nil
        }
        let isConfirmedByServer =
            serverConfirms
            || serverConfirmedUntil.map { observed.now - $0 <= ConfirmationByOwnPage.timeToRecord } ?? false
        // A version that was damaged on its way may have the id of another one, which an entry can't tell.
        let candidates = starts.reversed().filter { $0.key != starts.last?.key || $0 == starts.last }
        let signalled = candidates.first {
            $0.hasCalled || isConfirmedByServer && ConfirmationByOwnPage.hasLived($0, observed)
        }
        decided += 1
        let name = observed.names.name(ofID: id)
        guard let last = starts.last else {
            return Violation(
                "A confirmation counted for \(version: name), which has no start in this process",
                expected: "a page load of \(version: name)", actual: "none")
        }
        guard let start = signalled else {
            return Violation(
                "A confirmation counted for \(version: name) that no page of it sent",
                expected: isConfirmedByServer
                    ? "a page of \(version: name) alive for 5 s" : "a call from a page of \(version: name)",
                actual: isConfirmedByServer
                    ? ViolationText(ConfirmationByOwnPage.describe(last.loads.last, observed))
                    : "a signal of another page load, or none")
        }
        let isOver = ended.contains { $0.key == start.key && $0.process == start.process }
        let hasNewStart =
            observed.starts.filter { $0.key == start.key && $0.process == start.process }.count > 1
        if isOver && !hasNewStart {
            return Violation(
                "A confirmation counted after its start had ended", expected: "it comes too late",
                actual: "\(version: name) was confirmed")
        }
        return nil
    }

    /// Whether a page of the start was alive for long enough. With its process the page loads are gone; a
    /// confirmation may be reported in the instant of its end.
    private static func hasLived(_ start: StartTrace, _ observed: ObservedState) -> Bool {
        observed.isAlive ? observed.hasLived(start) : observed.now - start.begunAt >= .seconds(5)
    }

    private static func describe(_ token: PageLoadToken?, _ observed: ObservedState) -> String {
        guard let load = token.flatMap({ observed.load($0) }) else { return "none" }
        if !load.hasDocument { return "a page without its document" }
        if let path = load.openRequests.min() { return "a page that waits for \(path)" }
        return load.endedAt == nil ? "a page that was loaded later" : "a page that was closed or died before"
    }

    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        // After a store update the record is the previous build's until it is written again (N1).
        if let record = store.durable.record, record.native != observed.buildNumber { return nil }
        guard let good = status.lastKnownGood, good != status.embedded, !observed.isEmbedded(good) else {
            return nil
        }
        decided += 1
        if observed.goodVersions.contains(where: { $0.key == good }) { return nil }
        return Violation(
            "\(version: observed.name(good)) is last known good and never confirmed on this build",
            expected: "a version that confirmed, or the embedded one",
            actual: "\(version: observed.name(good))")
    }
}
