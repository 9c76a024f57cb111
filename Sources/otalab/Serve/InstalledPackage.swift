import Core
import DevelopmentHost
import Foundation
import Updater

/// Installs an app package into the state folder, as a store installs it on a phone: copies all of it and
/// replaces the previous one.
///
/// ```
/// package/manifest.json     the embedded version's manifest
/// package/web/…             its files
/// package/www/…             files of bridge and plugins, which belong to no version
/// ```
///
/// The folder may have a manifest of the app's dialect (`manifest.json`, Meteor: `program.json`); every file
/// is checked against it then. A web build without one gets a manifest of otalab's dialect with an id made
/// from its content, so that the same build is the same version again. It has no serial: whether what was
/// downloaded for another build is newer can't be known, so none of that survives a changed package (N1).
///
/// Throws ``UsageError``: no folder, no index, a manifest that the updater would refuse, a file that is
/// missing or differs from its manifest entry.
struct InstalledPackage {
    /// The embedded version; nil if the package ships none.
    private(set) var source: EmbeddedSource?
    private(set) var table: VersionTable?
    private var manifest: [UInt8] = []
    private var files: [File] = []
    private var plugins: [File] = []

    private typealias File = FolderFiles.File

    /// Reads and checks the package; writes nothing.
    /// - Parameters:
    ///   - folder: the web build; nil for an app that ships no version.
    ///   - www: a folder with further files for `www`; nil for the built-in ones alone.
    init(_ folder: String?, www: String?, app: String?, dialect: ManifestDialect) throws {
        plugins = BrowserPageSide.files.map { File(path: $0.name, bytes: Array($0.text.utf8)) }
        // Files of the app override the built-in ones.
        if let www { plugins += try InstalledPackage.plugins(www, besides: folder) }
        guard let folder else { return }
        files = try FolderFiles.read(folder, "--package")
        let (manifest, used) = try InstalledPackage.manifest(of: files, in: folder, app, dialect)
        table = try InstalledPackage.checked(manifest, used, files, folder)
        self.manifest = manifest
        source = EmbeddedSource(
            dialect: used, manifest: DiskPath(.package, "manifest.json"), root: DiskPath(.package, "web"))
    }

    /// The files of `--www`. The embedded version may be in a folder of it, as in a Cordova app; its files
    /// are not the plugins'.
    private static func plugins(_ www: String, besides package: String?) throws -> [File] {
        let root = URL(fileURLWithPath: www).standardizedFileURL.path + "/"
        let version = package.map { URL(fileURLWithPath: $0).standardizedFileURL.path + "/" }
        guard let version, version.hasPrefix(root) else { return try FolderFiles.read(www, "--www") }
        let prefix = String(version.dropFirst(root.count))
        return try FolderFiles.read(www, "--www").filter { !$0.path.hasPrefix(prefix) || prefix.isEmpty }
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
        // A web app manifest (icons, colours) has the same name and is an ordinary file.
        let key =
            switch dialect {
            case .own: "format"
            case .frontend: "commit"
            case .meteor: "manifest"
            }
        if let file = files.first(where: { $0.path == name }), JSONKey.isPresent(key, in: file.bytes) {
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
                help: "name the folder of a web build with --package, or one with a \(name) for the updater")
        }
        return (generated(files, app ?? ""), .own)
    }

    /// A manifest of otalab's dialect, equal for equal files.
    private static func generated(_ files: [File], _ app: String) -> [UInt8] {
        var digest = SHA256()
        let assets = files.map { file in
            let hash = SHA256.hash(of: file.bytes).hex
            digest.update(Array("\(file.path)\0\(hash)\n".utf8))
            return (route: "/" + file.path, size: file.bytes.count, hash: hash)
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("format", "otalab-manifest-1")
        json.member("app", app)
        json.member("version", "package-" + digest.finish().hex.prefix(12))
        json.member("index", "/index.html")
        json.key("files")
        json.beginArray()
        for asset in assets {
            json.beginObject()
            json.member("route", asset.route)
            json.member("size", asset.size)
            json.member("sha256", asset.hash)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.bytes
    }

    /// Reads the manifest with the updater's reader, then checks every file against its entry.
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
                help: "rebuild the package; 'otalab lint --release \(folder)' reports all problems")
        }
        for asset in table.assets where !asset.isOptional {
            guard let file = files.first(where: { $0.path == asset.packagePath }) else {
                let isForApp = files.contains { $0.path == "web/" + asset.packagePath }
                throw UsageError(
                    message: "'\(asset.packagePath)' is in the manifest of '\(folder)' but does not exist",
                    help: isForApp
                        ? "this is a package that 'publish --embed' has written for an app; name the web build"
                        : "rebuild the package")
            }
            let differs =
                switch asset.hash {
                case .sha256(let digest): SHA256.hash(of: file.bytes) != digest
                case .sha1(let digest): SHA1.hash(of: file.bytes) != digest
                case .none: asset.size.map { $0 != file.bytes.count } ?? false
                }
            guard !differs else {
                throw UsageError(
                    message: "'\(asset.packagePath)' in '\(folder)' differs from its manifest entry",
                    help: "rebuild the package")
            }
        }
        return table
    }
}

/// A test for a key in bytes that need not be JSON.
private enum JSONKey {
    static func isPresent(_ key: String, in bytes: [UInt8]) -> Bool {
        do { return try JSONReader.read(bytes, dialect: .strict)[key] != nil } catch { return false }
    }
}
