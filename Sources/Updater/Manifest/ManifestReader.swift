import Core

/// Reads a manifest of any dialect into the one model (manifests.md).
///
/// Guarantees: a table comes back whole, with valid, unique, sorted routes and sizes within the
/// limits, or a ``ManifestRefusal`` with a cause of its own. Nothing in the text becomes a path on disk.
/// Unknown fields are ignored; the caller keeps the bytes. Deliberately not here: whether the version fits
/// this device and may be taken (``Offer``).
public struct ManifestReader {
    let dialect: ManifestDialect
    let limits: UpdaterLimits

    public init(dialect: ManifestDialect, limits: UpdaterLimits = UpdaterLimits()) {
        self.dialect = dialect
        self.limits = limits
    }

    public func read(_ bytes: [UInt8]) throws(ManifestRefusal) -> VersionTable {
        guard bytes.count <= limits.manifestBytes else {
            throw ManifestRefusal(.manifestTooLarge, "bytes=\(bytes.count) limit=\(limits.manifestBytes)")
        }
        let root = try ManifestNode(parse(bytes))
        let table: VersionTable
        switch dialect {
        case .own: table = try OwnManifest.read(root)
        case .frontend: table = try FrontendManifest.read(root)
        case .meteor: table = try MeteorManifest.read(root)
        }
        try checkSizes(table)
        try PathClash.check(table.rows)
        return table
    }

    private func parse(_ bytes: [UInt8]) throws(ManifestRefusal) -> JSONValue {
        var jsonLimits = JSONLimits()
        jsonLimits.maxBytes = limits.manifestBytes
        do {
            return try JSONDocument.read(bytes, limits: jsonLimits).root
        } catch {
            throw ManifestRefusal(.manifestUnreadable, "byte=\(error.span.start) \(error.message)")
        }
    }

    private func checkSizes(_ table: VersionTable) throws(ManifestRefusal) {
        guard table.rows.count <= limits.rows else {
            throw ManifestRefusal(.manifestTooManyRows, "rows=\(table.rows.count) limit=\(limits.rows)")
        }
        var total = 0
        for place in table.rows.indices {
            guard let size = table.rows[place].size else { continue }
            guard size <= limits.fileBytes else {
                throw ManifestRefusal(
                    .fileTooLarge, "route=\(table.rows[place].route) bytes=\(size) limit=\(limits.fileBytes)")
            }
            // The sum never goes over the limit, whatever limits an app sets.
            guard size <= limits.versionBytes - total else {
                throw ManifestRefusal(.versionTooLarge, "limit=\(limits.versionBytes)")
            }
            total += size
        }
    }
}
