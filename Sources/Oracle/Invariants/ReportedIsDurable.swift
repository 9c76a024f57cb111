import Core
import Updater
import World

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

    package mutating func observe(_ fact: Fact, in scene: Scene, _ store: StoreView) -> Violation? {
        guard !store.isDamaged,
            scene.logged([.storeUnavailable, .diskFailed, .recordNotWritten, .noSpace]) == nil
        else { return nil }
        let record = store.durable.record
        if case .log(let entry) = fact.kind { return judge(entry, record, scene) }
        guard case .status(let status) = fact.kind else { return nil }
        if let pending = status.pending, pending != scene.formerStatus?.pending, !scene.isEmbedded(pending),
            record?.pending != pending, record?.current != pending
        {
            return violation("pending", pending, record?.pending, scene)
        }
        if let current = status.current, current != scene.formerStatus?.current, !scene.isEmbedded(current),
            record?.current != current, record?.pending != current
        {
            return violation("current", current, record?.current, scene)
        }
        return nil
    }

    private func judge(_ entry: LogEntry, _ record: RecordImage?, _ scene: Scene) -> Violation? {
        guard entry.cause == .becamePending, let id = entry.version else { return nil }
        let named = [record?.pending, record?.current, record?.embedded].compactMap { $0?.id }
        guard !named.contains(id) else { return nil }
        return Violation(
            "A version was told pending before the medium had it so",
            expected: "the durable record names \(scene.names.name(ofID: id)) as pending",
            actual: "it names \(scene.name(record?.pending))")
    }

    private func violation(_ role: String, _ told: VersionKey, _ there: VersionKey?, _ scene: Scene)
        -> Violation
    {
        Violation(
            "A version was reported as \(role) before the medium had it so",
            expected: "the durable record names \(scene.name(told)) as \(role)",
            actual: "it names \(scene.name(there))")
    }
}
