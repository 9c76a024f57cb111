import Core

/// Reads a manifest of any dialect into the common model, in bounded steps: a manifest has up to 4 MiB and
/// 20,000 assets, and pages must not wait for it (S9).
///
/// Guarantees: returns a complete table with valid, unique, sorted routes and sizes within the limits, or
/// throws a ``ManifestRefusal`` with a distinct cause. No text of it becomes a path on disk. Unknown fields
/// are ignored; the caller keeps the bytes. Deliberately not here: whether the version fits this device and
/// may be accepted (`Updater+Offers.swift`).
///
/// What the last step does at once is linear in the number of assets, with a small factor: it sorts their
/// routes if the manifest has not, and compares their paths.
struct ManifestReading: Sendable {
    /// What is left to do.
    private enum Stage: Sendable {
        case text
        case files(any DialectManifest)
        case digest(any DialectManifest)
    }

    private let dialect: ManifestDialect
    private let limits: UpdaterLimits
    private let byteCount: Int
    private var stage = Stage.text
    private var text: JSONDocumentReading
    private var files: ManifestFiles?
    private var list = AssetList()
    private var assets: [Asset] = []
    private var digest = ContentDigest(id: "")
    private let isSigned: Bool
    /// What it says about signatures (U16), once the last step has returned; nil if it is not signed.
    private(set) var terms: SigningTerms?

    init(_ bytes: [UInt8], dialect: ManifestDialect, limits: UpdaterLimits, isSigned: Bool = false) {
        self.isSigned = isSigned
        self.dialect = dialect
        self.limits = limits
        byteCount = bytes.count
        var jsonLimits = JSONLimits()
        jsonLimits.maxBytes = limits.manifestBytes
        text = JSONDocumentReading(bytes, limits: jsonLimits)
    }

    /// Reads on until about this many bytes have been parsed, converted and hashed.
    /// - Returns: nil while something is left to do.
    mutating func step(_ byteCount: Int) throws(ManifestRefusal) -> VersionTable? {
        var left = byteCount
        while left > 0 {
            switch stage {
            case .text: left -= try readText(left)
            case .files(let manifest): left -= try readFiles(of: manifest, left)
            case .digest(let manifest):
                left -= digest.add(assets, atMost: left)
                if digest.isComplete(assets) { return try table(of: manifest) }
            }
        }
        return nil
    }

    /// - Returns: the bytes that were read.
    private mutating func readText(_ count: Int) throws(ManifestRefusal) -> Int {
        guard byteCount <= limits.manifestBytes else {
            throw ManifestRefusal(.manifestTooLarge, "bytes=\(byteCount) limit=\(limits.manifestBytes)")
        }
        let left = text.bytesLeft
        let document: JSONDocument?
        do {
            document = try text.step(count)
        } catch {
            throw ManifestRefusal(.manifestUnreadable, "byte=\(error.span.start) \(error.message)")
        }
        guard let document else { return count }
        let root = try ManifestNode(document.root)
        let manifest = try dialect.manifest(root)
        if isSigned { terms = try SigningTerms(root) }
        files = try root.files(manifest.filesKey)
        stage = .files(manifest)
        return left
    }

    /// Reads files of the list.
    /// - Returns: the bytes that they have in the text.
    private mutating func readFiles(of manifest: some DialectManifest, _ count: Int) throws(ManifestRefusal)
        -> Int
    {
        var used = 0
        while used < count {
            guard let (file, size) = try files?.next() else {
                manifest.addUnlisted(to: &list)
                assets = try list.sorted(mergesDuplicates: manifest.mergesDuplicates)
                list = AssetList()
                digest = ContentDigest(id: manifest.id)
                stage = .digest(manifest)
                return used
            }
            try manifest.add(file, to: &list)
            used += size
        }
        return used
    }

    private func table(of manifest: some DialectManifest) throws(ManifestRefusal) -> VersionTable {
        let key = VersionKey(id: manifest.id, digest: digest.digest)
        let table = VersionTable(
            key: key, dialect: dialect, assets: assets, index: try manifest.index(of: assets),
            metadata: manifest.metadata)
        try checkSizes(table)
        try PathClash.check(table.assets)
        return table
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

/// What distinguishes the manifests of one dialect. Created from all fields but the list of files, whose
/// entries are added one by one.
protocol DialectManifest: Sendable {
    init(_ root: ManifestNode) throws(ManifestRefusal)

    var id: String { get }
    var metadata: ManifestMetadata { get }
    /// Name of the list of files.
    var filesKey: StaticString { get }
    /// Whether one file may be listed twice.
    var mergesDuplicates: Bool { get }

    func add(_ file: ManifestNode, to list: inout AssetList) throws(ManifestRefusal)
    /// Adds files that belong to each version of this dialect and are not listed.
    func addUnlisted(to list: inout AssetList)
    /// Route of the asset that answers navigations.
    func index(of assets: [Asset]) throws(ManifestRefusal) -> String
}

extension DialectManifest {
    var filesKey: StaticString { "files" }
    var mergesDuplicates: Bool { false }
    func addUnlisted(to list: inout AssetList) {}
}

extension ManifestDialect {
    fileprivate func manifest(_ root: ManifestNode) throws(ManifestRefusal) -> any DialectManifest {
        switch self {
        case .own: try OwnManifest(root)
        case .frontend: try FrontendManifest(root)
        case .meteor: try MeteorManifest(root)
        }
    }
}

/// The entries of a manifest's list of files, in order.
struct ManifestFiles: Sendable {
    private let path: String
    private var entries: JSONElements
    private var nextIndex = 0

    init(_ entries: JSONElements, path: String) {
        self.entries = entries
        self.path = path
    }

    /// The next entry, and its length in the manifest's text.
    mutating func next() throws(ManifestRefusal) -> (file: ManifestNode, size: Int)? {
        guard let entry = entries.next() else { return nil }
        defer { nextIndex += 1 }
        // A text without locations counts all the same.
        return (try ManifestNode(entry, in: path, index: nextIndex), max(entry.byteRange.count, 64))
    }
}
