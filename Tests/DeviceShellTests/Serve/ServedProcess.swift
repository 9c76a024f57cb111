import Core
import Foundation
import Synchronization

@testable import DeviceShell

/// `otalab serve app` as a process, in a temporary folder; every wait has a limit. Output
/// from other threads is behind a lock; everything else belongs to the test's thread.
final class ServedProcess: @unchecked Sendable {
    let folder: URL
    private var process: Process?
    private var input = Pipe()
    private let text = Mutex("")
    /// Limit of descriptors; nil: that of this process.
    var descriptors: Int?

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// - Parameter package: path and text of the web build in the app package.
    init(package: [(path: String, text: String)]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-served-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in package { try write("package/" + file.path, file.text) }
    }

    deinit {
        process?.terminate()
        process?.waitUntilExit()
        // The system removes the rest of a temporary folder.
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ path: String, _ text: String) throws {
        let place = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place)
    }

    /// Built together with these tests, beside their bundle.
    static func program() throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        for _ in 0..<4 {
            let program = folder.appendingPathComponent("otalab")
            if FileManager.default.isExecutableFile(atPath: program.path) { return program }
            folder.deleteLastPathComponent()
        }
        throw Failure(description: "no otalab beside the tests: swift build")
    }

    private func made(_ arguments: [String], _ service: String = "app") throws -> Process {
        let process = Process()
        let program = try ServedProcess.program()
        let words = ["serve", service] + arguments
        if let descriptors {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(descriptors); exec \"$@\"", "sh", program.path] + words
        } else {
            process.executableURL = program
            process.arguments = words
        }
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OTALAB_") }
        return process
    }

    /// A call that is refused before anything is served.
    func refused(_ arguments: String...) throws -> (code: Int32, errors: String) { try refused(arguments) }

    func refused(_ arguments: [String]) throws -> (code: Int32, errors: String) {
        let process = try made(arguments)
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// The package in `package`, the state in `state`.
    /// - Returns: the address that it prints.
    @discardableResult
    func start(_ arguments: String...) throws -> URL {
        try begin(["--package", "package", "--state", "state"] + arguments)
        return try address()
    }

    func begin(_ arguments: [String], service: String = "app") throws {
        text.withLock { $0 = "" }
        let process = try made(arguments, service)
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.text.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        try process.run()
        self.process = process
    }

    func address() throws -> URL {
        let line = try line("Open  ")
        guard let url = URL(string: String(line.dropFirst(6))) else { throw Failure(description: line) }
        return url
    }

    func say(_ word: String) { input.fileHandleForWriting.write(Data((word + "\n").utf8)) }

    /// Waits for the first line that contains all of these texts.
    /// - Parameter hundredths: longest wait in hundredths of a second.
    @discardableResult
    func line(_ words: String..., within hundredths: Int = 1_000) throws -> String {
        for _ in 0..<hundredths {
            let lines = text.withLock { $0 }.split(separator: "\n")
            if let line = lines.first(where: { line in words.allSatisfy { line.contains($0) } }) {
                return String(line)
            }
            usleep(10_000)
        }
        throw Failure(
            description:
                "no line with \(words) within \(hundredths) hundredths of a second:\n\(text.withLock { $0 })")
    }

    func forgetLines() { text.withLock { $0 = "" } }

    enum End { case terminated, killed, said }

    /// - Returns: its exit code; nil where a signal ended it.
    @discardableResult
    func stop(_ how: End = .terminated) -> Int32? {
        guard let process else { return nil }
        switch how {
        case .terminated: process.terminate()
        case .killed: kill(process.processIdentifier, SIGKILL)
        case .said: say("quit")
        }
        process.waitUntilExit()
        self.process = nil
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// Stops the process without a notice, as a system does that freezes it.
    func stopFor(milliseconds: UInt32) {
        guard let process else { return }
        kill(process.processIdentifier, SIGSTOP)
        usleep(milliseconds * 1_000)
        kill(process.processIdentifier, SIGCONT)
    }

    /// Number of times its threads were scheduled; nil where the system does not report it.
    var switches: Int? {
        guard let process else { return nil }
        let folder = "/proc/\(process.processIdentifier)/task"
        guard let tasks = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        return tasks.reduce(0) { sum, task in
            let text = (try? String(contentsOfFile: "\(folder)/\(task)/status", encoding: .utf8)) ?? ""
            let counts = text.matches(of: #/voluntary_ctxt_switches:\s+(\d+)/#).compactMap { Int($0.1) }
            return sum + counts.reduce(0, +)
        }
    }

    /// Number of open descriptors; nil where the system does not report it.
    var openDescriptors: Int? {
        guard let process else { return nil }
        let folder = "/proc/\(process.processIdentifier)/fd"
        return try? FileManager.default.contentsOfDirectory(atPath: folder).count
    }

    /// Number of open descriptors as soon as it is at most the limit, or after three seconds.
    func descriptors(atMost count: Int) -> Int {
        for _ in 0..<60 {
            if let open = openDescriptors, open <= count { return open }
            usleep(50_000)
        }
        return openDescriptors ?? 0
    }

    /// Milliseconds of processor time; nil where the system does not report it.
    var processorTime: Int? {
        guard let process,
            let text = try? String(
                contentsOfFile: "/proc/\(process.processIdentifier)/schedstat", encoding: .utf8)
        else { return nil }
        return text.split(separator: " ").first.flatMap { Int($0) }.map { $0 / 1_000_000 }
    }
}

/// Follows a start URL as a browser does, and sends requests as a page does. One thread at a time, except for
/// ``call(_:)``.
struct PageClient: @unchecked Sendable {
    let port: UInt16
    let cookie: String
    let target: String
    let document: String
    private let client: RawClient

    init(_ url: URL) throws {
        port = UInt16(url.port ?? 0)
        client = try RawClient(port: port)
        let begin = url.path + "?" + (url.query ?? "")
        let key = try PageClient.navigate(client, port, begin, "")
        guard key.status == 307, let place = key.field("Location"),
            let pair = key.field("Set-Cookie")?.split(separator: ";").first
        else { throw ServedProcess.Failure(description: "no redirect to the document: \(key.status)") }
        let answer = try PageClient.navigate(client, port, place, String(pair))
        let load = answer.field("Set-Cookie")?.split(separator: ";").first ?? ""
        cookie = "\(pair); \(load)"
        target = place
        document = String(decoding: answer.body, as: UTF8.self)
    }

    /// The same client loads its page again, as `location.reload()` does.
    func reloaded() throws -> String {
        let more = "Cache-Control: max-age=0\r\nReferer: http://localhost:\(port)\(target)\r\n"
        let first = try PageClient.navigate(client, port, target, cookie, more)
        guard first.status == 307, let place = first.field("Location") else {
            return String(decoding: first.body, as: UTF8.self)
        }
        return String(decoding: try PageClient.navigate(client, port, place, cookie).body, as: UTF8.self)
    }

    private static func navigate(
        _ client: RawClient, _ port: UInt16, _ target: String, _ cookie: String, _ more: String = ""
    ) throws -> RawClient.Answer {
        client.say(
            "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\nSec-Fetch-Mode: navigate\r\n"
                + "Accept: text/html\r\n" + (cookie.isEmpty ? "" : "Cookie: \(cookie)\r\n") + more + "\r\n")
        guard let answer = try client.answer() else {
            throw ServedProcess.Failure(description: "no answer to \(target)")
        }
        return answer
    }

    /// Follows a navigation of the page.
    func go(to target: String) throws -> String {
        String(decoding: try PageClient.navigate(client, port, target, cookie).body, as: UTF8.self)
    }

    func get(_ path: String) throws -> RawClient.Answer {
        client.say(
            "GET \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nCookie: \(cookie)\r\n"
                + "Referer: http://localhost:\(port)\(target)\r\n\r\n")
        guard let answer = try client.answer() else { throw ServedProcess.Failure(description: "no \(path)") }
        return answer
    }

    /// Sends a message over the bridge on a new connection.
    func call(_ message: String) throws -> String {
        let client = try RawClient(port: port)
        client.say(
            "POST /__otalab/bridge HTTP/1.1\r\nHost: localhost:\(port)\r\nCookie: \(cookie)\r\n"
                + "Referer: http://localhost:\(port)\(target)\r\nContent-Length: \(message.utf8.count)\r\n\r\n"
                + message)
        guard let answer = try client.answer() else { throw ServedProcess.Failure(description: "no answer") }
        return String(decoding: answer.body, as: UTF8.self)
    }
}
