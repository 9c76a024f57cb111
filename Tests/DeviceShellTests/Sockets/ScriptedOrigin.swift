import Foundation
import Synchronization

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An origin on a real port of the loopback that sends the answers of a test, byte for byte.
final class ScriptedOrigin: Sendable {
    private let listener: ThreadedPort
    private let state = Mutex(State())
    private let answer: @Sendable (String) -> Answer

    private struct State {
        var asked: [String] = []
        var heads: [String] = []
        var connections = 0
        var open = 0
    }

    struct Answer: Sendable {
        /// Head and body as they go out.
        var bytes: [UInt8]
        var closes = false

        static func ok(_ body: [UInt8], _ fields: String = "") -> Answer {
            Answer(
                bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(fields)\r\n".utf8) + body)
        }

        static let notFound = Answer(bytes: Array("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".utf8))
    }

    /// - Parameter answer: for the target of each request; called on the connection's thread.
    init(_ answer: @escaping @Sendable (String) -> Answer) throws {
        self.answer = answer
        listener = try ThreadedPort()
        listener.accepting { [weak self] in self?.serve($0) }
    }

    var port: UInt16 { listener.port }

    /// Heads as they came.
    var heads: [String] { state.withLock { $0.heads } }
    var asked: [String] { state.withLock { $0.asked } }
    var connections: Int { state.withLock { $0.connections } }
    /// Connections that no side has closed.
    var open: Int { state.withLock { $0.open } }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func serve(_ connection: Int32) {
        state.withLock {
            $0.connections += 1
            $0.open += 1
        }
        defer { state.withLock { $0.open -= 1 } }
        var heard: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            guard let end = heard.firstRange(of: Array("\r\n\r\n".utf8)) else {
                let count = recv(connection, &buffer, buffer.count, 0)
                if count <= 0 { return }
                heard += buffer[..<count]
                continue
            }
            let line = String(decoding: heard.prefix { $0 != 13 }, as: UTF8.self)
            let head = String(decoding: heard[..<end.lowerBound], as: UTF8.self)
            heard.removeFirst(end.upperBound)
            state.withLock { $0.heads.append(head) }
            let target = line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
            state.withLock { $0.asked.append(target) }
            let answer = answer(target)
            guard ThreadedPort.say(answer.bytes, on: connection), !answer.closes else { return }
        }
    }
}
