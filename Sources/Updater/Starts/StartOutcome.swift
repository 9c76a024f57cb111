/// How a start of an unproven version ended without a confirmation (R3). The text is the evidence.
enum StartOutcome: Hashable, Sendable {
    /// There is recorded evidence against the version.
    case failed(LogCause, String)
    /// It ended for an unknown reason.
    case unclear(LogCause, String)
    /// It hardly began: in background, with less than 5 s in front.
    case uncounted(String)
}
