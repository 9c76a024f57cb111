import Foundation
import Testing

/// `otalab serve origin` as a process; every wait has an end.
@Suite("otalab serve origin", .serialized)
struct ServeOriginTests {
    /// The program with these arguments, in a folder with `story.json5`.
    private final class Call {
        let process = Process()
        let output = Pipe()
        let folder: URL
        /// Kills a process that is still running.
        private var watchdog = DispatchWorkItem {}

        init(_ words: String..., story: String) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "otalab-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(story.utf8).write(to: folder.appendingPathComponent("story.json5"))
            process.executableURL = try ServedProcess.program()
            process.arguments = ["serve", "origin"] + words
            process.currentDirectoryURL = folder
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OTALAB_") }
            process.standardOutput = output
            process.standardError = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let number = process.processIdentifier
            watchdog = DispatchWorkItem { kill(number, SIGKILL) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: watchdog)
        }

        deinit {
            watchdog.cancel()
            if process.isRunning { process.terminate() }
            try? FileManager.default.removeItem(at: folder)
        }

        /// Output up to this text, or to the end.
        func text(to end: String) -> String {
            var text = ""
            while !text.contains(end) {
                let bytes = output.fileHandleForReading.availableData
                if bytes.isEmpty { break }
                text += String(decoding: bytes, as: UTF8.self)
            }
            return text
        }

        func end() -> (code: Int32, text: String) {
            let text = text(to: "never said")
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
    }

    @Test("It prints where the manifest is and a line for each control; SIGINT ends it with 0")
    func served() throws {
        let call = try Call("story.json5", story: ServedScenario.text(#"{ launch: true }, { deploy: "v2" }"#))
        let opening = call.text(to: "/__otalab/next")
        let line = try #require(
            opening.split(separator: "\n").first { $0.hasPrefix("manifest  http://127.0.0.1:") })
        let port = try #require(
            UInt16(line.dropFirst("manifest  http://127.0.0.1:".count).prefix { $0 != "/" }))
        #expect(opening.contains("curl -X POST http://127.0.0.1:\(port)/__otalab/deploy/VERSION"))
        let client = try RawClient(port: port)
        client.say("GET /ota/manifest.json HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        let answer = try #require(try client.answer())
        #expect(String(decoding: answer.body, as: UTF8.self).contains("\"v2\""))
        call.process.interrupt()
        let (code, rest) = call.end()
        #expect(code == 0)
        #expect(rest.contains("GET /ota/manifest.json  200") && rest.hasSuffix("stopped\n"))
    }

    @Test(
        "A call that can't be is refused with what to write",
        arguments: [
            (["none.json5"], Int32(2), "error: there is nothing at 'none.json5'"),
            ([], 2, "error: serve origin needs one scenario"),
            (["story.json5", "--bind", "here"], 2, "error: --bind can't be 'here'"),
            (["story.json5", "--port", "x"], 2, "error: --port can't be 'x'"),
            (["story.json5", "--speed", "0"], 2, "error: --speed can't be '0'"),
            (["story.json5", "--url", "ftp://a"], 2, "error: --url can't be 'ftp://a'"),
            (["story.json5", "--package", "a"], 2, "error: 'otalab serve origin' has no flag '--package'"),
        ])
    func refused(words: [String], code: Int32, message: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(ServedScenario.text("{ launch: true }").utf8).write(
            to: folder.appendingPathComponent("story.json5"))
        let process = Process()
        let output = Pipe()
        process.executableURL = try ServedProcess.program()
        process.arguments = ["serve", "origin"] + words
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == code)
        #expect(text.hasPrefix(message), "\(text)")
    }
}
