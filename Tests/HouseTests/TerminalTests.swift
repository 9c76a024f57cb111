import Foundation
import Testing

/// The program on a pseudo-terminal that `script` (util-linux) creates.
@Suite("Progress on a terminal")
struct TerminalTests {
    private let project: TestProject
    private static let script = "/usr/bin/script"

    init() throws { project = try TestProject() }

    /// Starts the program; the output of both streams is in the file.
    private func start(_ command: String, _ variables: [String: String] = [:]) throws -> (Process, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TerminalTests.script)
        process.arguments = ["-qefc", "\(try Program.debug().path) \(command)", "screen"]
        process.currentDirectoryURL = project.folder
        var environment = ProcessInfo.processInfo.environment
        environment["TERM"] = "xterm"
        environment["NO_COLOR"] = nil
        process.environment = environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return (process, "screen")
    }

    private func screen(_ command: String, _ variables: [String: String] = [:]) throws -> String {
        let (process, file) = try start(command, variables)
        process.waitUntilExit()
        return try project.read(file)
    }

    @Test(
        "a line shows the progress of the run, leaves no text, and can be turned off",
        .enabled(if: FileManager.default.isExecutableFile(atPath: script)))
    func progress() throws {
        for number in 1...4 { try project.write("good-\(number).json5", TestProject.good) }
        let erase = "\r\u{1b}[K"
        let shown = try screen("run --no-report --jobs 1")
        #expect(shown.contains(erase + "  0/4  "))
        #expect(shown.contains("\u{1b}[32mok   \u{1b}[0m good-4"))
        // What is drawn is erased before a line of the result.
        for part in shown.components(separatedBy: erase).dropFirst() where part.hasPrefix("  0/4") {
            #expect(!part.contains("\n"))
        }
        #expect(!(try screen("run --no-report --no-progress")).contains("0/4  "))
        let dumb = try screen("run --no-report", ["TERM": "dumb"])
        #expect(!dumb.contains("\u{1b}") && dumb.contains("4 passed, 0 failed, 0 skipped"))
        #expect(!(try screen("run --no-report", ["NO_COLOR": "1"])).contains("\u{1b}[32m"))
    }

    @Test(
        "a failure is shown when it happens, also while others before it go on",
        .enabled(if: FileManager.default.isExecutableFile(atPath: script)))
    func firstFailure() throws {
        try project.write("a-slow.json5", TestProject.endless)
        try project.write("b-bad.json5", TestProject.bad)
        let (process, file) = try start("run --no-report --jobs 2 --wall-limit 60s")
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let began = Date()
        while process.isRunning, Date().timeIntervalSince(began) < 50 {
            if let text = try? project.read(file), text.contains("FAIL"), text.contains("b-bad") { break }
            Thread.sleep(forTimeInterval: 0.02)
        }
        let text = try project.read(file)
        #expect(process.isRunning, "the slow one was to go on")
        #expect(text.contains("b-bad") && text.contains("step 2 of 2"))
        #expect(!text.contains("a-slow  "), "its line comes when it ends")
    }
}
