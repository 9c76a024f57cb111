import Core

/// Encodes a version's table in bounded steps: it can have as many bytes as two manifests.
struct TableWriting: Sendable {
    private let assets: [StoredVersion.StoredAsset]
    private let manifestLength: Int
    /// The manifest, then the content of the assets as JSON.
    private var body: [UInt8]
    private var json = JSONWriter()
    private var nextIndex = 0
    private var hash = SHA256()
    /// Bytes of the body in the hash.
    private var hashed = 0

    init(_ version: StoredVersion, manifest: [UInt8]) {
        assets = version.storedAssets
        manifestLength = manifest.count
        body = manifest
        json.beginObject()
        json.member("dialect", version.table.dialect.rawValue)
        json.member("verified", version.verification.rawValue)
        json.key("places")
        json.beginArray()
    }

    /// Writes and hashes about this many bytes.
    /// - Returns: the file once it is complete.
    mutating func step(_ count: Int) -> [UInt8]? {
        var left = count
        while nextIndex < assets.count, left > 0 {
            let before = json.bytes.count
            write(assets[nextIndex])
            nextIndex += 1
            left -= json.bytes.count - before
            guard nextIndex == assets.count else { continue }
            endJSON()
        }
        if assets.isEmpty, body.count == manifestLength { endJSON() }
        guard nextIndex == assets.count else { return nil }
        let end = hashed + min(max(left, 0), body.count - hashed)
        hash.update(body[hashed..<end])
        hashed = end
        guard hashed == body.count else { return nil }
        let head = "\(TableCoding.format) \(manifestLength) \(body.count) \(hash.finish().hex)\n"
        return Array(head.utf8) + body
    }

    private mutating func endJSON() {
        json.endArray()
        json.endObject()
        body += json.bytes
    }

    private mutating func write(_ stored: StoredVersion.StoredAsset) {
        json.beginArray()
        switch stored.location {
        case .blob(let digest):
            json.string("blob")
            json.string(digest.hex)
        case .package(let path):
            json.string("package")
            json.string(path)
        case .absent:
            json.string("absent")
            json.string("")
        }
        json.integer(stored.size)
        if let tag = stored.tag { json.string(tag) }
        json.endArray()
    }
}
