import Core
import Foundation
import ModuleTestSupport
import Testing

@testable import DeviceShell

/// Behaviour that only a real file system has; the tests of the world compare the meaning of the calls with
/// the simulated disk.
@Suite("The disk of a real device")
struct PosixDiskTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("otalab-posix-\(UUID().uuidString)", isDirectory: true)
        for name in ["data", "package"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        defer { do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) } }
        try body(folder)
    }

    private func disk(_ folder: URL) throws -> PosixDisk {
        try PosixDisk(
            data: folder.appendingPathComponent("data").path,
            package: folder.appendingPathComponent("package").path)
    }

    private func path(_ text: String) -> DiskPath { DiskPath(.data, text) }

    @Test("Free space is a number, whatever a file system reports of blocks and their size")
    func freeSpace() {
        func free(_ blocks: UInt64, _ size: UInt64) -> UntrustedInteger {
            var info = statvfs()
            info.f_bavail = .init(truncatingIfNeeded: blocks)
            info.f_frsize = .init(truncatingIfNeeded: size)
            return SystemCalls.freeBytes(info)
        }
        #expect(free(3, 4_096) == 12_288)
        for number: UInt64 in [1 << 53, UInt64(Int64.max), .max] {
            #expect(free(number, .max) == .largest && free(.max, number) == .largest)
            #expect(free(number, 0) == 0)
        }
        for blocks in HostileNumber.integers {
            for size in HostileNumber.integers {
                #expect(free(UInt64(bitPattern: blocks), UInt64(bitPattern: size)) >= .zero)
            }
        }
    }

    @Test(
        "A wait and a budget of descriptors, whatever the time and the limit",
        arguments: HostileNumber.integers)
    func waits(number: Int64) throws {
        // Something is ready, so that the longest wait ends at once.
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.watch(wakeUp.readEnd, .reads)
        wakeUp.signal()
        #expect(try poller.wait(TimeSpan(microseconds: max(number, 1))).count == 1)
        let budget = FileDescriptorBudget(limit: Int(clamping: number))
        #expect(budget.connections >= 4 && budget.lingering >= 2)
        let available = max(Int128(number) - 48, 0)
        #expect(Int128(budget.connections) == max(available * 2 / 3, 4))
    }

    @Test("What one disk wrote and synced the next one reads")
    func roundTrip() throws {
        try inFolder { folder in
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            do {
                let disk = try disk(folder)
                try disk.makeDirectory(path("store"))
                let file = try disk.open(path("store/a"), .create)
                #expect(disk.descriptor(of: file) != nil)
                var written = 0
                while written < bytes.count {
                    written += try disk.write(file, bytes[written...], at: written)
                }
                try disk.sync(file)
                try disk.close(file)
                #expect(disk.descriptor(of: file) == nil)
                try disk.syncDirectory(path("store"))
                try disk.syncDirectory(path(""))
            }
            let disk = try disk(folder)
            #expect(try disk.status(path("store/a")) == FileStatus(kind: .file, size: bytes.count))
            let file = try disk.open(path("store/a"), .read)
            #expect(try disk.read(file, at: 0, count: .max) == bytes)
            #expect(try disk.read(file, at: 99_000, count: 4_000) == Array(bytes[99_000...]))
        }
    }

    @Test("A read that the system refuses is a failure, not a shorter file")
    func failedRead() throws {
        try inFolder { folder in
            let disk = try disk(folder)
            let file = try disk.open(path("a"), .create)
            #expect(try disk.write(file, [1, 2, 3][...], at: 0) == 3)
            // The same file under the same number, but open for writing only.
            let other = open(folder.appendingPathComponent("data/a").path, O_WRONLY | O_CLOEXEC)
            let descriptor = try #require(disk.descriptor(of: file))
            try #require(dup2(other, descriptor) == descriptor)
            close(other)
            #expect(throws: DiskError(.badHandle, .read)) { try disk.read(file, at: 0, count: 3) }
            #expect(try disk.read(file, at: 3, count: 3) == [])
        }
    }

    @Test("Names are relative to the folder: what was stored is found where the system has moved it to")
    func moved() throws {
        try inFolder { folder in
            do {
                let disk = try disk(folder)
                try disk.makeDirectory(path("store"))
                let file = try disk.open(path("store/a"), .create)
                #expect(try disk.write(file, [1, 2, 3][...], at: 0) == 3)
                try disk.close(file)
            }
            let container = folder.appendingPathComponent("another container")
            try FileManager.default.createDirectory(at: container, withIntermediateDirectories: false)
            for name in ["data", "package"] {
                try FileManager.default.moveItem(
                    at: folder.appendingPathComponent(name), to: container.appendingPathComponent(name))
            }
            let disk = try disk(container)
            let file = try disk.open(path("store/a"), .read)
            #expect(try disk.read(file, at: 0, count: .max) == [1, 2, 3])
        }
    }

    @Test("A lock excludes a second disk on the same folder, until it is closed or its disk is gone")
    func lock() throws {
        try inFolder { folder in
            let second = try disk(folder)
            do {
                let first = try disk(folder)
                let held = try first.lock(path("LOCK"))
                #expect(throws: DiskError(.locked, .lock, path("LOCK"))) { try second.lock(path("LOCK")) }
                try first.close(held)
                try second.close(try second.lock(path("LOCK")))
                _ = try first.lock(path("LOCK"))
            }
            _ = try second.lock(path("LOCK"))
        }
    }

    @Test("A symlink is never followed, and is not a file (HT-F5)")
    func symlinks() throws {
        try inFolder { folder in
            let outside = folder.appendingPathComponent("outside")
            try Data([1, 2, 3]).write(to: outside)
            try FileManager.default.createSymbolicLink(
                at: folder.appendingPathComponent("data/link"), withDestinationURL: outside)
            let disk = try disk(folder)
            #expect(try disk.status(path("link")).kind == .other)
            for mode in [OpenMode.read, .update] {
                #expect(throws: DiskError(.other, .open, path("link"))) { try disk.open(path("link"), mode) }
            }
            #expect(throws: DiskError(.exists, .open, path("link"))) { try disk.open(path("link"), .create) }
            #expect(throws: DiskError(.other, .lock, path("link"))) { try disk.lock(path("link")) }
            try disk.remove(path("link"))
            #expect(try Data(contentsOf: outside) == Data([1, 2, 3]))
        }
    }

    @Test("A pipe is no file, and opening it does not wait for its other end")
    func pipe() throws {
        try inFolder { folder in
            try #require(mkfifo(folder.appendingPathComponent("data/pipe").path, 0o600) == 0)
            let disk = try disk(folder)
            #expect(throws: DiskError(.invalid, .open, path("pipe"))) { try disk.open(path("pipe"), .update) }
            #expect(throws: DiskError(.invalid, .open, path("pipe"))) { try disk.open(path("pipe"), .read) }
        }
    }

    @Test(
        "No path leads out of its volume",
        arguments: ["..", "../outside", "a/../../outside", "/etc/hostname", "a//b", "./a", "a/", "a\0b"])
    func confinement(text: String) throws {
        try inFolder { folder in
            let disk = try disk(folder)
            try disk.makeDirectory(path("a"))
            let bad = path(text)
            #expect(throws: DiskError(.invalid, .open, bad)) { try disk.open(bad, .read) }
            #expect(throws: DiskError(.invalid, .open, bad)) { try disk.open(bad, .create) }
            #expect(throws: DiskError(.invalid, .status, bad)) { try disk.status(bad) }
            #expect(throws: DiskError(.invalid, .list, bad)) { try disk.list(bad) }
            #expect(throws: DiskError(.invalid, .makeDirectory, bad)) { try disk.makeDirectory(bad) }
            #expect(throws: DiskError(.invalid, .remove, bad)) { try disk.remove(bad) }
            #expect(throws: DiskError(.invalid, .rename, path("a"))) { try disk.rename(path("a"), to: bad) }
        }
    }

    @Test("The package is read-only even if its folder is writable")
    func package() throws {
        try inFolder { folder in
            try Data([1, 2]).write(to: folder.appendingPathComponent("package/index.html"))
            let disk = try disk(folder)
            let index = DiskPath(.package, "index.html")
            let file = try disk.open(index, .read)
            #expect(try disk.read(file, at: 0, count: 9) == [1, 2])
            #expect(throws: DiskError(.badHandle, .write)) { try disk.write(file, [1], at: 0) }
            #expect(throws: DiskError(.readOnly, .open, index)) { try disk.open(index, .update) }
            #expect(throws: DiskError(.readOnly, .remove, index)) { try disk.remove(index) }
            #expect(throws: DiskError(.crossDevice, .rename, index)) { try disk.rename(index, to: path("x")) }
            #expect(try disk.freeSpace(.package) == 0)
            #expect(try disk.freeSpace(.data) > 0)
        }
    }

    @Test("A volume whose folder does not exist is refused; a disk without a package has an empty one")
    func roots() throws {
        try inFolder { folder in
            let missing = folder.appendingPathComponent("none").path
            #expect(throws: DiskError(.notFound, .open, path(""))) { try PosixDisk(data: missing) }
            let data = folder.appendingPathComponent("data").path
            #expect(throws: DiskError(.notFound, .open, DiskPath(.package, ""))) {
                try PosixDisk(data: data, package: missing)
            }
            let disk = try PosixDisk(data: data)
            let index = DiskPath(.package, "index.html")
            #expect(throws: DiskError(.notFound, .open, index)) { try disk.open(index, .read) }
        }
    }

    @Test("Descriptors are closed with the disk, and on every failed open")
    func descriptors() throws {
        #if os(Linux)
            try inFolder { folder in
                do {
                    let disk = try disk(folder)
                    try disk.makeDirectory(path("d"))
                    let before = try OpenDescriptors.count(folder)
                    #expect(before == 2)
                    for _ in 0..<10 {
                        #expect(throws: DiskError.self) { try disk.open(path("d"), .read) }
                        #expect(throws: DiskError.self) { try disk.list(path("none")) }
                        _ = try disk.list(path("d"))
                        try disk.syncDirectory(path("d"))
                    }
                    _ = try disk.lock(path("LOCK"))
                    #expect(throws: DiskError.self) { try disk.lock(path("LOCK")) }
                    #expect(try OpenDescriptors.count(folder) == before + 1)
                }
                #expect(try OpenDescriptors.count(folder) == 0)
            }
        #endif
    }
}

@Suite("The monotonic clock")
struct MonotonicClockTests {
    @Test("Time never goes back, and advances")
    func goesOn() {
        let clock = MonotonicClock()
        let start = clock.now
        var last = start
        while last == start {
            let now = clock.now
            #expect(now >= last)
            last = now
        }
        #expect(last > start)
    }
}
