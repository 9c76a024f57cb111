import Core

/// Reads a version's table in bounded steps. The checksum covers everything after the header line.
struct TableReading: Sendable {
    /// What is left to do.
    private enum Stage: Sendable {
        case checksum
        case json
        case storedAssets
        case manifest
    }

    private let bytes: [UInt8]
    private let packageRoot: DiskPath?
    private let limits: UpdaterLimits
    private let header: Header?
    private var stage = Stage.checksum
    private var hash = SHA256()
    /// Bytes in the hash, counted from the begin of the file.
    private var hashed: Int
    private var json: JSONDocumentReading
    private var entries: JSONElements?
    private var verification = StoredVersion.Verification.package
    private var storedAssets: [StoredVersion.StoredAsset] = []
    private var manifest: ManifestReading?

    /// The first line of the file.
    private struct Header: Sendable {
        /// Where the manifest is in the file.
        var manifest: Range<Int>
        var sum: Digest256

        init?(_ bytes: [UInt8]) {
            guard let newline = bytes.prefix(200).firstIndex(of: 0x0a) else { return nil }
            let parts = String(decoding: bytes[..<newline], as: UTF8.self).utf8.split(separator: 0x20)
                .map { String(Substring($0)) }
            let bodyLength = bytes.count - newline - 1
            guard parts.count == 4, parts[0] == TableCoding.format,
                let manifestLength = UntrustedInteger(digits: parts[1].utf8)?.bounded(by: 0...bodyLength),
                UntrustedInteger(digits: parts[2].utf8) == UntrustedInteger(bodyLength),
                let sum = Digest256(hex: parts[3])
            else { return nil }
            manifest = newline + 1..<newline + 1 + manifestLength
            self.sum = sum
        }
    }

    init(_ bytes: [UInt8], packageRoot: DiskPath?, limits: UpdaterLimits) {
        self.bytes = bytes
        self.packageRoot = packageRoot
        self.limits = limits
        header = Header(bytes)
        hashed = header?.manifest.lowerBound ?? 0
        json = JSONDocumentReading(Array(bytes[(header?.manifest.upperBound ?? bytes.count)...]))
    }

    /// Hashes, parses and converts about this many bytes.
    /// - Returns: nil while something is left to do.
    /// - Throws: ``TableDamage`` if any byte of the file is not as it was written.
    mutating func step(_ count: Int) throws(TableDamage) -> StoredVersion? {
        guard let header else { throw TableDamage() }
        var left = count
        while left > 0 {
            switch stage {
            case .checksum: left -= try verify(header.sum, left)
            case .json: left -= try readJSON(header, left)
            case .storedAssets: left -= try readStoredAssets(left)
            case .manifest:
                do {
                    guard let table = try manifest?.step(left) else { return nil }
                    guard storedAssets.count == table.assets.count else { throw TableDamage() }
                    return StoredVersion(
                        table: table, storedAssets: storedAssets, verification: verification,
                        packageRoot: packageRoot)
                } catch {
                    throw TableDamage()
                }
            }
        }
        return nil
    }

    private mutating func verify(_ sum: Digest256, _ count: Int) throws(TableDamage) -> Int {
        let end = hashed + min(count, bytes.count - hashed)
        defer { hashed = end }
        hash.update(bytes[hashed..<end])
        guard end == bytes.count else { return count }
        guard hash.finish() == sum else { throw TableDamage() }
        stage = .json
        return end - hashed
    }

    private mutating func readJSON(_ header: Header, _ count: Int) throws(TableDamage) -> Int {
        let left = json.bytesLeft
        let document: JSONDocument?
        do {
            document = try json.step(count)
        } catch {
            throw TableDamage()
        }
        guard let root = document?.root else { return count }
        guard let dialect = root["dialect"]?.string.flatMap(ManifestDialect.init(rawValue:)),
            let verification = root["verified"]?.string.flatMap(StoredVersion.Verification.init(rawValue:)),
            let entries = root["places"]?.elements
        else { throw TableDamage() }
        self.verification = verification
        self.entries = entries
        manifest = ManifestReading(Array(bytes[header.manifest]), dialect: dialect, limits: limits)
        stage = .storedAssets
        return left
    }

    private mutating func readStoredAssets(_ count: Int) throws(TableDamage) -> Int {
        var used = 0
        while used < count {
            guard let entry = entries?.next() else {
                stage = .manifest
                return used
            }
            guard let stored = storedAsset(entry.elements) else { throw TableDamage() }
            storedAssets.append(stored)
            used += entry.byteRange.count
        }
        return used
    }

    private func storedAsset(_ elements: JSONElements?) -> StoredVersion.StoredAsset? {
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

/// The file of a table is not as it was written.
struct TableDamage: Error {}
