import Foundation
import Testing

/// Equal runs have equal digests: in two fresh processes (each with another seed of Swift's randomised
/// hashing), with one worker and with two, in debug and in release.
@Suite("Determinism")
struct DeterminismTests {
    @Test("every scenario gives the same digest in every process and with any number of workers")
    func digests() throws {
        let release = try Program.release()
        let first = try Program.digests(release, ["--jobs", "1"])
        #expect(first.count >= 30)
        #expect(try Program.digests(release, ["--jobs", "2"]) == first)
    }

    /// A debug run of the library takes ten times as long: each day has its twelfth.
    @Test("a scenario gives the same digest in debug and in release")
    func builds() throws {
        let part = Int(Date().timeIntervalSince1970 / 86400) % 12 + 1
        let debug = try Program.digests(try Program.debug(), ["--shard", "\(part)/12"])
        #expect(debug.count >= 30)
        let release = try Program.digests(try Program.release(), [])
        #expect(debug.filter { !release.contains($0) } == [])
    }

    @Test("another seed gives other digests: the comparison can fail")
    func seeds() throws {
        let program = try Program.release()
        let one = try Program.digests(program, ["Scenarios/updating", "--seed", "1"])
        #expect(one.count >= 30)
        #expect(try Program.digests(program, ["Scenarios/updating", "--seed", "2"]) != one)
    }
}

/// The program under test, as a process.
enum Program {
    struct Failed: Error, CustomStringConvertible {
        var description: String
    }

    /// Named by `OTALAB_PROGRAM`, which is a release build in CI and ten times as fast; without it, the one
    /// that was built together with these tests.
    static func tested() throws -> URL {
        let path = ProcessInfo.processInfo.environment["OTALAB_PROGRAM"]
        return try path.map { URL(fileURLWithPath: $0) } ?? debug()
    }

    /// Built together with these tests, beside their bundle.
    static func debug() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let program = folder.appendingPathComponent("otalab")
            if FileManager.default.isExecutableFile(atPath: program.path) { return program }
            folder.deleteLastPathComponent()
        }
        let program = House.root.appendingPathComponent(".build/debug/otalab")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw Failed(description: "no otalab beside the tests and none in .build/debug: swift build")
        }
        return program
    }

    /// Named by `OTALAB_PROGRAM`; without it, the program is built in a temporary folder.
    static func release() throws -> URL {
        if let path = ProcessInfo.processInfo.environment["OTALAB_PROGRAM"] {
            return URL(fileURLWithPath: path)
        }
        let scratch = ".build/determinism"
        let arguments = ["build", "-c", "release", "--product", "otalab", "--scratch-path", scratch]
        _ = try run(URL(fileURLWithPath: "/usr/bin/env"), ["swift"] + arguments)
        return House.root.appendingPathComponent(scratch + "/release/otalab")
    }

    /// A line for each scenario that `run` with these arguments runs: digest and name.
    static func digests(_ program: URL, _ arguments: [String]) throws -> [Substring] {
        try run(program, ["run", "--digests", "--no-report"] + arguments).split(separator: "\n")
    }

    /// Standard output of a call in the checkout; anything but exit code 0 is an error.
    static func run(_ program: URL, _ arguments: [String]) throws -> String {
        let (text, code) = try call(program, arguments)
        guard code == 0 else { throw Failed(description: "\(program.path) \(arguments): exit code \(code)") }
        return text
    }

    static func call(
        _ program: URL, _ arguments: [String], in folder: URL = House.root
    ) throws -> (text: String, code: Int32) {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        // A file, not a pipe: a read of a pipe that a signal interrupts ends Foundation's reader with EINTR.
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("out-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let data = try Data(contentsOf: output)
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }
}
