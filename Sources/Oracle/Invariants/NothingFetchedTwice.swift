import Backend
import Core
import Updater

/// U2: content that is stored undamaged is not requested again; an interrupted file goes on where it was;
/// the same content is not fetched by two requests at once.
///
/// The row behind a request is found in the manifest of the unfinished download on the disk (ST-0). A row
/// without a hash is asked for conditionally where a stored version has content with a strong tag under its
/// URL; Meteor's index is not, as it is looked into for its version and so has to come whole. Nothing is said
/// of content that a scenario damaged.
struct NothingFetchedTwice: Checker {
    let rule = "U2"

    /// Nothing: it has no memory.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .requestSent(let request) = fact.kind, case .file(let route) = request.kind,
            !observed.isMediumDamaged, let download = store.live.download, download.key == request.version,
            let number = download.number(ofRoute: route)
        else { return nil }
        let row = download.assets[number]
        if let blob = store.live.blobs.first(where: { $0.isContent(of: row) }), blob.isSound {
            return Violation(
                "\(route) of \(observed.name(download.key)) is stored and was requested again",
                expected: "no request", actual: "a request to \(request.url)")
        }
        guard row.hash != .none else { return unconditional(request, row, download, observed, store) }
        let key = store.live.downloadKeys?[number] ?? PartialKey.of(row, in: download)
        if request.from == nil, let partial = store.live.partials.first(where: { $0.key == key }),
            partial.size > 0
        {
            return Violation(
                "\(route) of \(observed.name(download.key)) was begun anew",
                expected: "a request from byte \(partial.size)", actual: "a request for the whole file")
        }
        let others = observed.openTransfers.dropLast().contains { other in
            guard let name = other.route, other.request.version == download.key,
                let otherNumber = download.number(ofRoute: name)
            else { return false }
            return download.assets[otherNumber].hash == row.hash
        }
        guard others else { return nil }
        return Violation(
            "The content of \(route) is being fetched by another request", expected: "one request",
            actual: "two at once")
    }

    private func unconditional(
        _ request: RequestEvent, _ row: Asset, _ download: VersionTable, _ observed: ObservedState,
        _ store: StoreView
    ) -> Violation? {
        guard !request.isConditional, request.from == nil,
            download.dialect != .meteor || row.route != download.index
        else { return nil }
        let known = store.live.tables.contains { image in
            guard image.table.dialect == download.dialect,
                let number = image.table.assets.firstIndex(where: { $0.route == row.route }),
                image.table.assets[number].url == row.url, image.table.assets[number].hash == .none,
                image.places[number].tag != nil, case .blob(let digest) = image.places[number].location
            else { return false }
            return store.live.blob(digest)?.isSound ?? false
        }
        guard known else { return nil }
        return Violation(
            "\(row.route) of \(observed.name(download.key)) was asked for as if nothing were stored of it",
            expected: "a request with the stored tag", actual: "a request without a condition")
    }
}

extension BlobImage {
    /// By hash; a row without one has no content that could be recognised.
    package func isContent(of row: Asset) -> Bool {
        switch row.hash {
        case .sha256(let digest): digest == sha256
        case .sha1(let digest): digest == sha1
        case .none: false
        }
    }
}

extension VersionTable {
    /// The assets are sorted by their routes' bytes.
    fileprivate func number(ofRoute route: String) -> Int? {
        TextBytes.index(of: route, in: assets.indices) { assets[$0].route }
    }
}
