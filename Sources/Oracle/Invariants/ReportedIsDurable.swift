import Backend
import Core
import Updater

/// ST-I3: what was reported as current or pending was on the medium before: no power cut takes it back.
///
/// A report names a role; at that moment the durable record must name the version in that role or beside
/// it: pending becomes current at the next start of a process by itself. The entry that a version became
/// pending is such a report too; pages are told with it. Embedded content needs no record.
/// Left out: a store that can't be written (told), and a record that the scenario damaged.
package struct ReportedIsDurable: Checker {
    package let rule = "ST-I3"

    /// Nothing: it has no memory.
    package func remember(in sum: inout Hasher) {}

    package mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        guard !store.isDamaged,
            observed.logged([.storeUnavailable, .diskFailed, .recordNotWritten, .noSpace]) == nil
        else { return nil }
        let record = store.durable.record
        if case .log(let entry) = fact.kind { return judge(entry, record, observed) }
        guard case .status(let status) = fact.kind else { return nil }
        if let pending = status.pending, pending != observed.formerStatus?.pending,
            !observed.isEmbedded(pending),
            record?.pending != pending, record?.current != pending
        {
            return violation("pending", pending, record?.pending, observed)
        }
        if let current = status.current, current != observed.formerStatus?.current,
            !observed.isEmbedded(current),
            record?.current != current, record?.pending != current
        {
            return violation("current", current, record?.current, observed)
        }
        return nil
    }

    private func judge(_ entry: LogEntry, _ record: RecordImage?, _ observed: ObservedState) -> Violation? {
        guard entry.cause == .becamePending, let id = entry.version else { return nil }
        let named = [record?.pending, record?.current, record?.embedded].compactMap { $0?.id }
        guard !named.contains(id) else { return nil }
        return Violation(
            "A version was told pending before the medium had it so",
            expected: "the durable record names \(observed.names.name(ofID: id)) as pending",
            actual: "it names \(observed.name(record?.pending))")
    }

    private func violation(
        _ role: String, _ told: VersionKey, _ there: VersionKey?, _ observed: ObservedState
    )
        -> Violation
    {
        Violation(
            "A version was reported as \(role) before the medium had it so",
            expected: "the durable record names \(observed.name(told)) as \(role)",
            actual: "it names \(observed.name(there))")
    }
}
