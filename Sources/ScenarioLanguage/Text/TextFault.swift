/// Why a text is not valid. Offsets count UTF-8 bytes inside the quotes.
struct TextFault: Error, Hashable {
    var code: DiagnosticCode
    var message: String
    var label: String
    var help: String?
    var start: Int
    var end: Int
    /// Whether the text begins like one of this type, so that this fault says more than "none of these".
    var isSpecific: Bool
    /// Keywords and names that would be valid.
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
