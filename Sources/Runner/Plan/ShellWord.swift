/// Quotes arguments of commands that users copy from a message.
package enum ShellWord {
    /// The text quoted so that a POSIX shell reads it as one argument.
    package static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !"'\"$`\\*?[](){}<>|&;!#~".utf8.contains(byte)
            }
        if isPlain { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    /// Help text for a file or folder that can't be read or written.
    package static func look(at path: String) -> String { "look at it: ls -ld \(quoted(path))" }
}
