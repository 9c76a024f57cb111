import Backend
import Core
import Updater

/// S2: every static byte that is served is the byte that was accepted.
///
/// Each complete response with status 200 to a page load consists of bytes of some version of the scenario.
/// In the store, each blob that a table names has the content that its digest says.
///
/// What is stored is verified anew after each boot (R10), so that damage of an earlier boot is no excuse.
///
/// Silent about: bytes of another version than the page load's (S1); damage that the scenario did to the
/// medium in this boot; a file without a hash of which the origin has sent other bytes, also if its manifest
/// has lost the hash on the way and is valid without it; files of `www`.
struct VerifiedBytes: RuleChecker {
    let rule = "S2"
    var decided = 0

    /// The boot in which the medium was damaged last.
    private var damagedBoot: Int?

    func hashMemory(into hasher: inout Hasher) { hasher.combine(damagedBoot) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if case .damaged = event.kind { damagedBoot = observed.bootID }
        guard case .pageReceived(let request, let answer) = event.kind, !mayBeDamaged(observed),
            answer.isWhole, answer.status == 200, let token = request.load
        else { return nil }
        switch request.destination {
        case .document, .script, .style, .image, .font, .frame: break
        case .fetch, .other: return nil
        }
        guard answer.contentOf.isEmpty else {
            decided += 1
            return nil
        }
        guard let load = observed.load(token) else { return nil }
        let path = request.target.split(separator: "?")[0]
        if observed.isForwarded(path) { return nil }
        if observed.app.www.contains(where: { path == "/" + $0.path }) { return nil }
        if !mustHaveHash(request, observed), wasSentAltered(request, observed) { return nil }
        decided += 1
        return Violation(
            "A page of \(version: observed.name(load.version)) got bytes that no version has",
            expected: "\(path) as it was accepted",
            actual: "\(answer.bytes) bytes of \(answer.type) that are no version's \(path)")
    }

    /// Whether content may have been damaged since it was verified last.
    private func mayBeDamaged(_ observed: ObservedState) -> Bool {
        damagedBoot.map { $0 == observed.bootID || !observed.profile.providesBootID } ?? false
    }

    /// Whether the manifest as the origin made it states a hash of what was requested, and no damaged one was
    /// taken. It states none of Meteor's index.
    private func mustHaveHash(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        if request.destination == .document, observed.app.dialect == .meteor { return false }
        return observed.app.hasHashes && observed.damagedOffersTaken == 0
    }

    /// Whether the origin has sent bytes for the file that no version has. A document is an index, whatever
    /// its path is.
    private func wasSentAltered(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        observed.transfers.contains { transfer in
            guard let route = transfer.route, transfer.contentOf.isEmpty, transfer.wholeSize != nil else {
                return false
            }
            return request.destination == .document || request.path == route
        }
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        guard let name = store.live.unsound.first, let unsound = store.live.blob(name),
            isNamed(unsound, store)
        else { return nil }
        decided += 1
        return Violation(
            "Stored content is not what its digest says",
            expected: ViolationText(unsound.name.hex), actual: "\(unsound.sha256.hex), \(unsound.size) bytes")
    }

    /// Whether a valid table refers to the blob.
    private func isNamed(_ blob: BlobImage, _ store: StoreView) -> Bool {
        store.live.tables.contains { table in
            table.contents.contains { $0.location == .blob(blob.name) }
        }
    }
}
