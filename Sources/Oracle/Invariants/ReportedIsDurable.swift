import Backend
import Core
import Updater

/// `ST-I3`: a version that was reported as current or pending was durable before, so no power cut reverts it.
///
/// When the app reports a role, the durable record must give it to the version; one that is reported as
/// pending may be current already. The log entry ``LogCause/becamePending`` is such a report too, because
/// pages are notified with it.
///
/// Silent about: the embedded version, which needs no record; a store that can't be written, which the log
/// reports; a record that the scenario damaged.
package struct ReportedIsDurable: RuleChecker {
    package let rule = "ST-I3"
    package var decided = 0

    /// Adds nothing: this checker has no memory.
    package func hashMemory(into hasher: inout Hasher) {}

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        guard !store.isDamaged,
            observed.logged([.storeUnavailable, .diskFailed, .recordNotWritten, .noSpace]) == nil
        else { return nil }
        let record = store.durable.record
        if case .log(let entry) = event.kind { return evaluate(entry, record, observed) }
        guard case .status(let status) = event.kind else { return nil }
        if let pending = status.pending, pending != observed.previousStatus?.pending,
            !observed.isEmbedded(pending)
        {
            decided += 1
            if record?.pending != pending, record?.current != pending {
                return violation("pending", pending, record?.pending, observed)
            }
        }
        if let current = status.current, current != observed.previousStatus?.current,
            !observed.isEmbedded(current)
        {
            decided += 1
            if record?.current != current {
                return violation("current", current, record?.current, observed)
            }
        }
        return nil
    }

    private mutating func evaluate(_ entry: LogEntry, _ record: RecordImage?, _ observed: ObservedState)
        -> Violation?
    {
        guard entry.cause == .becamePending, let id = entry.version else { return nil }
        decided += 1
        let named = [record?.pending, record?.current, record?.embedded].compactMap { $0?.id }
        guard !named.contains(id) else { return nil }
        return Violation(
            "A version was reported as pending before the medium had it so",
            expected: "the durable record names \(version: observed.names.name(ofID: id)) as pending",
            actual: "it names \(version: observed.name(record?.pending))")
    }

    private func violation(
        _ role: String, _ reported: VersionKey, _ durable: VersionKey?, _ observed: ObservedState
    )
        -> Violation
    {
        Violation(
            "A version was reported as \(role) before the medium had it so",
            expected: "the durable record names \(version: observed.name(reported)) as \(role)",
            actual: "it names \(version: observed.name(durable))")
    }
}
