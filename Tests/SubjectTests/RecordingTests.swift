import Core
import Foundation
import Testing
import World

@testable import Subject

@Suite("Recorded system calls")
struct RecordingTests {
    private static func hex(_ text: String) -> String {
        text.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A call has its thread, its time, its arguments with paths, and what it returned")
    func oneCall() throws {
        var reader = SystemCallReader()
        let line =
            #"319   1795941595.273459 openat(AT_FDCWD<\x2f\x73>, "\x6b", O_WRONLY|O_CREAT, 0666) = 3<\x2f\x73\x2f\x6b>"#
        let call = try #require(reader.read(Array(line.utf8)).first)
        #expect(call.thread == 319 && call.at == 1_795_941_595_273_459 && call.name == "openat")
        #expect(call.path(0) == Array("/s".utf8) && call.text(1) == Array("k".utf8))
        #expect(call.has("O_CREAT", in: 2) && !call.has("O_TRUNC", in: 2))
        #expect(call.result == 3 && call.resultPath == Array("/s/k".utf8) && reader.unreadable.isEmpty)
    }

    @Test(
        "Each form of a line is read",
        arguments: [
            (#"1 1.000001 read(0x3, 0x7f5, 0x2) = 0x1"#, "read", 1),
            (
                #"1 1.000001 fcntl(16<\x2f>, F_GETFL) = 0x38000 (flags O_RDONLY|O_LARGEFILE)"#, "fcntl",
                0x38000
            ),
            (#"1 1.000001 unlink("\x61") = -1 ENOENT (No such file or directory)"#, "unlink", -1),
            (
                #"1 1.000001 writev(4<\x2f\x61>, [{iov_base="\x78", iov_len=1}, {iov_base="", iov_len=0}], 2) = 1"#,
                "writev", 1
            ),
            (
                #"1 1.000001 clone3({flags=CLONE_FILES|CLONE_VM, tls=0x7f} => {parent_tid=[12]}, 88) = 12"#,
                "clone3", 12
            ),
            (#"1 1.000001 clone(child_stack=NULL, flags=CLONE_VM|SIGCHLD, parent_tid=[9]) = 9"#, "clone", 9),
            (
                #"1 1.000001 renameat(5<\x2f>, "\x61", 5<\x2f>, "\x62") = ? ERESTARTSYS (To be restarted)"#,
                "renameat", nil
            ),
            (#"1 1.000001 openat(AT_FDCWD<\x2f>, "\x61"..., O_RDONLY) = 3<\x2f\x61>(deleted)"#, "openat", 3),
        ] as [(String, String, Int64?)])
    func forms(line: String, name: String, result: Int64?) throws {
        var reader = SystemCallReader()
        let call = try #require(reader.read(Array(line.utf8)).first)
        #expect(call.name == name && call.result == result && reader.unreadable.isEmpty)
    }

    @Test("A call that others interrupt is one call, which has begun before them and ends after them")
    func interrupted() {
        let text = """
            1 1.000001 fsync(3<\\x2f\\x61> <unfinished ...>
            2 1.000002 write(3<\\x2f\\x61>, "\\x78", 1) = 1
            1 1.000003 <... fsync resumed>) = 0
            1 1.000004 +++ killed by SIGKILL +++
            nonsense
            """
        var reader = SystemCallReader()
        let calls = reader.read(Array(text.utf8))
        #expect(calls.map(\.name) == ["write", "fsync"])
        #expect(calls.map(\.begunAfter) == [0, 0] && calls[1].at == 1_000_001)
        #expect(reader.unreadable == ["nonsense"])
    }

    /// Replays calls on the folder `/s`.
    private func replayed(_ lines: [String]) throws -> (disk: RecordedDisk, changes: [String]) {
        var reader = SystemCallReader()
        let text = lines.enumerated().map { "1 1.00000\($0.offset) \($0.element)" }.joined(separator: "\n")
        var disk = RecordedDisk(root: "/s", workingFolder: "/", profile: .strict)
        var changes: [String] = []
        for call in reader.read(Array(text.utf8)) {
            if RecordedDisk.isSync(call) { disk.beginSync(call) }
            if let change = try disk.apply(call) { changes.append(change) }
        }
        #expect(reader.unreadable.isEmpty)
        return (disk, changes)
    }

    private static func open(_ name: String, _ flags: String, _ number: Int) -> String {
        "openat(AT_FDCWD<\(hex("/"))>, \"\(hex("/s/" + name))\", \(flags), 0666) = \(number)<\(hex("/s/" + name))>"
    }

    @Test("Writes, renames, links and removals change the model as they changed the folder")
    func names() throws {
        let hex = RecordingTests.hex
        let (disk, changes) = try replayed([
            "mkdir(\"\(hex("/s/v1"))\", 0777) = 0",
            RecordingTests.open("v1/x", "O_WRONLY|O_CREAT", 3),
            "write(3<>, \"\(hex("hello"))\", 5) = 5", "write(3<>, \"\(hex(" you"))\", 4) = 2",
            "symlink(\"\(hex("v1"))\", \"\(hex("/s/current"))\") = 0",
            "rename(\"\(hex("/s/current/x"))\", \"\(hex("/s/v1/y"))\") = 0",
            "unlink(\"\(hex("/s/none"))\") = -1 ENOENT (No such file or directory)",
            "write(9<>, \"\(hex("elsewhere"))\", 9) = 9",
        ])
        let image = StateImage(disk.disk)
        #expect(image.entries.map(\.path) == ["current", "v1", "v1/y"])
        #expect(
            image.entries.map(\.entry) == [.link(Array("v1".utf8)), .folder, .file(Array("hello y".utf8))])
        #expect(changes.last == "rename 'v1/x' to 'v1/y'" && changes.count == 6)
    }

    @Test("What was not synced may be lost, and what was is not")
    func syncs() throws {
        let hex = RecordingTests.hex
        let lines = [
            RecordingTests.open("x", "O_WRONLY|O_CREAT", 3), "write(3<>, \"\(hex("hello"))\", 5) = 5",
            RecordingTests.open("", "O_RDONLY|O_DIRECTORY", 4),
        ]
        func worst(_ more: [String]) throws -> [StateImage.Entry] {
            var disk = try replayed(lines + more).disk.disk
            disk.powerCut(keeping: .nothing)
            return StateImage(disk).entries.map(\.entry)
        }
        #expect(try worst([]).isEmpty)
        #expect(try worst(["fsync(4<\(hex("/s"))>) = 0"]) == [.file([])])
        #expect(try worst(["fsync(3<>) = 0", "fsync(4<\(hex("/s"))>) = 0"]) == [.file(Array("hello".utf8))])
    }

    @Test("What the kernel copies from file to file is replayed")
    func copies() throws {
        let hex = RecordingTests.hex
        let (disk, _) = try replayed([
            RecordingTests.open("x", "O_RDWR|O_CREAT", 3), "write(3<>, \"\(hex("hello"))\", 5) = 5",
            RecordingTests.open("y", "O_WRONLY|O_CREAT", 4), "sendfile(4<>, 3<>, [1] => [4], 3) = 3",
            "lseek(3<>, 0, SEEK_SET) = 0", "copy_file_range(3<>, NULL, 4<>, NULL, 2, 0) = 2",
        ])
        #expect(StateImage(disk.disk).entries.last?.entry == .file(Array("ellhe".utf8)))
        #expect(disk.notFollowed.isEmpty)
    }

    @Test("What is not followed is said")
    func notFollowed() throws {
        let hex = RecordingTests.hex
        let (disk, _) = try replayed([
            RecordingTests.open("x", "O_RDWR|O_CREAT", 3),
            "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 3<>, 0) = 0x7f00",
            "link(\"\(hex("/s/x"))\", \"\(hex("/s/y"))\") = 0",
        ])
        #expect(disk.notFollowed == ["writes through a shared memory map", "hard links"])
    }

    @Test("An image is the same after it was written to a folder and read again")
    func images() throws {
        let folder = NSTemporaryDirectory() + "otalab-image-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let hex = RecordingTests.hex
        let (disk, _) = try replayed([
            "mkdir(\"\(hex("/s/v1"))\", 0777) = 0", RecordingTests.open("v1/x", "O_WRONLY|O_CREAT", 3),
            "write(3<>, \"\(hex("hello"))\", 5) = 5",
            "symlink(\"\(hex("v1"))\", \"\(hex("/s/current"))\") = 0",
        ])
        let image = StateImage(disk.disk)
        try image.write(to: folder)
        #expect(try StateImage(folder: folder) == image)
        try Data("more".utf8).write(to: URL(fileURLWithPath: folder + "/new"))
        #expect(image.differences(from: try StateImage(folder: folder), count: 3).count == 1)
    }
}
