/// Words of a command that people copy out of a message.
package enum ShellWord {
    /// As a shell takes it for one word.
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

    /// What to do about a file or folder that can't be read or written.
    package static func look(at path: String) -> String { "look at it: ls -ld \(quoted(path))" }
}
