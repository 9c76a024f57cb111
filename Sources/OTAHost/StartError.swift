import Core
import DeviceShell

/// Why an app can't begin. Nothing has been changed that the next attempt would miss.
public enum StartError: Error, Hashable, Sendable {
    /// The state folder can't be made or opened.
    case stateFolder(String, DiskError)
    /// Another process of the app has the state folder.
    case stateFolderInUse(String)
    /// The package can't be installed or opened.
    case package(String, DiskError)
    /// A file of the package that is being installed can't be read; the reader's reason.
    case unreadablePackageFile(String, String)
    /// The package has no manifest, and the app did not say that it ships no version.
    case noManifest(String)
    /// The build number is not made of numbers and dots.
    case buildNumber(String)
    /// The system has no descriptor or memory left for the loop; its `errno`.
    case loop(Int32)
    /// The system has no thread left.
    case noThread
}

extension StartError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .stateFolder(let path, let error): "the state folder '\(path)' can't be used: \(error)"
        case .stateFolderInUse(let path): "another process of the app has the state folder '\(path)'"
        case .package(let path, let error): "the package '\(path)' can't be used: \(error)"
        case .unreadablePackageFile(let path, let why): "'\(path)' of the package can't be read: \(why)"
        case .noManifest(let path): "there is no '\(path)' in the package"
        case .buildNumber(let text): "the build number can't be '\(text)': it is numbers and dots, as 5.2.1"
        case .loop(let number): "the system has no descriptor or memory left (errno \(number))"
        case .noThread: "the system has no thread left"
        }
    }
}
