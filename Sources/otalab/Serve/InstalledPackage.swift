import Core
import DevelopmentHost
import Foundation
import Updater

/// Installs an app package into the state folder, as a store installs it on a phone: a copy, replaced as a
/// whole.
///
/// ```
/// package/manifest.json     the embedded version's manifest
/// package/web/…             its files
/// package/www/…             files of bridge and plugins, which belong to no version
/// ```
///
/// The folder given may hold a manifest of the app's dialect (`manifest.json`, Meteor: `program.json`); every
/// file is held against it then. A web build without one gets a manifest of the own dialect, with serial 0
/// and an id that names its content, so that the same build is the same version again.
///
/// What can go wrong is a ``UsageError``: no folder, no index, a manifest that the updater would refuse, a
/// file that is missing or other than its row says.
struct InstalledPackage {
    /// Nil: none.
    private(set) var source: EmbeddedSource?
    private(set) var table: VersionTable?
    private var manifest: [UInt8] = []
    private var files: [File] = []
    private var plugins: [File] = []

    private typealias File = FolderFiles.File

    /// What is to be installed; nothing is written yet.
    /// - Parameters:
    ///   - folder: nil: an app that ships no version.
    ///   - www: further files for `www`; nil: the page side's own alone.
    init(_ folder: String?, www: String?, app: String?, dialect: ManifestDialect) throws {
        plugins = BrowserPageSide.files.map { File(path: $0.name, bytes: Array($0.text.utf8)) }
        // What the app itself brings wins over the page side's own.
        if let www { plugins += try FolderFiles.read(www, "--www") }
        guard let folder else { return }
        files = try FolderFiles.read(folder, "--package")
        let (manifest, used) = try InstalledPackage.manifest(of: files, in: folder, app, dialect)
        table = try InstalledPackage.checked(manifest, used, files, folder)
        self.manifest = manifest
        source = EmbeddedSource(
            dialect: used, manifest: DiskPath(.package, "manifest.json"), root: DiskPath(.package, "web"))
    }

    /// - Parameter target: the package's folder, which is emptied first.
    func install(at target: URL) throws {
        let manager = FileManager.default
        if manager.fileExists(atPath: target.path) { try manager.removeItem(at: target) }
        for folder in ["web", "www"] {
            try manager.createDirectory(
                at: target.appendingPathComponent(folder), withIntermediateDirectories: true)
        }
        for file in plugins {
            try file.write(below: target.appendingPathComponent("www"))
        }
        guard source != nil else { return }
        for file in files { try file.write(below: target.appendingPathComponent("web")) }
        try Data(manifest).write(to: target.appendingPathComponent("manifest.json"))
    }

    // MARK: - Manifests

    private static func manifest(
        of files: [File], in folder: String, _ app: String?, _ dialect: ManifestDialect
    ) throws -> ([UInt8], ManifestDialect) {
        let name = dialect == .meteor ? "program.json" : "manifest.json"
        // A web app's own manifest.json (icons, colours) is a file like any other.
        let key =
            switch dialect {
            case .own: "format"
            case .frontend: "commit"
            case .meteor: "manifest"
            }
        if let file = files.first(where: { $0.path == name }), Member.stands(key, in: file.bytes) {
            return (file.bytes, dialect)
        }
        guard dialect != .meteor else {
            throw UsageError(
                message: "there is no program.json in '\(folder)'",
                help: "name the folder www/application of the Cordova build with --package")
        }
        guard files.contains(where: { $0.path == "index.html" }) else {
            throw UsageError(
                message: "there is no index.html in '\(folder)'",
                help: "name the folder of a web build with --package, or one with a \(name) of the updater's")
        }
        return (made(files, app ?? ""), .own)
    }

    /// A manifest of the own dialect, equal for equal files.
    private static func made(_ files: [File], _ app: String) -> [UInt8] {
        var whole = SHA256()
        let rows = files.map { file in
            let hash = SHA256.hash(of: file.bytes).hex
            whole.update(Array("\(file.path)\0\(hash)\n".utf8))
            return (route: "/" + file.path, size: file.bytes.count, hash: hash)
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("format", "otalab-manifest-1")
        json.member("app", app)
        json.member("version", "package-" + whole.finish().hex.prefix(12))
        json.member("serial", 0)
        json.member("index", "/index.html")
        json.key("files")
        json.beginArray()
        for row in rows {
            json.beginObject()
            json.member("route", row.route)
            json.member("size", row.size)
            json.member("sha256", row.hash)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// The updater's own reader has the last word; then every row is held against its file.
    private static func checked(
        _ manifest: [UInt8], _ dialect: ManifestDialect, _ files: [File], _ folder: String
    ) throws -> VersionTable {
        let table: VersionTable
        do {
            table = try ManifestReader(dialect: dialect).read(manifest)
        } catch {
            throw UsageError(
                message:
                    "the manifest of '\(folder)' would be refused: \(error.cause.rawValue) \(error.detail)",
                help: "build the package anew; 'otalab lint --release \(folder)' tells more")
        }
        for row in table.rows where !row.isOptional {
            guard let file = files.first(where: { $0.path == row.packagePath }) else {
                throw UsageError(
                    message: "'\(row.packagePath)' stands in the manifest of '\(folder)' and is not there",
                    help: "build the package anew")
            }
            let differs =
                switch row.hash {
                case .sha256(let digest): SHA256.hash(of: file.bytes) != digest
                case .sha1(let digest): SHA1.hash(of: file.bytes) != digest
                case .none: row.size.map { $0 != file.bytes.count } ?? false
                }
            guard !differs else {
                throw UsageError(
                    message: "'\(row.packagePath)' in '\(folder)' is not what its manifest says",
                    help: "build the package anew")
            }
        }
        return table
    }
}

/// Looks into JSON without insisting on it.
private enum Member {
    static func stands(_ key: String, in bytes: [UInt8]) -> Bool {
        do { return try JSONReader.read(bytes, dialect: .strict)[key] != nil } catch { return false }
    }
}
