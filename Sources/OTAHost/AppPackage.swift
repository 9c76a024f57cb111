import Core
import Updater

/// The content that the store installs with the app: the embedded version, and the files that belong to no
/// version.
///
/// ```
/// manifest.json     the embedded version's manifest
/// web/…             its files
/// www/…             files of bridge and plugins: otalab.js, cordova.js
/// ```
///
/// `otalab publish BUILD --to FOLDER --embed PACKAGE` writes such a folder. It is added to the app as it is
/// (in Xcode as a folder reference), and only read.
public struct AppPackage: Hashable, Sendable {
    /// Path of the package's folder; nil: the app ships nothing.
    public let folder: String?
    /// Nil: the app ships no version, and the first one comes over the air (U7).
    public let embedded: EmbeddedSource?
    /// Folder with files of bridge and plugins, served at the root of every version; nil: none.
    public let www: DiskPath?

    private init(_ folder: String?, _ embedded: EmbeddedSource?, _ www: DiskPath?) {
        self.folder = folder
        self.embedded = embedded
        self.www = www
    }

    /// A folder with the layout above.
    /// - Parameter dialect: format of `manifest.json`.
    public init(_ folder: String, dialect: ManifestDialect = .own) {
        self.init(
            folder,
            EmbeddedSource(
                dialect: dialect, manifest: DiskPath(.package, "manifest.json"),
                root: DiskPath(.package, "web")), DiskPath(.package, "www"))
    }

    /// The folder `www` of a Cordova app made by Meteor, with `application/program.json`.
    public static func cordova(_ folder: String) -> AppPackage {
        let application = DiskPath(.package, "application")
        let embedded = EmbeddedSource(
            dialect: .meteor, manifest: application / "program.json", root: application)
        return AppPackage(folder, embedded, DiskPath(.package, ""))
    }

    /// No version.
    /// - Parameter folder: a package with `www/`; nil: the app ships no files for its pages at all.
    public static func withoutVersion(_ folder: String? = nil) -> AppPackage {
        AppPackage(folder, nil, folder == nil ? nil : DiskPath(.package, "www"))
    }
}
