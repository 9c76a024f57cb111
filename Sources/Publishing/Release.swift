import Core
import Updater

/// One publication: the files of a version, for whom they are, and how they are meant.
package struct Release: Hashable, Sendable {
    package var dialect = ReleaseDialect.own
    /// Where the folder is on its host, `/` or `/shop/`: the frontend dialect states paths from the root.
    package var place = "/"
    package var app: String
    /// An id that names these files alone: 1 to 128 visible ASCII characters.
    package var version: String
    /// Counts publications (U8): each has a higher one, also one that goes back to an older version.
    package var serial: Int
    package var created: OriginTime
    package var terms = ReleaseTerms()
    /// Sorted by route.
    package var files: [ReleaseFile]
    package var rollout: Rollout?

    /// The manifest, equal for equal releases.
    package var manifest: [UInt8] {
        var json = JSONWriter(indent: 1)
        json.beginObject()
        switch dialect {
        case .own: writeOwn(to: &json)
        case .frontend: writeFrontend(to: &json)
        }
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private func writeFrontend(to json: inout JSONWriter) {
        json.member("commit", version)
        json.member("date", ISODate.text(created))
        json.key("files")
        json.beginArray()
        for file in files {
            json.beginObject()
            json.member("path", String(Substring((place + "files/" + file.name).utf8.dropFirst())))
            json.member("route", file.route)
            json.member("hash", file.digest.hex)
            json.member("size", file.size)
            json.endObject()
        }
        json.endArray()
    }

    private func writeOwn(to json: inout JSONWriter) {
        json.member("format", "otalab-manifest-1")
        json.member("app", app)
        json.member("version", version)
        json.member("serial", serial)
        if let channel = terms.channel { json.member("channel", channel) }
        json.member("created", ISODate.text(created))
        if terms.native != NativeRange() {
            json.key("native")
            json.beginObject()
            if let minimum = terms.native.minimum { json.member("min", minimum.text) }
            if let below = terms.native.below { json.member("below", below.text) }
            json.endObject()
        }
        if let schema = terms.dataSchema { json.member("dataSchema", schema) }
        if let from = terms.dataSchemaReadableFrom { json.member("dataSchemaReadableFrom", from) }
        json.member("index", "/index.html")
        json.key("files")
        json.beginArray()
        for file in files { file.write(to: &json) }
        json.endArray()
        write(rollout, to: &json)
        if terms.order != .update { json.member("order", terms.order.rawValue) }
        if !terms.recalled.isEmpty { json.member("recalled", terms.recalled) }
        if !terms.unblock.isEmpty { json.member("unblock", terms.unblock) }
        if let expires = terms.expires { json.member("expires", ISODate.text(expires)) }
        write(terms.keys, to: &json)
    }

    private func write(_ keys: [PublicKey], to json: inout JSONWriter) {
        if keys.isEmpty { return }
        json.key("keys")
        json.beginArray()
        for key in keys {
            json.beginObject()
            json.member("id", key.id)
            json.member("algorithm", key.algorithm.rawValue)
            json.member("key", Hex.text(key.bytes))
            json.endObject()
        }
        json.endArray()
    }

    private func write(_ rollout: Rollout?, to json: inout JSONWriter) {
        guard let rollout else { return }
        json.key("rollout")
        json.beginObject()
        json.member("share", rollout.share)
        json.member("of", rollout.of)
        json.member("salt", rollout.salt)
        if let otherwise = rollout.otherwise { json.member("otherwise", otherwise) }
        json.endObject()
    }
}

/// What a publication says besides its files.
package struct ReleaseTerms: Hashable, Sendable {
    /// The channel of the apps that take it; nil: the apps' standard one.
    package var channel: String?
    /// Builds of the app that can run it (U10).
    package var native = NativeRange()
    /// Version of the data that the pages write, and the oldest that they read (R12).
    package var dataSchema: UntrustedInteger?
    package var dataSchemaReadableFrom: UntrustedInteger?
    package var order = ManifestCommand.update
    /// Ids of versions that no device may run (U13).
    package var recalled: [String] = []
    /// Ids of versions that devices take off their blacklists (R5).
    package var unblock: [String] = []
    /// From when on no device takes it any more (U16); of signed releases only.
    package var expires: OriginTime?
    /// Keys that replace the app's once a version of this release has confirmed (U16); of signed releases
    /// only. Empty: they stay.
    package var keys: [PublicKey] = []

    package init() {}
}

/// One file of a release.
package struct ReleaseFile: Hashable, Sendable {
    package var route: String
    package var size: Int
    package var digest: Digest256
    /// Whether a page works without it (U12).
    package var isOptional = false
    package var sourceMap: String?

    var name: String { PublishedFolder.fileName(digest, ofRoute: route) }

    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("route", route)
        json.member("size", size)
        json.member("sha256", digest.hex)
        json.member("url", "files/" + name)
        if isOptional { json.member("optional", true) }
        if let sourceMap { json.member("sourceMap", sourceMap) }
        json.endObject()
    }
}

extension ReleaseFile {
    /// The file as a published manifest lists it; nil where this program did not write that row.
    init?(_ asset: Asset) {
        guard case .sha256(let digest) = asset.hash, let size = asset.size else { return nil }
        self.init(
            route: asset.route, size: size, digest: digest, isOptional: asset.isOptional,
            sourceMap: asset.sourceMap)
    }
}

extension ReleaseTerms {
    /// What the publication before said, as far as it holds until it is taken back: its recalls do (U13), and
    /// the keys that it announced, because a device may miss a release. An order and the entries of a
    /// blacklist that it ended are of one publication.
    init(after metadata: ManifestMetadata, keys: [PublicKey]) {
        self.init()
        self.keys = keys
        channel = metadata.channel
        native = metadata.native
        dataSchema = metadata.dataSchema
        dataSchemaReadableFrom = metadata.dataSchemaReadableFrom
        recalled = metadata.recalled
    }
}
