import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Each call of the disk with odd arguments. ``PosixDiskTests`` has what only a real file system does.
@Suite("The calls of the disk of a real device")
struct DiskCallTests {
    private let folder: SyncFolder
    private var disk: PosixDisk { folder.disk }

    init() throws { folder = try SyncFolder(["d"]) }

    private func path(_ text: String) -> DiskPath { DiskPath(.data, text) }

    /// The code and the call of a failure; nil where there was none.
    private func failure(_ body: () throws(DiskError) -> Void) -> String? {
        do throws(DiskError) {
            try body()
            return nil
        } catch {
            return "\(error.code) \(error.call)"
        }
    }

    /// What each call that takes a path comes to.
    private func failures(_ path: DiskPath) -> [String?] {
        [
            failure { () throws(DiskError) in _ = try disk.open(path, .read) },
            failure { () throws(DiskError) in _ = try disk.open(path, .update) },
            failure { () throws(DiskError) in _ = try disk.open(path, .create) },
            failure { () throws(DiskError) in _ = try disk.lock(path) },
            failure { () throws(DiskError) in try disk.makeDirectory(path) },
            failure { () throws(DiskError) in try disk.rename(path, to: DiskPath(path.volume, "x")) },
            failure { () throws(DiskError) in try disk.rename(DiskPath(path.volume, "none"), to: path) },
            failure { () throws(DiskError) in try disk.remove(path) },
            failure { () throws(DiskError) in try disk.removeDirectory(path) },
        ]
    }

    private static let calls = [
        "open", "open", "open", "lock", "makeDirectory", "rename", "rename", "remove", "removeDirectory",
    ]

    @Test("The root of a volume can be neither opened as a file, nor made, renamed or removed")
    func root() throws {
        let codes = [
            "isADirectory", "isADirectory", "exists", "isADirectory", "exists", "invalid", "invalid",
            "isADirectory", "invalid",
        ]
        let expected: [String?] = zip(codes, DiskCallTests.calls).map { "\($0) \($1)" }
        #expect(failures(path("")) == expected)
        #expect(try disk.status(path("")) == FileStatus(kind: .directory, size: 0))
        #expect(try disk.list(path("")) == ["d"])
    }

    @Test("A directory is no file")
    func directory() throws {
        #expect(
            failure { () throws(DiskError) in _ = try disk.open(path("d"), .read) } == "isADirectory open")
        #expect(
            failure { () throws(DiskError) in _ = try disk.open(path("d"), .update) } == "isADirectory open")
        #expect(failure { () throws(DiskError) in _ = try disk.open(path("d"), .create) } == "exists open")
        #expect(failure { () throws(DiskError) in _ = try disk.lock(path("d")) } == "isADirectory lock")
        #expect(failure { () throws(DiskError) in try disk.remove(path("d")) } == "isADirectory remove")
        #expect(
            failure { () throws(DiskError) in try disk.makeDirectory(path("d")) } == "exists makeDirectory")
        #expect(try disk.status(path("d")) == FileStatus(kind: .directory, size: 0))
        try disk.makeDirectory(path("d/e"))
        #expect(
            failure { () throws(DiskError) in try disk.removeDirectory(path("d")) }
                == "notEmpty removeDirectory")
        try disk.rename(path("d/e"), to: path("e"))
        #expect(try disk.list(path("")).sorted() == ["d", "e"] && disk.list(path("d")) == [])
        try disk.removeDirectory(path("d"))
        #expect(try disk.list(path("")) == ["e"])
    }

    @Test("The package takes no change, whatever is there; without a package nothing is there")
    func package() throws {
        try Data([1]).write(to: folder.url.appendingPathComponent("package/f"))
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("package/g"), withIntermediateDirectories: false)
        let readOnly: [String?] = DiskCallTests.calls.map { "readOnly \($0)" }
        for name in ["f", "g", "none"] {
            // The first call opens for reading.
            #expect(failures(DiskPath(.package, name)).dropFirst() == readOnly.dropFirst(), "\(name)")
        }
        #expect(try disk.status(DiskPath(.package, "f")) == FileStatus(kind: .file, size: 1))
        let alone = try PosixDisk(data: folder.url.appendingPathComponent("data").path)
        for text in ["f", ""] {
            #expect(
                failure { () throws(DiskError) in _ = try alone.status(DiskPath(.package, text)) }
                    == "notFound status")
        }
    }

    @Test("Between volumes nothing is renamed, in either direction")
    func crossDevice() throws {
        for (source, target) in [(Volume.data, Volume.package), (.package, .data)] {
            #expect(
                failure { () throws(DiskError) in
                    try disk.rename(DiskPath(source, "d"), to: DiskPath(target, "x"))
                } == "crossDevice rename")
        }
    }

    @Test(
        "Only names of one and two dots are none; a name may have more, and anything else but a NUL",
        arguments: [
            "a", "...", "....", ".a", "..a", "a.", "a..", ".a/b", "a/...", ".../a", "..a/..b", "\u{1}", "a b",
            "\u{7f}", "ä",
        ])
    func names(text: String) {
        #expect(failure { () throws(DiskError) in _ = try disk.status(path(text)) } == "notFound status")
    }

    @Test("A name is too long, or is below a file")
    func impossibleNames() throws {
        try disk.close(disk.open(path("f"), .create))
        let long = String(repeating: "n", count: 300)
        for (text, code) in [(long, "nameTooLong"), ("f/x", "notADirectory"), ("none/x", "notFound")] {
            #expect(
                failure { () throws(DiskError) in _ = try disk.open(path(text), .create) } == "\(code) open")
            #expect(failure { () throws(DiskError) in _ = try disk.status(path(text)) } == "\(code) status")
            #expect(
                failure { () throws(DiskError) in try disk.makeDirectory(path(text)) }
                    == "\(code) makeDirectory")
        }
    }

    @Test("A file's size and content follow every write and truncation, through any handle")
    func sizes() throws {
        let file = try disk.open(path("f"), .create)
        #expect(try disk.size(file) == 0)
        #expect(try disk.write(file, [1, 2, 3, 4, 5], at: 0) == 5)
        #expect(try disk.size(file) == 5)
        try disk.truncate(file, to: 2)
        #expect(try disk.size(file) == 2)
        try disk.truncate(file, to: 0)
        #expect(try disk.size(file) == 0)
        #expect(try disk.write(file, [], at: 0) == 0)
        #expect(try disk.write(file, [7, 8, 9][1...], at: 3) == 2)
        #expect(try disk.read(file, at: 0, count: 9) == [0, 0, 0, 8, 9])
        let other = try disk.open(path("g"), .create)
        #expect(try disk.size(file) == 5 && disk.size(other) == 0)
        let reader = try disk.open(path("f"), .read)
        #expect(try disk.size(reader) == 5 && disk.size(other) == 0 && disk.size(file) == 5)
        try disk.truncate(file, to: 1)
        #expect(try disk.size(reader) == 1)
        let writer = try disk.open(path("f"), .update)
        #expect(try disk.write(writer, [1], at: 1) == 1)
        #expect(try disk.size(writer) == 2 && disk.size(reader) == 2)
        for file in [file, other, reader, writer] { try disk.close(file) }
        let last = try disk.open(path("f"), .read)
        #expect(try disk.size(last) == 2)
    }

    @Test("Reads and writes at odd offsets, and of nothing")
    func offsets() throws {
        let file = try disk.open(path("f"), .create)
        #expect(try disk.write(file, [1, 2, 3], at: 0) == 3)
        for (offset, count, bytes) in [
            (0, 0, []), (0, 1, [1]), (2, 9, [3]), (3, 1, []), (4, 1, []), (.max, .max, []), (3, 0, []),
        ] as [(Int, Int, [UInt8])] {
            #expect(try disk.read(file, at: offset, count: count) == bytes, "\(offset) \(count)")
        }
        for (offset, count) in [(-1, 1), (0, -1), (-1, 0), (Int.min, 1)] {
            #expect(
                failure { () throws(DiskError) in _ = try disk.read(file, at: offset, count: count) }
                    == "invalid read")
        }
        for (offset, bytes, failed) in [
            (-1, [1], "invalid"), (-1, [], "invalid"), (.max, [1], "tooBig"), (.max - 1, [1, 2], "tooBig"),
        ] as [(Int, [UInt8], String)] {
            #expect(
                failure { () throws(DiskError) in _ = try disk.write(file, bytes[...], at: offset) }
                    == "\(failed) write")
        }
        #expect(try disk.write(file, [], at: .max) == 0)
        #expect(failure { () throws(DiskError) in try disk.truncate(file, to: -1) } == "invalid truncate")
        #expect(try disk.size(file) == 3)
    }

    @Test("A handle that is closed, or was opened for reading, takes no more; the others do")
    func handles() throws {
        let file = try disk.open(path("f"), .create)
        let other = try disk.open(path("g"), .create)
        let locked = try disk.lock(path("l"))
        #expect(try disk.write(locked, [1], at: 0) == 1)
        try disk.close(file)
        #if os(Linux)
            // The volumes, and two files.
            #expect(try OpenDescriptors.count(folder.url) == 4)
        #endif
        #expect(disk.descriptor(of: file) == nil && disk.descriptor(of: other) == other.id)
        let reader = try disk.open(path("g"), .read)
        for (handle, canRead) in [(Core.FileHandle(id: -1), false), (reader, true)] {
            let bad = "badHandle "
            #expect(
                failure { () throws(DiskError) in _ = try disk.write(handle, [1], at: 0) } == bad + "write")
            #expect(failure { () throws(DiskError) in try disk.truncate(handle, to: 0) } == bad + "truncate")
            #expect(
                failure { () throws(DiskError) in _ = try disk.read(handle, at: 0, count: 1) }
                    == (canRead ? nil : bad + "read"))
            #expect(
                failure { () throws(DiskError) in _ = try disk.size(handle) }
                    == (canRead ? nil : bad + "size"))
            #expect(
                failure { () throws(DiskError) in try disk.sync(handle) } == (canRead ? nil : bad + "sync"))
            #expect(
                failure { () throws(DiskError) in try disk.close(handle) } == (canRead ? nil : bad + "close"))
        }
        #expect(failure { () throws(DiskError) in try disk.close(reader) } == "badHandle close")
        #expect(try disk.write(other, [1], at: 0) == 1)
    }

    @Test("A package that can't be opened leaves nothing open")
    func noPackage() throws {
        let missing = folder.url.appendingPathComponent("none").path
        for _ in 0..<3 {
            #expect(throws: DiskError(.notFound, .open, DiskPath(.package, ""))) {
                try PosixDisk(data: folder.url.appendingPathComponent("data").path, package: missing)
            }
        }
        #if os(Linux)
            #expect(try OpenDescriptors.count(folder.url) == 2)
        #endif
    }

    @Test("A tag keeps the folder out of backups; it is written once, and is closed (M18)")
    func backupTag() throws {
        try disk.excludeDataFromBackups()
        let tag = folder.url.appendingPathComponent("data/CACHEDIR.TAG")
        let text = try String(contentsOf: tag, encoding: .utf8)
        #expect(text.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
        #expect(text.hasSuffix("downloaded again.\n"))
        try Data("mine".utf8).write(to: tag)
        try disk.excludeDataFromBackups()
        #expect(try String(contentsOf: tag, encoding: .utf8) == "mine")
        #if os(Linux)
            #expect(try OpenDescriptors.count(folder.url) == 2)
            // A folder that can't be looked into is an error: its descriptor is one of a file now.
            let data = folder.url.appendingPathComponent("data").path
            let root = try #require(
                (0..<Int32(20_000)).first {
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                        == data
                })
            let file = open(tag.path, O_RDONLY | O_CLOEXEC)
            try #require(dup2(file, root) == root)
            close(file)
            #expect(
                failure { () throws(DiskError) in try disk.excludeDataFromBackups() }
                    == "notADirectory status")
        #endif
    }
}
