import Backend
import Core
import Updater

/// U4: concurrent checks join, and nothing of a superseded download is written anywhere.
///
/// No two requests for the manifest are open at once. A partial file grows only while it belongs to a row
/// of the download that the disk names, after this process (or an earlier one) asked for that version.
/// A version that an older answer offered never becomes pending after a newer answer offered another.
struct OneAtATime: Checker {
    let rule = "U4"

    private var sizes: [PartialImage] = []
    /// Names of the partial files that the download's rows have.
    private var keys: [Digest256] = []
    private var download: VersionKey?

    /// Nothing: sizes are taken anew at the launch, and keys are those of the download that the disk names.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch fact.kind {
        case .requestSent(let request) where request.kind == .manifest:
            let open = observed.openTransfers.filter(\.isManifest)
            guard open.count > 1 else { return nil }
            return Violation(
                "A check began while another one was under way", expected: "one request for the manifest",
                actual: "\(open.count) open at once")
        case .status(let status): return judge(status, observed)
        case .launched:
            sizes = store.live.partials
            return nil
        default: return nil
        }
    }

    /// A late answer to an earlier check never wins.
    private func judge(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        guard let pending = status.pending, pending != observed.formerStatus?.pending,
            observed.formerStatus != nil, observed.logged([.becamePending], since: observed.now) != nil
        else { return nil }
        let answers = observed.transfers.filter {
            $0.isGoodManifestAnswer && $0.process == observed.process && $0.offered != nil
        }
        let newest = answers.max { $0.sentAt < $1.sentAt }
        guard let offered = newest?.offered, offered != pending.id,
            answers.contains(where: { $0.offered == pending.id }), !isRefused(offered, observed)
        else { return nil }
        return Violation(
            "A late answer to an earlier check won",
            expected: "\(observed.names.name(ofID: offered)), which the newest answer offers",
            actual: "\(observed.name(pending)) became pending")
    }

    /// What the newest answer offers may have been refused; then the older offer stands.
    private func isRefused(_ id: String, _ observed: ObservedState) -> Bool {
        let refusals: [LogCause] = [
            .blacklisted, .parkedOffer, .recalledOffer, .leftBefore, .olderThanAccepted,
            .contradictsAccepted, .dateAhead,
            .otherApp, .nativeOutsideRange, .manifestFieldMissing, .manifestFieldMalformed,
            .manifestUnsafeRoute, .manifestRoutesClash, .manifestPathsClash, .manifestTooLarge,
            .manifestTooManyAssets,
            .fileTooLarge, .versionTooLarge, .manifestUnknownFormat, .manifestUnreadable, .upToDate,
            .manifestWithoutVersion, .originChangeNotAllowed,
        ]
        return observed.logged.contains {
            $0.process == observed.process && refusals.contains($0.entry.cause)
                && ($0.entry.version == nil || $0.entry.version == id)
        }
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        let former = sizes
        sizes = store.live.partials
        guard observed.isAlive, let table = store.live.download, former != sizes else { return nil }
        if download != table.key {
            download = table.key
            keys = store.live.downloadKeys ?? table.assets.map { PartialKey.of($0, in: table) }
        }
        for partial in store.live.partials {
            let before = former.first { $0.key == partial.key }?.size ?? 0
            guard partial.size > before else { continue }
            if keys.contains(partial.key) { continue }
            return Violation(
                "Bytes of a superseded download were written",
                expected: "only files of \(observed.name(table.key)) grow",
                actual: "partial file \(partial.key.hex.prefix(12)) grew to \(partial.size) bytes")
        }
        return nil
    }
}

/// The name of a row's partial file (storage.md, `store/partial/<key>`).
enum PartialKey {
    static func of(_ row: Asset, in table: VersionTable) -> Digest256 {
        switch row.hash {
        case .sha256(let digest): SHA256.hash(of: digest)
        case .sha1(let digest): SHA256.hash(of: digest.bytes)
        case .none: SHA256.hash(of: Array((table.key.digest.hex + row.url).utf8))
        }
    }
}
