import Core
import DeviceShell
import Foundation

/// The folder in which a served app keeps what a phone would keep: the store, the installed package, the
/// port.
///
/// ```
/// app.json     app id and port
/// LOCK         locked while a process serves it
/// data/        the volume of the store
/// package/     the installed package (``InstalledPackage``)
/// ```
///
/// Guarantees: one process at a time (a killed one leaves no lock), and one app for the lifetime of the
/// folder, because another id or port would mean other cookies and other local storage.
final class StateFolder: @unchecked Sendable {
    let folder: URL
    private let isTemporary: Bool
    /// The owner of the lock, which is released when this object is.
    private let lock: PosixDisk
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
            for name in ["data", "package"] {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
            }
            lock = try PosixDisk(data: folder.path)
            _ = try lock.lock(DiskPath(.data, "LOCK"))
        } catch let error as DiskError where error.code == .locked {
            throw UsageError(
                message: "another process serves the state folder '\(folder.relativePath)'",
                help: "stop it, or name another folder with --state")
        } catch {
            throw UsageError(
                message:
                    "the state folder '\(folder.relativePath)' can't be used: \(StateFolder.text(error))",
                help: "name a writable folder with --state")
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

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Removes the folder if it is temporary.
    func removeIfTemporary() {
        guard isTemporary else { return }
        // The system removes what is left of a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    static func text(_ error: any Error) -> String {
        if let error = error as? DiskError { return "\(error)" }
        return (error as NSError).localizedDescription
    }
}
