import Backend
import Core
import Updater

/// U16: an app with keys downloads, keeps ready and starts only versions that a signed manifest has named.
///
/// - A version that is downloaded, pending or served was offered by an answer whose signature was valid by a
///   key in force then (``SigningState``), or is embedded.
/// - After a store update only versions count that a key of the new build has signed.
/// - Keys are replaced only by such a manifest, and only once its version has confirmed on this build.
///
/// Silent about: versions that share an id; whether keys are replaced at all, which expectations state.
struct SignedReleases: RuleChecker {
    let rule = "U16"
    var decided = 0

    private struct Offer: Hashable, Sendable {
        var id: String
        var signers: [String]
    }

    private var offers: [Offer] = []
    private var builds = BuildChanges()
    private var beforeUpdate = BeforeStoreUpdate<[Offer]>()

    func hashMemory(into hasher: inout Hasher) { hasher.combine(offers) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if observed.app.keys.isEmpty { return nil }
        switch event.kind {
        case .launched: keepSigned(observed)
        case .transferEnded(let id, _, _):
            let answer = observed.transfer(id, ofProcess: event.process)
            guard let answer, answer.isGoodManifestAnswer, let id = answer.offered else { return nil }
            offers.removeAll { $0.id == id }
            offers.append(Offer(id: id, signers: answer.signers))
        case .requestSent(let request):
            guard case .file = request.kind, let key = request.version else { return nil }
            return evaluate(key, "is being downloaded", observed)
        case .status(let status):
            guard let pending = status.pending else { return nil }
            return evaluate(pending, "is pending", observed)
        case .pageLoad(_, _, let key): return evaluate(key, "was started", observed)
        case .log(let entry) where entry.cause == .keysReplaced:
            return evaluateKeys(entry.version ?? "", observed)
        default: break
        }
        return nil
    }

    private func keys(_ observed: ObservedState) -> [String]? {
        observed.app.builds.first { $0.name == observed.build }?.keys
    }

    /// Another build that was noticed as such brings keys of its own.
    private mutating func keepSigned(_ observed: ObservedState) {
        guard builds.hasChanged(observed) else { return }
        if let known = beforeUpdate.changed(offers, observed) {
            offers = known
            return
        }
        guard let keys = keys(observed) else { return }
        offers.removeAll { offer in !offer.signers.contains { keys.contains($0) } }
    }

    private mutating func evaluate(_ key: VersionKey, _ what: String, _ observed: ObservedState)
        -> Violation?
    {
        guard keys(observed) != nil, !observed.isEmbedded(key) else { return nil }
        decided += 1
        if offers.contains(where: { $0.id == key.id }) { return nil }
        return Violation(
            "\(version: observed.name(key)) \(what), and no signed manifest has named it",
            expected: "only what a key of the app has signed", actual: "it \(what)")
    }

    private mutating func evaluateKeys(_ version: String, _ observed: ObservedState) -> Violation? {
        decided += 1
        let isConfirmed =
            observed.goodVersions.contains { $0.key.id == version }
            || observed.starts.contains { $0.key.id == version && observed.isConfirmed($0) }
        if offers.contains(where: { $0.id == version }), isConfirmed { return nil }
        return Violation(
            "The keys of \(version: observed.names.name(ofID: version)) replaced those of the app",
            expected: "a signed manifest whose version has confirmed",
            actual: isConfirmed ? "no valid signature" : "a version that has not confirmed")
    }
}
