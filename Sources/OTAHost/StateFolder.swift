import Core
import DeviceShell

/// The folder in which an app keeps what it downloads, and what it knows of it.
///
/// ```
/// LOCK         locked while a process of the app has the folder
/// data/        the volume of the store
/// package/     an installed package, where the platform does not ship it as a folder
/// ```
///
/// **What it promises.** One process at a time: a process that was killed leaves no lock. The folder, and
/// those above it, are made if they are not there.
///
/// It belongs where backups leave it out (M18): on Android into `noBackupFilesDir`, on iOS into Application
/// Support with `isExcludedFromBackup`. A simulator or a test may use any folder.
public final class StateFolder: @unchecked Sendable {
    public let path: String
    /// Owner of the lock, which is released when this object is. Nothing else uses it, so that any thread may
    /// hold this object.
    private let lock: PosixDisk

    /// - Throws: ``StartError/stateFolder(_:_:)``, or ``StartError/stateFolderInUse(_:)``.
    public init(_ path: String) throws(StartError) {
        self.path = path
        do throws(DiskError) {
            for name in [Name.data, Name.package] { try PosixDisk.makeFolders(path + "/" + name) }
            lock = try PosixDisk(data: path)
            _ = try lock.lock(DiskPath(.data, Name.lock))
        } catch {
            throw error.code == .locked ? .stateFolderInUse(path) : .stateFolder(path, error)
        }
    }

    private enum Name {
        static let data = "data"
        static let package = "package"
        static let lock = "LOCK"
    }

    package var data: String { path + "/" + Name.data }

    /// Folder of the installed package (``install(_:build:read:)``).
    public var package: String { path + "/" + Name.package }

    /// Installs a package as files, where the platform ships it in another form: Android keeps an app's
    /// assets inside the APK. An app calls this at each launch; after the first of a build it reads one file.
    ///
    /// Interrupted at any operation, also by a power cut, it begins again at the next launch
    /// (``PackageInstallation``).
    /// - Parameters:
    ///   - files: paths relative to the package, `manifest.json` and `web/index.html` among them.
    ///   - build: what changes whenever the content does, such as the build number.
    ///   - read: the content of one of the files.
    /// - Throws: ``StartError/package(_:_:)`` or ``StartError/unreadablePackageFile(_:_:)``.
    public func install(_ files: [String], build: String, read: (String) throws -> [UInt8])
        throws(StartError)
    {
        var disk: PosixDisk
        do throws(DiskError) {
            disk = try PosixDisk(data: package)
        } catch {
            throw .package(package, error)
        }
        do throws(PackageInstallation.Failure) {
            try PackageInstallation(files, stamp: build).perform(on: &disk, read)
        } catch {
            switch error {
            case .disk(let error): throw .package(package, error)
            case .unreadable(let path, let why): throw .unreadablePackageFile(path, why)
            }
        }
    }
}
