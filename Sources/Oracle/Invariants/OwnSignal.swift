import Backend
import Core
import Updater

/// R6: a confirmation counts only for the version of the page load that sent it, and only in the start
/// that load belongs to.
///
/// Whenever the log tells a confirmation, a page of that very version must have signalled in this process
/// (by the token that the host attached, so for pages without arguments too), and its start must not have
/// ended before. Where the server confirms, the page must have been there for five seconds. And no
/// version becomes last known good that never confirmed on this build, unless it is embedded.
struct OwnSignal: Checker {
    let rule = "R6"

    private var ended: [(key: VersionKey, process: Int)] = []

    /// Nothing: a start counts in its own process alone.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch fact.kind {
        case .log(let entry): return judge(entry, observed)
        case .status(let status): return judge(status, observed, store)
        default: return nil
        }
    }

    private mutating func judge(_ entry: LogEntry, _ observed: ObservedState) -> Violation? {
        guard let id = entry.version, let end = StartTrace.End(entry.cause) else { return nil }
        let here = observed.starts.last { $0.key.id == id && $0.process == observed.process }
        guard end == .confirmed else {
            if let here { ended.append((here.key, here.process)) }
            return nil
        }
        let name = observed.names.name(ofID: id)
        guard let here else {
            return Violation(
                "A confirmation counted for \(name), which has no start in this process",
                expected: "a page load of \(name)", actual: "none")
        }
        let waits = observed.settings.confirmation == .loaded
        if !here.hasSignalled || (waits && observed.now - here.begunAt < .seconds(5)) {
            return Violation(
                "A confirmation counted for \(name) that no page of it sent",
                expected: waits ? "a page of \(name) alive for 5 s" : "a call from a page of \(name)",
                actual: "a signal of another page load, or none")
        }
        let isOver = ended.contains { $0.key == here.key && $0.process == here.process }
        let hasNewStart =
            observed.starts.filter { $0.key == here.key && $0.process == here.process }.count > 1
        if isOver && !hasNewStart {
            return Violation(
                "A confirmation counted after its start had ended", expected: "it comes too late",
                actual: "\(name) was confirmed")
        }
        return nil
    }

    private func judge(_ status: UpdaterStatus, _ observed: ObservedState, _ store: StoreView) -> Violation? {
        // Between a store update and its being settled the record is still the former build's (N1).
        if let record = store.durable.record, record.native != observed.buildNumber { return nil }
        guard let good = status.lastKnownGood, good != status.embedded, !observed.isEmbedded(good),
            observed.confirmedProcesses(of: good) == 0
        else { return nil }
        return Violation(
            "\(observed.name(good)) is last known good and never confirmed on this build",
            expected: "a version that confirmed, or the embedded one", actual: observed.name(good))
    }
}
