/// How a start of an unproven version ended without a confirmation (R3). The text is the evidence.
enum StartOutcome: Hashable, Sendable {
    /// There is recorded evidence against the version.
    case failed(LogCause, String)
    /// It ended for an unknown reason.
    /// - waits: the user gets another version because of it, at once and without blame; this one waits for
    ///   its second chance.
    case unclear(LogCause, String, waits: Bool)
    /// It hardly began: in background, with less than 5 s in front, or before anything was served.
    case uncounted(String)

    /// Whether its page is gone, so that a rescue disturbs no user.
    var leavesNoPage: Bool { if case .failed(.startFailedWebProcess, _) = self { true } else { false } }
}
