import Backend
import Core
import HTTP1
import ScenarioLanguage
import Updater

/// Answers requests with the content of an edge, in each dialect; conditions and ranges as in RFC 9110 §13
/// and §14.
struct OriginResponder {
    let library: VersionLibrary
    let offer: Origin.Offer
    let now: OriginTime
    /// Whether unknown paths are answered with the index, as by a misplaced single-page fallback.
    var servesIndexForUnknown = false
    /// Whether devices get different manifests.
    var isTargeting = false

    private var dialect: ManifestDialect { library.setup.app.dialect }

    /// Path of the manifest in the own and the frontend dialect.
    static let manifestPath = "/ota/manifest.json"

    /// Path of the manifest in the Meteor dialect.
    static let meteorManifestPath = "/__cordova/manifest.json"

    func answer(_ request: OriginRequest) -> OriginAnswer {
        var answer = content(request)
        answer.set("Date", HTTPDate.text(now))
        if answer.status != 304, answer.status != 204 {
            answer.set("Content-Length", String(answer.body.count))
        }
        return answer
    }

    private func content(_ request: OriginRequest) -> OriginAnswer {
        let setup = library.setup.origin
        let root = setup.ownEdge(of: request.url).map(OriginSetup.root(ofEdge:)) ?? setup.root
        guard request.url.hasPrefix(root) else { return OriginAnswer(status: 404) }
        let rest = String(request.url.dropFirst(root.count))
        let target: RequestTarget
        do {
            target = try RequestTarget(Array((rest.isEmpty ? "/" : rest).utf8))
        } catch {
            return OriginAnswer(status: 400)
        }
        let path = target.route?.text ?? target.path
        switch dialect {
        case .own, .frontend:
            if path == OriginResponder.manifestPath { return manifest(request) }
            if let archived = archived(path) {
                return manifest(archived.publication, archived.bytes, request)
            }
            if path == OriginResponder.manifestPath + "/outcomes" {
                return OriginAnswer(status: request.body.isEmpty ? 405 : 204)
            }
            return plainFile(path, request)
        case .meteor: return meteor(path, target, request)
        }
    }

    // MARK: - Manifests

    private func manifest(_ request: OriginRequest) -> OriginAnswer {
        guard let publication = offer.publication else { return OriginAnswer(status: 204) }
        return manifest(publication, offer.manifest, request)
    }

    private func archived(_ path: String) -> Origin.ArchivedManifest? {
        guard path.hasPrefix("/ota/") else { return nil }
        return offer.archive.first { $0.name == path.dropFirst("/ota/".count) }
    }

    private func manifest(
        _ publication: Origin.Publication, _ bytes: [UInt8], _ request: OriginRequest
    ) -> OriginAnswer {
        var answer = OriginAnswer(status: 200)
        answer.body = AnswerBody(bytes)
        if isOutside(publication, request) {
            answer.withheldSerial = publication.serial
        } else {
            answer.offered = publication.version.map { library.versions[$0].id }
            answer.serial = publication.serial
            if dialect == .frontend { answer.date = publication.date }
        }
        let setup = library.setup
        let isPlain = publication.signing.signers.isEmpty
        if setup.isSigning || !isPlain {
            answer.signature = ManifestSigner(setup: setup).summary(
                publication.signing, hashesAll: setup.app.hasHashes && dialect != .meteor, at: now)
        }
        answer.set(
            "Content-Type", isPlain ? "application/json; charset=utf-8" : "application/octet-stream")
        if dialect == .meteor {
            if let id = answer.offered { answer.set("ETag", "\"\(id)\"") }
        } else {
            answer.set("ETag", EntityTag(tag(of: bytes)).text)
            answer.set("Cache-Control", "no-cache")
            if isTargeting { answer.set("Vary", Audience.vary) }
        }
        return conditional(answer, request)
    }

    /// Whether the device that asks is outside the share that the publication is for: SHA-256 of salt, zero
    /// byte and device, its first eight bytes modulo the whole.
    private func isOutside(_ publication: Origin.Publication, _ request: OriginRequest) -> Bool {
        guard let audience = publication.audience, let share = audience.share,
            let version = publication.version
        else { return false }
        let salt = audience.salt ?? library.versions[version].id
        let device = request.fields["OTA-Device"] ?? ""
        let hash = SHA256.hash(of: Array("\(salt)\0\(device)".utf8)).hex.prefix(16)
        let position = UInt64(hash, radix: 16) ?? 0
        return position % UInt64(audience.of ?? Audience.standardOf) >= UInt64(share)
    }

    private func tag(of bytes: [UInt8]) -> String {
        Hex.text(KeyedHash.hash(of: bytes, key: KeyedHash.Key(low: 1, high: 2)))
    }

    // MARK: - Files

    private func plainFile(_ path: String, _ request: OriginRequest) -> OriginAnswer {
        var routes = [path]
        // An asset's URL is relative to the manifest's.
        if path.hasPrefix("/ota/") { routes.append(String(path.dropFirst("/ota".count))) }
        for route in routes {
            if let found = find(route) { return file(found, route, request) }
        }
        if let found = content(path) { return file(found, found.route, request) }
        guard servesIndexForUnknown, let index = index() else { return OriginAnswer(status: 404) }
        return file(index, "", request)
    }

    private func find(_ route: String) -> BuiltFile? {
        for layer in offer.layers {
            if let file = library.versions[layer].file(route), !file.isUnlisted { return file }
        }
        return nil
    }

    /// The file whose hash is the name in the content folder beside the manifest.
    private func content(_ path: String) -> BuiltFile? {
        let folder = "/ota/" + ManifestWriter.contentFolder
        guard path.hasPrefix(folder) else { return nil }
        let hash = path.dropFirst(folder.count)
        for layer in offer.layers {
            let found = library.versions[layer].files.first {
                !$0.isUnlisted && library.hash(of: $0) == hash
            }
            if let found { return found }
        }
        return nil
    }

    private func index() -> BuiltFile? {
        guard let first = offer.layers.first else { return nil }
        return library.versions[first].file(library.versions[first].index)
    }

    private func file(_ file: BuiltFile, _ route: String, _ request: OriginRequest) -> OriginAnswer {
        var answer = OriginAnswer(status: 200)
        answer.body = AnswerBody(library.content(of: file))
        answer.contentOf = library.versions(withContentOf: file, atRoute: route)
        answer.set("Content-Type", file.type ?? ContentTypes.type(ofName: file.route))
        answer.set("ETag", "\"\(library.hash(of: file))\"")
        answer.set("Accept-Ranges", "bytes")
        answer.set("Cache-Control", file.isImmutable ? "max-age=31536000, immutable" : "no-cache")
        return ranged(conditional(answer, request), request)
    }

    // MARK: - Meteor

    /// One prefix `/__cordova` is removed; the lookup of files tries the path with and without it.
    private func meteor(_ path: String, _ target: RequestTarget, _ request: OriginRequest) -> OriginAnswer {
        let prefix = "/__cordova"
        let isCordova = path == prefix || path.hasPrefix(prefix + "/")
        let stripped = isCordova ? String(path.dropFirst(prefix.count)) : path
        // It is one of the server's own static files, so that it is found under the stripped path too.
        if [path, stripped].contains(OriginResponder.meteorManifestPath) { return manifest(request) }
        for route in [path, stripped] {
            if let found = find(route) { return meteorFile(found, route, request) }
        }
        if target.queryValue("meteor_dont_serve_index") != nil
            || target.queryValue("meteor_js_resource") != nil
            || ["/favicon.ico", "/robots.txt", "/app.manifest"].contains(stripped)
        {
            var missing = OriginAnswer(status: 404)
            missing.set("Cache-Control", "no-cache")
            return missing
        }
        guard let index = index() else { return OriginAnswer(status: 204) }
        var answer = OriginAnswer(status: 200)
        answer.body = AnswerBody(library.content(of: index))
        answer.contentOf = library.versions(withContentOf: index, atRoute: "/")
        answer.set("Content-Type", "text/html; charset=utf-8")
        return answer
    }

    private func meteorFile(_ file: BuiltFile, _ route: String, _ request: OriginRequest) -> OriginAnswer {
        var answer = OriginAnswer(status: 200)
        answer.body = AnswerBody(library.content(of: file))
        answer.contentOf = library.versions(withContentOf: file, atRoute: route)
        let type: String =
            switch ContentGenerator.kind(ofRoute: file.route) {
            case .script: "application/javascript; charset=UTF-8"
            case .style: "text/css; charset=UTF-8"
            case .json: "application/json; charset=UTF-8"
            case .page, .plain, .binary: file.type ?? ContentTypes.type(ofName: file.route)
            }
        answer.set("Content-Type", type)
        let hash = library.hash(of: file)
        let isMap = file.route.hasSuffix(".map")
        answer.set("ETag", isMap ? "W/\"\(file.size)-\(hash.prefix(8))\"" : "\"\(hash)\"")
        answer.set("Cache-Control", file.isHashed ? "public, max-age=31536000" : "public, max-age=0")
        answer.set("Accept-Ranges", "bytes")
        if let map = file.sourceMap { answer.set("X-SourceMap", map) }
        return ranged(conditional(answer, request), request)
    }

    // MARK: - Conditions and ranges

    private func conditional(_ answer: OriginAnswer, _ request: OriginRequest) -> OriginAnswer {
        guard let list = EntityTagList(request.fields, "If-None-Match"),
            let tag = answer.field("ETag").flatMap({ EntityTag(parsing: $0) }), list.containsWeakly(tag)
        else { return answer }
        var unchanged = OriginAnswer(status: 304)
        unchanged.offered = answer.offered
        unchanged.serial = answer.serial
        unchanged.date = answer.date
        unchanged.withheldSerial = answer.withheldSerial
        unchanged.set("ETag", tag.text)
        return unchanged
    }

    private func ranged(_ answer: OriginAnswer, _ request: OriginRequest) -> OriginAnswer {
        let fields = request.fields
        guard answer.status == 200, let range = fields["Range"] else { return answer }
        if let condition = fields["If-Range"] {
            guard let wanted = EntityTag(parsing: condition),
                let tag = answer.field("ETag").flatMap({ EntityTag(parsing: $0) }),
                tag.matchesStrongly(wanted)
            else { return answer }
        }
        let size = answer.body.count
        switch RangeRequest(range, size: size) {
        case .ignored, .several: return answer
        case .one(let one):
            var part = answer
            part.status = 206
            part.body = answer.body.part(one.first..<one.last + 1)
            part.set("Content-Range", one.contentRange(of: size))
            return part
        case .unsatisfiable:
            var refused = OriginAnswer(status: 416)
            refused.set("Content-Range", ByteRange.unsatisfied(size: size))
            return refused
        }
    }
}

extension ManifestDialect {
    /// Path at which the world's origin serves a manifest of this format.
    package var originPath: String {
        self == .meteor ? OriginResponder.meteorManifestPath : OriginResponder.manifestPath
    }
}
