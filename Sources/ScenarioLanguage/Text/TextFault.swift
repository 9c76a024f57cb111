/// Why a text can't stand where it stands; offsets count UTF-8 bytes inside the quotes.
struct TextFault: Error, Hashable {
    var code: DiagnosticCode
    var message: String
    var label: String
    var help: String?
    var start: Int
    var end: Int
    /// The text began as one of this kind, so that this fault says more than "none of these".
    var isSpecific: Bool
    /// Words and names that would have done.
    var options: [String] = []

    init(
        _ code: DiagnosticCode, _ message: String, label: String, help: String? = nil, at start: Int,
        _ end: Int,
        isSpecific: Bool = true
    ) {
        self.code = code
        self.message = message
        self.label = label
        self.help = help
        self.start = start
        self.end = end
        self.isSpecific = isSpecific
    }
}
