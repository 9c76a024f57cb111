import Foundation

/// Results go to standard output, messages to standard error.
enum Output {
    static func result(_ text: String) { write(text, to: STDOUT_FILENO) }

    static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    /// - Returns: nil, or why not all was written (the reader has gone, the disk is full). Text for people
    ///   may be lost like that, since the exit code still tells.
    @discardableResult
    static func write(_ text: String, to stream: Int32) -> String? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(stream, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                return String(cString: strerror(errno))
            }
            bytes = bytes.dropFirst(count)
        }
        return nil
    }

    static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

    /// Of a terminal; nil: it is none, or does not say.
    static func columns(_ stream: Int32) -> Int? {
        var size = winsize()
        guard isTerminal(stream), ioctl(stream, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 40 else {
            return nil
        }
        return Int(size.ws_col)
    }

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// Text for a person: to standard output, or to standard error where that is taken by a report.
struct Human: Sendable {
    let stream: Int32
    /// Nothing but ASCII.
    let isPlain: Bool

    func tell(_ text: String) { Output.write(isPlain ? Human.ascii(text) : text, to: stream) }

    /// Signs of ours by others, letters of others by their code.
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
    /// `-C DIR`: all paths, reports among them, are meant from there.
    func enterFolder() throws(UsageError) {
        guard let folder = text("--directory") else { return }
        guard FileManager.default.changeCurrentDirectoryPath(folder) else {
            throw UsageError(
                message: "can't go to the folder '\(folder)'", help: "name a folder that is there")
        }
    }
}
