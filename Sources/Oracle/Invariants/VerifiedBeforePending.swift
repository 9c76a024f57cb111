import Backend
import Core
import Updater

/// U1: a version becomes pending only when every required file is stored, synced, and has the length and the
/// hash that its asset announces.
///
/// When the app reports a new pending version, the durable image must contain it completely. If assets have
/// no hash, the origin must have named the same version once more after the last of their files.
///
/// Silent about: embedded versions; content that the scenario removed; files without a hash that no transfer
/// of this trace has fetched.
struct VerifiedBeforePending: Checker {
    let rule = "U1"

    /// Adds nothing: this checker has no memory.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .status(let status) = event.kind, let pending = status.pending,
            pending != observed.previousStatus?.pending || observed.previousStatus == nil
        else { return nil }
        if observed.isEmbedded(pending), pending == status.embedded { return nil }
        let name = observed.name(pending)
        if let flaw = store.durable.flaw(of: pending, except: store.lost) {
            return Violation(
                "\(version: name) is pending and not whole on the medium",
                expected: "every required file of \(version: name) stored, synced and verified",
                actual: ViolationText(flaw))
        }
        return evaluateUnhashed(pending, observed, store)
    }

    private func evaluateUnhashed(_ key: VersionKey, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        guard let table = store.durable.table(key) else { return nil }
        let assets = table.table.assets
        var fetched: [String: Int] = [:]
        for (index, transfer) in observed.transfers.enumerated()
        where transfer.state == .ended && transfer.request.version == key {
            if let route = transfer.route { fetched[route] = index }
        }
        let answers = observed.transfers.filter(\.isGoodManifestAnswer)
        for (index, content) in zip(assets.indices, table.contents)
        where assets[index].hash == .none && !assets[index].isOptional {
            guard case .blob = content.location else { continue }
            let asset = assets[index]
            guard let last = fetched[asset.route].map({ observed.transfers[$0] }) else { continue }
            // This process must have checked again or, if it ended before, a later one. Later offers don't
            // matter: a version that is pending again after an unclear start (R3) needs no new check.
            let again = answers.filter { $0.process >= last.process && $0.sentAt >= last.sentAt }
            if again.contains(where: { $0.offered == nil || $0.offered == key.id }) { continue }
            let name = observed.name(key)
            return Violation(
                "\(version: name) has files without a hash, and the origin was not asked again after them",
                expected: "the manifest once more after \(asset.route), naming \(version: key.id)",
                actual: again.last.flatMap(\.offered).map { "it named \(version: $0)" } ?? "no such answer")
        }
        return nil
    }
}
