import Core

/// Tells whether a subject is at rest: nothing has arrived for a while, and its threads sleep without using
/// the processor.
struct RestWatch {
    /// Wall-clock time without any byte, and without processor time.
    static let grace = TimeSpan.milliseconds(60)

    private(set) var isAtRest = false
    private var quietSince: Instant?
    private var activity: ProcessTable.Activity?

    /// - Parameter hasInput: whether something has arrived since the last call.
    mutating func update(_ hasInput: Bool, _ process: SubjectProcess?, at now: Instant) {
        guard !hasInput, let process else {
            quietSince = nil
            isAtRest = false
            return
        }
        guard let since = quietSince else {
            quietSince = now
            activity = process.activity()
            return
        }
        if isAtRest || now - since < RestWatch.grace { return }
        let current = process.activity()
        isAtRest = current.isAsleep && current.ticks == activity?.ticks
        if !isAtRest { quietSince = nil }
    }
}
