import Core

/// Determines whether a subject in real time is at rest: nothing has arrived for a while, its threads sleep
/// without using the processor, and, where it understands `rest`, it says that nothing is under way.
///
/// A thread that sleeps may wait for a time of its own, such as that of its next attempt; only the subject
/// knows.
struct RestWatch {
    /// Wall-clock time without any byte, and without processor time.
    static let grace = TimeSpan.milliseconds(60)
    /// Wall-clock time within which a subject comes to rest, and answers `rest`, which it does when its work
    /// is done.
    static let limit = TimeSpan.minutes(2)

    private enum Reply {
        case none
        case awaited
        case received
    }

    private(set) var isQuiet = false
    private var quietSince: Instant?
    private var activity: ProcessTable.Activity?
    /// Reply to `rest` since something arrived or was sent last.
    private var reply = Reply.none

    /// - Parameter asks: whether the subject understands `rest`.
    func isAtRest(asking asks: Bool) -> Bool { isQuiet && (!asks || reply == .received) }

    /// Whether the subject is to be asked now.
    var shouldAsk: Bool { isQuiet && reply == .none }

    mutating func asked() { reply = .awaited }

    /// It answered that it is at rest, or that it does not know.
    mutating func answered() {
        if reply == .awaited { reply = .received }
    }

    /// Something was sent to the subject.
    mutating func somethingHappened() {
        quietSince = nil
        isQuiet = false
        if reply == .received { reply = .none }
    }

    /// - Parameter hasInput: whether something has arrived since the last call.
    mutating func update(_ hasInput: Bool, _ process: SubjectProcess?, at now: Instant) {
        guard !hasInput, let process else { return somethingHappened() }
        guard let since = quietSince else {
            quietSince = now
            activity = process.activity()
            return
        }
        if isQuiet || now - since < RestWatch.grace { return }
        let current = process.activity()
        isQuiet = current.isAsleep && current.ticks == activity?.ticks
        if !isQuiet { quietSince = nil }
    }
}
