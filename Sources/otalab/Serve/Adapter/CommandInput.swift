import AppHost
import Core
import Foundation
import Subject

/// Commands of the laboratory, from standard input, which is read without waiting.
struct CommandInput {
    /// One line, whose keys are read where they are needed.
    struct Command {
        let id: Int64
        let name: String
        fileprivate let node: JSONNode

        func text(_ key: String) -> String? { node[key]?.string }
        func number(_ key: String) -> Int64? { node[key]?.integer }
        func flag(_ key: String) -> Bool { node[key]?.bool ?? false }

        /// The value of a key as JSON, UTF-8.
        func json(_ key: String) -> [UInt8]? {
            guard let value = node[key] else { return nil }
            var json = JSONWriter()
            json.node(value)
            return json.bytes
        }

        /// The web view that it is about.
        var view: WebViewID { WebViewID(Int(number("view") ?? 0) + WebViewID.first.rawValue) }
    }

    private var lines = LineSplitter()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Reads what has arrived. Lines that are no command are left out: nobody waits for their answer.
    /// - Returns: nil at the end of the input.
    mutating func read() -> [Command]? {
        var polled = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
        var pieces: [LineSplitter.Piece] = []
        while poll(&polled, 1, 0) > 0 {
            let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
            if count <= 0 { return nil }
            pieces += lines.take(buffer[..<count])
        }
        return pieces.compactMap { piece in
            guard case .line(let line) = piece else { return nil }
            return CommandInput.command(line)
        }
    }

    private static func command(_ line: [UInt8]) -> Command? {
        guard let node = try? JSONReader.read(line, dialect: .strict), let id = node["id"]?.integer,
            let name = node["do"]?.string
        else { return nil }
        return Command(id: id, name: name, node: node)
    }
}
