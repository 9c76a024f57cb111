import Core
import Foundation
import OTAHost

/// The folder in which a served app keeps what a phone would keep: the store, the installed package, the
/// port.
///
/// An app's ``StateFolder``, and `app.json` with the app's id and port.
///
/// Guarantees: one process at a time, and one app for the lifetime of the folder, because another id or port
/// would mean other cookies and other local storage.
final class ServedFolder {
    let folder: URL
    private let isTemporary: Bool
    let state: StateFolder
    private(set) var app: String?
    private(set) var port: UInt16?

    /// - Parameter path: nil for a temporary folder that is removed on a normal exit.
    init(_ path: String?) throws(UsageError) {
        isTemporary = path == nil
        folder =
            path.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory.appendingPathComponent(
                "otalab-app-\(UUID().uuidString)")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder), !isFolder.boolValue {
            throw UsageError(
                message: "the state folder '\(folder.relativePath)' is a file",
                help: "name a folder with --state; it is created if it does not exist")
        }
        do {
            state = try StateFolder(folder.path)
        } catch {
            throw ServedFolder.usageError(error, folder.relativePath)
        }
        try read()
    }

    private func read() throws(UsageError) {
        let file = folder.appendingPathComponent("app.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        do {
            let node = try JSONReader.read(Array(try Data(contentsOf: file)), dialect: .strict)
            app = node["app"]?.string
            port = node["port"]?.integer.flatMap { UInt16(exactly: $0) }
        } catch {
            throw UsageError(
                message: "'\(file.relativePath)' can't be read: \(error)",
                help: "remove the state folder to start over, or name another one with --state")
        }
    }

    /// Records app and port; throws if the folder belongs to another app.
    func record(app: String, port: UInt16) throws {
        if let known = self.app, known != app {
            throw UsageError(
                message:
                    "the state folder '\(folder.relativePath)' belongs to the app '\(known)', not to '\(app)'",
                help: "name another folder with --state, or serve --app \(known)")
        }
        self.app = app
        self.port = port
        var json = JSONWriter(indent: 2)
        json.beginObject()
        json.member("app", app)
        json.member("port", port)
        json.endObject()
        try Data(json.bytes + [10]).write(to: folder.appendingPathComponent("app.json"), options: .atomic)
    }

    /// Folder of the installed package (``InstalledPackage``).
    var package: String { state.package }

    func usageError(_ error: StartError) -> UsageError {
        ServedFolder.usageError(error, folder.relativePath)
    }

    /// Removes the folder if it is temporary.
    func removeIfTemporary() {
        guard isTemporary else { return }
        // The system removes what is left of a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    /// - Parameter name: the folder as the call names it.
    private static func usageError(_ error: StartError, _ name: String) -> UsageError {
        switch error {
        case .stateFolderInUse:
            UsageError(
                message: "another process serves the state folder '\(name)'",
                help: "stop it, or name another folder with --state")
        case .stateFolder(_, let error):
            UsageError(
                message: "the state folder '\(name)' can't be used: \(error)",
                help: "name a writable folder with --state")
        case .package, .unreadablePackageFile, .noManifest:
            UsageError(message: "\(error)", help: "name a web build with --package")
        case .buildNumber:
            UsageError(message: "\(error)", help: "give one with --native")
        case .loop, .noThread:
            UsageError(message: "\(error)", help: "stop other programs, or raise the limit with ulimit -n")
        }
    }
}
