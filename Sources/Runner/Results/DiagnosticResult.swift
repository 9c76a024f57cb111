/// A mistake in a scenario file, with its location, as reports show it.
package struct DiagnosticResult: Hashable, Sendable {
    /// Stable code: `E0103`.
    package var code: String
    package var isError: Bool
    /// Message as one sentence without a full stop.
    package var message: String
    /// Text beside the caret; may be empty.
    package var label: String
    package var location: FileLocation
    /// Suggestion what to write instead.
    package var help: String?
    /// Other locations that belong to it, each with a message.
    package var related: [Related]

    package struct Related: Hashable, Sendable {
        package var message: String
        package var location: FileLocation

        package init(message: String, location: FileLocation) {
            self.message = message
            self.location = location
        }
    }

    package init(
        code: String, isError: Bool, message: String, label: String, location: FileLocation,
        help: String? = nil,
        related: [Related] = []
    ) {
        self.code = code
        self.isError = isError
        self.message = message
        self.label = label
        self.location = location
        self.help = help
        self.related = related
    }
}

extension DiagnosticResult {
    /// Code of a file that can't be read, in reports and in `lint`.
    package static let unreadableCode = "E0301"

    /// The diagnostic of a file that can't be read; it has no line.
    package static func unreadable(_ path: String, _ why: String) -> DiagnosticResult {
        DiagnosticResult(
            code: unreadableCode, isError: true, message: why, label: "",
            location: FileLocation(file: path, line: 1, column: 1, length: 0, text: ""),
            help: ShellWord.look(at: path))
    }
}
