import Foundation
import Synchronization

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A remote root on a real port of the loopback: echoes what it receives, sends much, slowly, too little or
/// nothing, and speaks bytes after an upgrade.
final class EchoRoot: Sendable {
    private let listener: ThreadedPort
    private let state = Mutex<[String]>([])

    init() throws {
        listener = try ThreadedPort()
        listener.accepting { [weak self] in self?.serve($0) }
    }

    var port: UInt16 { listener.port }

    /// Heads as they came.
    var heads: [String] { state.withLock { $0 } }

    static let large = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 11) }

    private func serve(_ connection: Int32) {
        var heard: [UInt8] = []
        func listen() -> Bool {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &buffer, buffer.count, 0)
            if count > 0 { heard += buffer[..<count] }
            return count > 0
        }
        func say(_ bytes: [UInt8]) { _ = ThreadedPort.say(bytes, on: connection) }
        while heard.firstRange(of: Array("\r\n\r\n".utf8)) == nil { if !listen() { return } }
        guard let end = heard.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        let head = String(decoding: heard[..<end.lowerBound], as: UTF8.self)
        heard.removeFirst(end.upperBound)
        state.withLock { $0.append(head) }
        let path = head.split(separator: " ").dropFirst().first ?? ""
        if head.contains("Upgrade: websocket") {
            say(Array("HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".utf8))
            while true {
                say(heard)
                heard = []
                if !listen() { return }
            }
        }
        switch path {
        case "/api/large":
            say(Array("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n".utf8) + EchoRoot.large)
        case "/api/events":
            say(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
            for number in 0..<4 {
                say(Array("6\r\ndata \(number)\r\n".utf8))
                usleep(250_000)
            }
            say(Array("0\r\n\r\n".utf8))
        case "/api/short": say(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".utf8))
        case "/api/hang": while listen() {}
        default:
            let length =
                head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
                .flatMap { Int($0.dropFirst(16)) } ?? 0
            while heard.count < length { if !listen() { return } }
            say(Array("HTTP/1.1 200 OK\r\nContent-Length: \(heard.count)\r\n\r\n".utf8) + heard)
        }
    }
}
