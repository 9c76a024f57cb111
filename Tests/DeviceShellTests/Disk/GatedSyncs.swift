import Core
import Foundation
import Synchronization

@testable import DeviceShell

/// Storage that performs a sync when a test permits it, and records those that have begun.
final class GatedSyncs: Sendable {
    private let permits = DispatchSemaphore(value: 0)
    private let state = Mutex<[String]>([])

    /// Directories whose sync has begun; empty texts for files.
    var begun: [String] { state.withLock { $0 } }

    func permit(_ count: Int = 1) { for _ in 0..<count { permits.signal() } }

    func perform(_ sync: PendingSync) -> DiskError? {
        state.withLock { $0.append(sync.path?.text ?? "") }
        permits.wait()
        return sync.perform()
    }

    /// Waits until a condition holds, for at most 5 s.
    /// - Returns: whether it does.
    static func wait(_ isMet: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<5_000 {
            if try isMet() { return true }
            usleep(1_000)
        }
        return false
    }
}

/// A disk in a temporary folder, with some directories.
final class SyncFolder {
    let url: URL
    let disk: PosixDisk

    init(_ directories: [String] = []) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-syncs-\(UUID().uuidString)")
        for name in ["data", "package"] {
            try FileManager.default.createDirectory(
                at: url.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        disk = try SyncFolder.open(url)
        for name in directories { try disk.makeDirectory(DiskPath(.data, name)) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Another disk on the same folders.
    static func open(_ url: URL) throws -> PosixDisk {
        try PosixDisk(
            data: url.appendingPathComponent("data").path, package: url.appendingPathComponent("package").path
        )
    }
}
