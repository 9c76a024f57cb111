import Foundation
import ScenarioLanguage

/// The log of a served app: time of day, source and message, one line each. Thread-safe; lines are atomic.
///
/// Control characters are escaped: what a page, an origin or another client sends must not move the cursor,
/// colour the terminal or begin a line.
final class ServeLog: Sendable {
    private let showsDetails: Bool
    private let output: TextOutput
    private let lock = NSLock()

    init(_ output: TextOutput, showsDetails: Bool) {
        self.output = output
        self.showsDetails = showsDetails
    }

    func log(_ source: String, _ message: String) {
        let source = source.padding(toLength: max(source.count, 8), withPad: " ", startingAt: 0)
        let line = TerminalText.printable(message).split(separator: "\n", omittingEmptySubsequences: false)
        write("\(ServeLog.time())  \(source) \(line.joined(separator: "␊"))")
    }

    /// Logs only with `--verbose`.
    func detail(_ source: String, _ message: @autoclosure () -> String) {
        if showsDetails { log(source, message()) }
    }

    /// Prints lines without time and source.
    func print(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { TerminalText.printable(String($0)) }.joined(separator: "\n"))
    }

    private func write(_ text: String) { lock.withLock { output.write(text + "\n") } }

    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        var seconds = now.tv_sec
        localtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let milliseconds = String(1_000 + now.tv_nsec / 1_000_000).dropFirst()
        return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(milliseconds)"
    }
}
