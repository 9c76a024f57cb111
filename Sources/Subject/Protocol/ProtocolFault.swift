/// A mistake of an adapter: the line, what is wrong with it, and a way out. A run with such a mistake is
/// invalid, because nothing that follows can be trusted.
package struct ProtocolFault: Error, Hashable, Sendable {
    /// The line without its end, at most ``shownBytes`` of it.
    package var line: String
    /// Ordinal of the line in the process's output, from 1; 0: none is at fault.
    package var number: Int
    /// One sentence without a full stop.
    package var message: String
    package var help: String

    package static let shownBytes = 300

    package init(_ message: String, line: [UInt8] = [], number: Int = 0, help: String) {
        self.message = message
        self.number = number
        self.help = help
        let isCut = line.count > ProtocolFault.shownBytes
        self.line =
            String(decoding: line.prefix(ProtocolFault.shownBytes), as: UTF8.self) + (isCut ? "…" : "")
    }

    /// Message, line and way out, for a terminal.
    package var text: String {
        var lines = ["error: the adapter: \(message)"]
        if number > 0 { lines.append("  line \(number) of its output: \(line)") }
        lines.append("  help: \(help)")
        return lines.joined(separator: "\n")
    }
}
