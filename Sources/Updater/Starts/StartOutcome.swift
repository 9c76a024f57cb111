/// How a start of a version not yet proven ended without a confirmation (R3). The text is the evidence.
enum StartOutcome: Hashable, Sendable {
    /// Evidence against the version that a phone really has.
    case failed(LogCause, String)
    /// Something ended it; nobody knows what.
    case unclear(LogCause, String)
    /// It hardly began: in background, less than 5 s in front.
    case uncounted(String)
}
