import Backend
import Core
import Updater

/// S2: a static byte served is the byte that was accepted.
///
/// Two sides. What a page got whole, with status 200, under a load that has a version must be bytes of
/// some version of the scenario where the dialect announces a hash (bytes of another version are S1's).
/// And what lies under a digest in the store is that content. Damage that the scenario did to the medium
/// is R10's; rows without a hash are held to what lies in the store alone.
struct VerifiedBytes: Checker {
    let rule = "S2"

    /// Nothing: it has no memory.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .pageReceived(let request, let answer) = fact.kind, !observed.isMediumDamaged,
            observed.app.dialect != .frontend, answer.isWhole, answer.status == 200,
            answer.contentOf.isEmpty, let token = request.load, let load = observed.load(token)
        else { return nil }
        switch request.destination {
        // Meteor's index has no hash in the manifest.
        case .document where observed.app.dialect == .meteor: return nil
        case .document, .script, .style, .image, .font: break
        case .fetch, .other: return nil
        }
        let path = request.target.split(separator: "?")[0]
        if observed.app.www.contains(where: { path == "/" + $0.path }) { return nil }
        return Violation(
            "A page of \(observed.name(load.version)) got bytes that no version has",
            expected: "\(path) as it was accepted",
            actual: "\(answer.bytes) bytes of \(answer.type) that are no version's \(path)")
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        guard let bad = store.live.blobs.first(where: { !$0.isSound }), isNamed(bad, store) else {
            return nil
        }
        return Violation(
            "Stored content is not what its digest says",
            expected: bad.name.hex, actual: "\(bad.sha256.hex), \(bad.size) bytes")
    }

    /// Some table that the record knows refers to it.
    private func isNamed(_ blob: BlobImage, _ store: StoreView) -> Bool {
        store.live.tables.contains { table in
            table.places.contains { $0.location == .blob(blob.name) }
        }
    }
}
