import Core
import Updater

/// R1: after every event that changed the disk, the worst durable image still reads so that a complete
/// version can be started: whatever a role of the record names is embedded or there, every file of it
/// with its hash (storage.md, ST-I2).
///
/// Left out: content that the record knows to be damaged or that the scenario took away, versions of a
/// former native build (N1 settles them before anything is loaded), and an image without a record, which
/// means embedded or the loading screen (R8 says when that is wrong). `crashpoints` proves the rule by
/// launching; this looks at bytes alone.
struct AlwaysAWayBack: Checker {
    let rule = "R1"

    private var commits = -1
    private var removals = -1

    /// Nothing: the counts are compared with those of the same store.
    func remember(in sum: inout Hasher) {}

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        // What came in addition takes nothing away.
        if store.durable.commits == commits, store.durable.removals == removals { return nil }
        commits = store.durable.commits
        removals = store.durable.removals
        guard let record = store.durable.record, record.native == observed.buildNumber else { return nil }
        for role in record.roles {
            if role.key == record.embedded { continue }
            guard let flaw = store.durable.flaw(of: role.key, except: record.damaged + store.lost) else {
                continue
            }
            return Violation(
                "A power cut now would leave a record that names a version which is not there",
                expected: "\(observed.name(role.key)) (\(role.name)) whole on the medium", actual: flaw)
        }
        return nil
    }
}
