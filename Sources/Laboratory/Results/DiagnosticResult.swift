/// Something wrong in a scenario file, ready to be shown.
public struct DiagnosticResult: Hashable, Sendable {
    /// Stable: `E0103`.
    public var code: String
    public var isError: Bool
    /// One sentence without a full stop.
    public var message: String
    /// What is said beside the caret; may be empty.
    public var label: String
    public var place: SourcePlace
    /// What to write instead.
    public var help: String?
    /// Other places that belong to it, each with its own sentence.
    public var related: [Related]

    public struct Related: Hashable, Sendable {
        public var message: String
        public var place: SourcePlace

        public init(message: String, place: SourcePlace) {
            self.message = message
            self.place = place
        }
    }

    public init(
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
