import Core

/// The file `tables/<digest>`: a header line with lengths and checksum, the manifest's bytes as received, and
/// the content of the assets in the manifest's order.
enum TableCoding {
    static let format = "otalab-table-1"

    static func encode(_ version: StoredVersion, manifest: [UInt8]) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("dialect", version.table.dialect.rawValue)
        json.member("verified", version.verification.rawValue)
        json.key("places")
        json.beginArray()
        for stored in version.storedAssets {
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
        json.endArray()
        json.endObject()
        let body = manifest + json.bytes
        let head = "\(format) \(manifest.count) \(body.count) \(SHA256.hash(of: body).hex)\n"
        return Array(head.utf8) + body
    }

    /// Nil if anything is damaged. The checksum covers everything after the header line.
    static func decode(_ bytes: [UInt8], packageRoot: DiskPath?, limits: UpdaterLimits) -> StoredVersion? {
        guard let newline = bytes.prefix(200).firstIndex(of: 0x0a) else { return nil }
        let parts = String(decoding: bytes[..<newline], as: UTF8.self).utf8.split(separator: 0x20)
            .map { String(Substring($0)) }
        let bodyLength = bytes.count - newline - 1
        guard parts.count == 4, parts[0] == format,
            let manifestLength = UntrustedInteger(digits: parts[1].utf8)?.bounded(by: 0...bodyLength),
            UntrustedInteger(digits: parts[2].utf8) == UntrustedInteger(bodyLength),
            let sum = Digest256(hex: parts[3])
        else { return nil }
        let body = Array(bytes[(newline + 1)...])
        guard SHA256.hash(of: body) == sum else { return nil }
        do {
            let node = try JSONDocument.read(Array(body[manifestLength...])).root
            guard let dialect = node["dialect"]?.string.flatMap(ManifestDialect.init(rawValue:)),
                let verified = node["verified"]?.string.flatMap(StoredVersion.Verification.init(rawValue:)),
                let items = node["places"]?.elements
            else { return nil }
            let table = try ManifestReader(dialect: dialect, limits: limits).read(
                Array(body[..<manifestLength]))
            let storedAssets = items.compactMap { storedAsset($0.elements, limits) }
            guard storedAssets.count == table.assets.count, storedAssets.count == items.count else {
                return nil
            }
            return StoredVersion(
                table: table, storedAssets: storedAssets, verification: verified, packageRoot: packageRoot)
        } catch {
            return nil
        }
    }

    private static func storedAsset(_ elements: JSONElements?, _ limits: UpdaterLimits) -> StoredVersion
        .StoredAsset?
    {
        guard var fields = elements, (3...4).contains(fields.count), let kind = fields.next()?.string,
            let value = fields.next(),
            let size = fields.next()?.integer?.bounded(by: 0...max(limits.fileBytes, 0))
        else { return nil }
        switch kind {
        case "blob":
            guard let digest = value.digest else { return nil }
            return StoredVersion.StoredAsset(
                location: .blob(digest), size: size, tag: fields.next()?.string)
        case "package":
            guard let path = value.string else { return nil }
            return StoredVersion.StoredAsset(location: .package(path), size: size)
        case "absent": return StoredVersion.StoredAsset(location: .absent, size: 0)
        default: return nil
        }
    }
}
