import Backend
import Core
import Updater

/// R1: a device can always start a complete version.
///
/// After every event that changed the disk, each version that a role of the durable record names is embedded
/// or stored completely, every file with its hash. The durable image is the least that a power cut can
/// leave.
///
/// Silent about: generations of the record that the scenario has damaged and that were not written since;
/// the older one that is left then, and versions in it that were gone already, in later records too;
/// content that the record lists as damaged, content and tables that the scenario removed; versions of a
/// previous native build, because N1 drops them before anything is loaded; an image without a record, which
/// means the embedded version or the loading screen (R8 says when that is wrong). `crashpoints` proves the
/// rule by launching; this checker inspects bytes alone.
struct AlwaysStartable: RuleChecker {
    let rule = "R1"
    var decided = 0

    private var commits = -1
    private var removals = -1
    private var damagedSlots = DamagedSlots()
    /// Generation that was readable after the scenario had damaged a newer one: what the newer one no longer
    /// named may be gone (R8).
    private var older: UInt64?
    /// The generation that was readable at the last change.
    private var newest: UInt64?
    /// Versions of the older generation that were not complete when the newer one was damaged.
    private var gone: [VersionKey] = []

    /// Leaves out the counts, because they are compared with those of the same store.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(damagedSlots)
        hasher.combine(older)
        hasher.combine(newest)
        hasher.combine(gone)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .damaged(let path) = event.kind else { return nil }
        damagedSlots.damaged(path, in: store.durable)
        // A slot that was removed is not in the image any more.
        let left = damagedSlots.readableRecord(of: store.durable)
        guard StoredFile(DiskPath(.data, path)).isRecord, left?.generation != newest else { return nil }
        older = left?.generation
        gone = left?.versions.map(\.key).filter { store.live.flaw(of: $0, except: store.lost) != nil } ?? []
        return nil
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        // Content that was only added can't break the rule.
        if store.durable.commits == commits, store.durable.removals == removals { return nil }
        commits = store.durable.commits
        removals = store.durable.removals
        damagedSlots.removeWritten(in: store.durable)
        let readable = damagedSlots.readableRecord(of: store.durable)
        if readable?.generation != older { newest = readable?.generation }
        guard let record = readable,
            record.native == observed.buildNumber, record.generation != older
        else { return nil }
        gone.removeAll { store.durable.flaw(of: $0, except: store.lost) == nil }
        for role in record.roles where !gone.contains(role.key) {
            if role.key == record.embedded || store.lostTables.contains(role.key.digest) { continue }
            decided += 1
            guard let flaw = store.durable.flaw(of: role.key, except: record.damaged + store.lost) else {
                continue
            }
            return Violation(
                "A power cut now would leave a record that names a version which is not there",
                expected: "\(version: observed.name(role.key)) (\(role.name)) whole on the medium",
                actual: ViolationText(flaw))
        }
        return nil
    }
}
