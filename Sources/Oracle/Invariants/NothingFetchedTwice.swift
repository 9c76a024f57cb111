import Backend
import Core
import Updater

/// U2: no content is fetched twice.
///
/// Content that is stored undamaged is not requested again, an interrupted transfer resumes at its last byte,
/// and two requests never fetch the same content at once. An asset without a hash is requested conditionally
/// if a stored version has content with a strong entity tag under its URL; it is not requested if a stored
/// version has content for its route with the hash that its URL carries. The checker finds the asset of a
/// request in the manifest of the unfinished download on the disk. A file with a hash that a process has
/// received whole and right is not requested again by it for the same download, stored or not.
///
/// Silent about: everything after the scenario has damaged stored content; content whose sync failed, which
/// a power cut would remove although a later sync succeeds; Meteor's index, which the updater must receive
/// whole, because it reads the version from it; content without a hash of a version that the record no longer
/// names, because it is about to be removed; content whose SHA-1 the store does not state; stored content
/// in a process whose clean-up has failed, because it does not know what it could not remove.
struct NothingFetchedTwice: Checker {
    let rule = "U2"
    private var decided = (stored: 0, resumed: 0, conditional: 0, hashInURL: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("U2.stored", decided.stored),
            DecisionCount("U2.resumed", decided.resumed),
            DecisionCount("U2.conditional", decided.conditional),
            DecisionCount("U2.hash-in-url", decided.hashInURL),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0, 0, 0) }

    /// Files of the running download that came whole and right, by their routes.
    private var delivered: (download: VersionKey?, routes: [String]) = (nil, [])

    /// Adds nothing: a process does not know what an earlier one has received.
    func hashMemory(into hasher: inout Hasher) {}

    private func hasFailedCleanUp(_ observed: ObservedState) -> Bool {
        observed.logged.contains {
            $0.process == observed.process && $0.entry.cause == .diskFailed
                && $0.entry.detail.hasPrefix("clean-up")
        }
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .transferEnded(let id, _, _):
            noteDelivery(observed.transfer(id, ofProcess: event.process), observed)
        case .launched, .processEnded, .powerCut, .settingsChanged, .damaged: delivered = (nil, [])
        // While the disk keeps a process busy, it may stop for the network before it reads what has come.
        case .networkChanged where observed.diskDelay > .zero: delivered = (nil, [])
        case .status(let status) where status.downloading != delivered.download: delivered = (nil, [])
        default: break
        }
        guard case .requestSent(let request) = event.kind, case .file(let route) = request.kind,
            !observed.isMediumDamaged, let download = store.live.download, download.key == request.version,
            let index = download.index(ofRoute: route)
        else { return nil }
        let asset = download.assets[index]
        if store.live.blobs.count > 0 { decided.stored += 1 }
        if let blob = NothingFetchedTwice.content(of: asset, store.live), blob.isSound,
            asset.size.map({ $0 == blob.size }) ?? true,
            !mayBeLost(blob, observed, store), !hasFailedCleanUp(observed)
        {
            return Violation(
                "\(route) of \(version: observed.name(download.key)) is stored and was requested again",
                expected: "no request", actual: "a request to \(request.url)")
        }
        guard asset.hash != .none else {
            return storedUnderItsURL(asset, download, observed, store)
                ?? unconditional(request, asset, download, observed, store)
        }
        let key = store.live.downloadKeys?[index] ?? PartialKey.of(asset, in: download)
        if let partial = store.live.partials.first(where: { $0.key == key }), partial.size > 0 {
            decided.resumed += 1
            if request.from == nil {
                return Violation(
                    "\(route) of \(version: observed.name(download.key)) was begun anew",
                    expected: "a request from byte \(partial.size)", actual: "a request for the whole file")
            }
        }
        if delivered.download == download.key, delivered.routes.contains(route),
            !NothingFetchedTwice.losses.contains(where: observed.hasLoggedInProcess)
        {
            decided.stored += 1
            return Violation(
                "\(route) of \(version: observed.name(download.key)) came whole and was requested again",
                expected: "no request", actual: "a request to \(request.url)")
        }
        let others = observed.openTransfers.dropLast().contains { other in
            guard let name = other.route, other.request.version == download.key,
                let otherIndex = download.index(ofRoute: name)
            else { return false }
            return download.assets[otherIndex].hash == asset.hash
        }
        guard others else { return nil }
        decided.stored += 1
        return Violation(
            "The content of \(route) is being fetched by another request", expected: "one request",
            actual: "two at once")
    }

    /// Entries after which a process may have lost what it has received.
    private static let losses: [LogCause] = [
        .diskFailed, .noSpace, .readFailed, .contentDamaged, .storeUnavailable,
    ]

    private mutating func noteDelivery(_ transfer: TransferTrace?, _ observed: ObservedState) {
        guard let transfer, transfer.status == 200, let route = transfer.route,
            let key = transfer.request.version, key == observed.status?.downloading,
            let index = observed.index(of: key), transfer.contentOf.contains(index),
            let file = observed.versions[index].files.first(where: { $0.route == route }),
            case .made(let content) = file.content, content.size == transfer.bytes,
            file.statedSize.map({ $0 == content.size }) ?? true
        else { return }
        if delivered.download != key { delivered = (key, []) }
        delivered.routes.append(route)
    }

    /// A blob's name is the SHA-256 of its content.
    private static func content(of asset: Asset, _ image: StoreImage) -> BlobImage? {
        switch asset.hash {
        case .sha256(let digest): image.blob(digest)
        case .sha1(let digest):
            image.blobs.first { $0.isContent(of: asset) && isKnown($0, digest, image) }
        case .none: nil
        }
    }

    /// Whether the store says that a blob has this SHA-1: the list of the download's finished files has a
    /// line for it, or a version has it under this SHA-1. Of other content only the SHA-256 is known: it was
    /// taken without a hash, or a power cut has removed its line.
    private static func isKnown(_ blob: BlobImage, _ digest: Digest160, _ image: StoreImage) -> Bool {
        (image.finished.contains(SHA256.hash(of: digest.bytes)) && image.finished.contains(blob.name))
            || image.tables.contains { stored in
                zip(stored.table.assets, stored.contents).contains { asset, content in
                    asset.hash == .sha1(digest) && content.location == .blob(blob.name)
                }
            }
    }

    /// Whether the updater must take the content for lost: it could not be read again and again, so that it
    /// counts as damaged (R10); or a disk call has failed in this process, and the content is not durable, or
    /// the failed call was the sync of its folder or of the folder around that. The updater can't know that
    /// another sync has made the name durable.
    private func mayBeLost(_ blob: BlobImage, _ observed: ObservedState, _ store: StoreView) -> Bool {
        if isUnreadable(blob, observed, store) { return true }
        let failed = observed.loggedInProcess.filter { $0.entry.cause == .diskFailed }
        if failed.isEmpty { return false }
        if store.durable.blob(blob.name) == nil { return true }
        let folder = StorePaths.blob(blob.name).parent
        return failed.contains { logged in
            [folder, folder.parent].contains { logged.entry.detail.hasSuffix($0.text) }
        }
    }

    /// Whether the updater has found out that the content can't be read: an entry of this process names it
    /// and the repeated error, or an earlier process's does and the record has it.
    private func isUnreadable(_ blob: BlobImage, _ observed: ObservedState, _ store: StoreView) -> Bool {
        let content = "content=\(blob.name.hex.prefix(12)) "
        let entries = observed.logged.filter { logged in
            logged.entry.cause == .contentDamaged && logged.entry.detail.hasPrefix(content)
                && (logged.entry.detail.hasSuffix(" again")
                    || logged.entry.detail.hasSuffix(" at several launches"))
        }
        if entries.isEmpty { return false }
        return entries.contains { $0.process == observed.process }
            || store.live.record?.damaged.contains(blob.name) ?? false
    }

    /// Whether the record names a version; content of others is about to be removed.
    private func isNamed(_ key: VersionKey, _ store: StoreView) -> Bool {
        guard let record = store.live.record else { return false }
        return record.embedded == key || record.versions.contains { $0.key == key }
    }

    /// Whether a version has the content that the asset's URL names by a hash.
    private mutating func storedUnderItsURL(
        _ asset: Asset, _ download: VersionTable, _ observed: ObservedState, _ store: StoreView
    ) -> Violation? {
        let runs = (asset.url.split(separator: "?").first ?? "").split { !$0.isHexDigit }.map(String.init)
        if runs.contains(where: { $0.utf8.count == 40 || $0.utf8.count == 64 }) { decided.hashInURL += 1 }
        let isStored = store.live.tables.contains { image in
            guard isNamed(image.key, store), let index = image.table.index(ofRoute: asset.route),
                case .blob(let name) = image.contents[index].location, let blob = store.live.blob(name),
                blob.isSound, !mayBeLost(blob, observed, store)
            else { return false }
            return runs.contains(blob.sha256.hex) || blob.sha1.map { runs.contains($0.hex) } ?? false
        }
        guard isStored else { return nil }
        return Violation(
            "\(asset.route) of \(version: observed.name(download.key)) is stored with the hash in its URL",
            expected: "no request", actual: "a request")
    }

    private mutating func unconditional(
        _ request: RequestEvent, _ asset: Asset, _ download: VersionTable, _ observed: ObservedState,
        _ store: StoreView
    ) -> Violation? {
        if request.isConditional { decided.conditional += 1 }
        guard !request.isConditional, request.from == nil,
            download.dialect != .meteor || asset.route != download.index
        else { return nil }
        let known = store.live.tables.contains { image in
            guard isNamed(image.key, store), image.table.dialect == download.dialect,
                let index = image.table.assets.firstIndex(where: { $0.route == asset.route }),
                image.table.assets[index].url == asset.url, image.table.assets[index].hash == .none,
                image.contents[index].tag != nil, case .blob(let digest) = image.contents[index].location
            else { return false }
            return store.live.blob(digest)?.isSound ?? false
        }
        guard known else { return nil }
        decided.conditional += 1
        let name = observed.name(download.key)
        return Violation(
            "\(asset.route) of \(version: name) was asked for as if nothing were stored of it",
            expected: "a request with the stored tag", actual: "a request without a condition")
    }
}

extension BlobImage {
    /// Whether the blob has the asset's hash; false for an asset without one.
    package func isContent(of asset: Asset) -> Bool {
        switch asset.hash {
        case .sha256(let digest): digest == sha256
        case .sha1(let digest): digest == sha1
        case .none: false
        }
    }
}

extension VersionTable {
    /// Index of an asset. Assets are sorted by the bytes of their routes.
    fileprivate func index(ofRoute route: String) -> Int? {
        TextBytes.index(of: route, in: assets.indices) { assets[$0].route }
    }
}
