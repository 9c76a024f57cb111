import Foundation
import Reporting
import Synchronization

/// Results go to standard output, messages to standard error.
enum Output {
    /// Why standard output could not take everything; nil if it did, or if its reader closed it on purpose.
    static var fault: String? { lostOutput.withLock { $0 } }

    private static let lostOutput = Mutex<String?>(nil)

    static func result(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    /// A file of a report that could not be written; the exit code is ``ExitCode/reportNotWritten``.
    static func notWritten(_ fault: ReportError) {
        error("error: \(fault.path) could not be written: \(fault.why)\n")
    }

    /// - Returns: nil, or why not everything was written (the reader closed the pipe, the disk is full).
    ///   Callers may ignore it for standard output, because the program's end looks at ``fault``.
    @discardableResult
    static func write(_ text: String, to stream: Int32) -> String? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(stream, $0.baseAddress, $0.count) }
            if count < 0 {
                let code = errno
                if code == EINTR || code == EAGAIN { continue }
                let why = String(cString: strerror(code))
                if stream == STDOUT_FILENO, code != EPIPE { lostOutput.withLock { $0 = $0 ?? why } }
                return why
            }
            bytes = bytes.dropFirst(count)
        }
        return nil
    }

    static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

    /// The terminal's width; nil if the stream is no terminal or the width is unknown or below 40.
    static func columns(_ stream: Int32) -> Int? {
        var size = winsize()
        guard isTerminal(stream), ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else {
            return nil
        }
        return Int(size.ws_col)
    }

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// Writes text for people: to standard output, or to standard error if a report goes to standard output.
struct TextOutput: Sendable {
    let stream: Int32
    /// Whether only ASCII is written.
    let isASCII: Bool

    func write(_ text: String) { Output.write(isASCII ? TextOutput.ascii(text) : text, to: stream) }

    /// Replaces the symbols of otalab's reports by ASCII ones, and all other scalars by their code.
    static func ascii(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "─": result += "-"
            case "│": result += "|"
            case "←": result += "<-"
            case "→": result += "->"
            case "…": result += "..."
            case "×": result += "x"
            case "·", "•": result += "*"
            case "∎": result += "#"
            default:
                if scalar.isASCII {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += "\\u{\(String(scalar.value, radix: 16))}"
                }
            }
        }
        return result
    }
}

extension Arguments {
    /// `-C DIR`: all paths, those of reports included, are relative to that folder.
    func enterFolder() throws(UsageError) {
        guard let folder = text("--directory") else { return }
        guard FileManager.default.changeCurrentDirectoryPath(folder) else {
            throw UsageError(
                message: "can't go to the folder '\(folder)'", help: "name an existing folder")
        }
    }
}
