/// Something wrong in a scenario file, ready to be shown.
package struct DiagnosticResult: Hashable, Sendable {
    /// Stable: `E0103`.
    package var code: String
    package var isError: Bool
    /// One sentence without a full stop.
    package var message: String
    /// What is said beside the caret; may be empty.
    package var label: String
    package var place: SourcePlace
    /// What to write instead.
    package var help: String?
    /// Other places that belong to it, each with its own sentence.
    package var related: [Related]

    package struct Related: Hashable, Sendable {
        package var message: String
        package var place: SourcePlace

        package init(message: String, place: SourcePlace) {
            self.message = message
            self.place = place
        }
    }

    package init(
        code: String, isError: Bool, message: String, label: String, place: SourcePlace, help: String? = nil,
        related: [Related] = []
    ) {
        self.code = code
        self.isError = isError
        self.message = message
        self.label = label
        self.place = place
        self.help = help
        self.related = related
    }
}

extension DiagnosticResult {
    /// The code of a file that can't be read at all, in reports and in `lint`.
    package static let unreadableCode = "E0301"

    /// As lint says it; no line of the file is known.
    package static func unreadable(_ path: String, _ why: String) -> DiagnosticResult {
        DiagnosticResult(
            code: unreadableCode, isError: true, message: why, label: "",
            place: SourcePlace(file: path, line: 1, column: 1, length: 0, text: ""),
            help: ShellWord.look(at: path))
    }
}
