import Foundation

/// Results go to standard output, messages to standard error.
enum Output {
    static func result(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    static func error(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
