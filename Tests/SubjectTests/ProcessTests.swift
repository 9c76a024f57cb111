import Foundation
import Testing

@testable import Subject

/// Processes of adapters, with small shell programs.
@Suite("Processes of adapters")
struct ProcessTests {
    private func start(_ script: String, mark: String) throws -> SubjectProcess {
        try SubjectProcess(
            ["/bin/sh", "-c", script], environment: ["OTALAB_STATE": mark], mark: "OTALAB_STATE",
            errors: "/dev/null")
    }

    /// Reads until the text has this many lines.
    private func lines(_ count: Int, of process: SubjectProcess) -> [Substring] {
        var bytes: [UInt8] = []
        for _ in 0..<1_000 {
            bytes += process.read()
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            if lines.count >= count { return lines }
            usleep(10_000)
        }
        return []
    }

    private func isAlive(_ id: Int32) -> Bool {
        guard let stat = FileManager.default.contents(atPath: "/proc/\(id)/stat") else { return false }
        return !String(decoding: stat, as: UTF8.self).contains(") Z ")
    }

    private func isGone(_ id: Int32) -> Bool {
        for _ in 0..<500 where isAlive(id) { usleep(10_000) }
        return !isAlive(id)
    }

    @Test("what it writes is read, and what it is sent arrives")
    func pipes() throws {
        let process = try start("read line; echo got $line", mark: UUID().uuidString)
        process.write(Array("this\n".utf8))
        #expect(lines(1, of: process) == ["got this"])
    }

    @Test("its end is noticed, with its status")
    func exit() throws {
        let process = try start("exit 3", mark: UUID().uuidString)
        for _ in 0..<500 where process.exit() == nil { usleep(10_000) }
        #expect(process.exit() == .exited(3))
    }

    @Test("a program that is not there can't be started")
    func missing() {
        #expect(throws: StartFault.self) {
            _ = try SubjectProcess(
                ["/nothing/here"], environment: [:], mark: "OTALAB_STATE", errors: "/dev/null")
        }
    }

    @Test("a guard ends it and removes its folder where this program dies first")
    func guarded() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "guard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = try SubjectProcess(
            ["/bin/sh", "-c", "exec sleep 1000"], environment: ["OTALAB_STATE": folder.path],
            mark: "OTALAB_STATE", errors: "/dev/null", removing: folder.path)
        process.closeGuard()
        #expect(isGone(process.id))
        for _ in 0..<500 where FileManager.default.fileExists(atPath: folder.path) { usleep(10_000) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("children end with it, those too that ignore signals or have left its group")
    func children() throws {
        let script = "trap '' TERM; sleep 1000 & echo $!; setsid sleep 1000 & echo $!; wait"
        let process = try start(script, mark: UUID().uuidString)
        let children = lines(2, of: process).compactMap { Int32($0) }
        #expect(children.count == 2)
        // What has left the group has its environment when its own program runs.
        usleep(200_000)
        process.end()
        for child in children { #expect(isGone(child)) }
    }

    @Test("a process that sleeps is at rest; one that works, or whose child does, is not")
    func activity() throws {
        let sleeping = try start("echo up; read line", mark: UUID().uuidString)
        _ = lines(1, of: sleeping)
        usleep(100_000)
        #expect(sleeping.activity().isAsleep && sleeping.activity().threads == 1)
        let working = try start("(while :; do :; done) & echo up; wait", mark: UUID().uuidString)
        _ = lines(1, of: working)
        let before = working.activity().ticks
        for _ in 0..<500 where working.activity().ticks <= before { usleep(10_000) }
        #expect(working.activity().ticks > before && working.activity().threads == 2)
    }
}
