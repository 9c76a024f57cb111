import Backend
import Foundation
import Live
import Oracle
import OriginServer
import Runner
import ScenarioLanguage
import Synchronization
import World

/// A scenario's origin, served on a separate thread until this object is deallocated.
final class ServedScenario: Sendable {
    let port: UInt16
    private let lines: Lines
    private let stopper: @Sendable () -> Void
    private let isStopped = Mutex(false)
    private let isOver = DispatchSemaphore(value: 0)

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private final class Runner: @unchecked Sendable {
        var served: ServedOrigin?

        init(_ served: ServedOrigin) { self.served = served }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// v1 is embedded, v2 changes `app.js` and adds `big.bin`; `steps` are those of a scenario.
    static func text(_ steps: String, app: String = #"id: "com.example.real", embeds: "v1""#) -> String {
        """
        {
          schema: 1, title: "Served", app: { \(app) },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "20 KB" } },
            v2: { from: "v1", changes: ["app.js"], files: { "big.bin": "300 KB" } },
            v3: { from: "v2", changes: ["app.js"] },
          },
          steps: [ \(steps) ],
        }
        """
    }

    init(
        _ text: String, speed: Int64 = 1, link: LinkProfile? = LinkProfile(latency: .zero, bandwidth: 1 << 33)
    )
        throws
    {
        let reading = ScenarioReader.read(path: "Scenarios/served.json5", bytes: Array(text.utf8))
        guard let scenario = reading.scenarios.first else {
            throw Failure(description: DiagnosticRenderer.render(reading.diagnostics))
        }
        let socket = try HTTPPort("127.0.0.1", port: 0)
        port = socket.port
        let timeline = try OriginTimeline(scenario, root: "http://127.0.0.1:\(socket.port)", link: link)
        var options = ServedOrigin.Options()
        options.speed = speed
        let lines = Lines()
        self.lines = lines
        let served = ServedOrigin(timeline, socket, options) { line in lines.all.withLock { $0.append(line) }
        }
        stopper = served.stopper()
        let runner = Runner(served)
        let isOver = isOver
        Thread.detachNewThread {
            do { try runner.served?.run() } catch { lines.all.withLock { $0.append("failed: \(error)") } }
            runner.served = nil
            isOver.signal()
        }
    }

    deinit { stop() }

    /// - Returns: false when it did not end within 5 s.
    @discardableResult
    func stop() -> Bool {
        let isFirst = isStopped.withLock { value in
            defer { value = true }
            return !value
        }
        if !isFirst { return true }
        stopper()
        return isOver.wait(timeout: .now() + 5) == .success
    }

    var log: [String] { lines.all.withLock { $0 } }

    /// Waits for a line with this text.
    func line(_ text: String) throws -> String {
        for _ in 0..<1_000 {
            if let line = log.first(where: { $0.contains(text) }) { return line }
            usleep(5_000)
        }
        throw Failure(description: "no line with '\(text)' in:\n\(log.joined(separator: "\n"))")
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Sends one request on a new connection; nil: no complete answer arrived.
    func ask(_ target: String, _ method: String = "GET", _ more: String = "", body: String = "") throws
        -> RawClient.Answer?
    {
        let client = try RawClient(port: port)
        client.say(request(target, method, more, body: body))
        return try client.answer(toHead: method == "HEAD")
    }

    func request(_ target: String, _ method: String = "GET", _ more: String = "", body: String = "") -> String
    {
        let length = method == "POST" ? "Content-Length: \(body.utf8.count)\r\n" : ""
        return "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(length)\(more)\r\n\(body)"
    }

    /// Status and text of the answer to a control command.
    func control(_ path: String, _ method: String = "POST", _ body: String = "") throws -> String {
        guard let answer = try ask("/__otalab/" + path, method, body: body) else { return "no answer" }
        return "\(answer.status) " + String(decoding: answer.body, as: UTF8.self)
    }
}
