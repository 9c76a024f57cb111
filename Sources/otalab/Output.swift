import Foundation

/// Results go to standard output, messages to standard error.
enum Output {
    static func result(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    static func error(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
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
