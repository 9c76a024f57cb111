import Backend
import Core
import Updater

/// U1: a version becomes pending only when every required file is stored, synced, and of the length and
/// hash that its row announces.
///
/// Looked at when the app tells of a new pending version: the durable image alone must hold it whole.
/// Where rows have no hash the origin must have named the same version once more after the last file, and
/// an index that carries a version must carry that one.
struct VerifiedBeforeOffered: Checker {
    let rule = "U1"

    /// Nothing: it has no memory.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .status(let status) = fact.kind, let pending = status.pending,
            pending != observed.formerStatus?.pending || observed.formerStatus == nil
        else { return nil }
        if observed.isEmbedded(pending), pending == status.embedded { return nil }
        let name = observed.name(pending)
        if let flaw = store.durable.flaw(of: pending, except: store.lost) {
            return Violation(
                "\(name) is pending and not whole on the medium",
                expected: "every required file of \(name) stored, synced and verified", actual: flaw)
        }
        return judgeUnhashed(pending, observed, store)
    }

    private func judgeUnhashed(_ key: VersionKey, _ observed: ObservedState, _ store: StoreView) -> Violation?
    {
        guard let table = store.durable.table(key) else { return nil }
        for (row, place) in zip(table.table.assets, table.places) where row.hash == .none && !row.isOptional {
            guard case .blob = place.location else { continue }
            // Of a version stored by an earlier process nothing more is known than that.
            let last = observed.transfers.last {
                $0.state == .ended && $0.request.version == key
                    && $0.route.map { TextBytes.areEqual($0, row.route) } == true
            }
            guard let last else { continue }
            // By this process or, where it did not live to ask, by a later one. What the origin names after
            // that is another matter: a version that is pending again after an unclear start (R3) is asked
            // for nothing more.
            let again = observed.transfers.filter {
                $0.isGoodManifestAnswer && $0.process >= last.process && $0.sentAt >= last.sentAt
            }
            if again.contains(where: { $0.offered == nil || $0.offered == key.id }) { continue }
            return Violation(
                "\(observed.name(key)) has files without a hash, and the origin was not asked again after them",
                expected: "the manifest once more after \(row.route), naming \(key.id)",
                actual: again.last.flatMap(\.offered).map { "it named \($0)" } ?? "no such answer")
        }
        return nil
    }
}
