import Core

/// Reads a manifest of any dialect into the common model.
///
/// Guarantees: returns a complete table with valid, unique, sorted routes and sizes within the limits, or
/// throws a ``ManifestRefusal`` with a distinct cause. No text of it becomes a path on disk. Unknown fields
/// are ignored; the caller keeps the bytes. Deliberately not here: whether the version fits this device and
/// may be accepted (`Updater+Offers.swift`).
package struct ManifestReader {
    let dialect: ManifestDialect
    let limits: UpdaterLimits

    package init(dialect: ManifestDialect, limits: UpdaterLimits = UpdaterLimits()) {
        self.dialect = dialect
        self.limits = limits
    }

    package func read(_ bytes: [UInt8]) throws(ManifestRefusal) -> VersionTable {
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
        try PathClash.check(table.assets)
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
        guard table.assets.count <= limits.assetCount else {
            throw ManifestRefusal(
                .manifestTooManyAssets, "rows=\(table.assets.count) limit=\(limits.assetCount)")
        }
        var total = 0
        for index in table.assets.indices {
            guard let size = table.assets[index].size else { continue }
            guard size <= limits.fileBytes else {
                throw ManifestRefusal(
                    .fileTooLarge,
                    "route=\(table.assets[index].route) bytes=\(size) limit=\(limits.fileBytes)")
            }
            // The sum never exceeds the limit, whatever limits an app sets.
            guard size <= limits.versionBytes - total else {
                throw ManifestRefusal(.versionTooLarge, "limit=\(limits.versionBytes)")
            }
            total += size
        }
    }
}
