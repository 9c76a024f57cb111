import Core

/// Tells whether a subject in real time is at rest: nothing has arrived for a while, its threads sleep
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

    private enum Word {
        case none
        case awaited
        case given
    }

    private(set) var isQuiet = false
    private var quietSince: Instant?
    private var activity: ProcessTable.Activity?
    /// What the subject has said of the time since something arrived last.
    private var word = Word.none

    /// - Parameter asks: whether the subject understands `rest`.
    func isAtRest(asking asks: Bool) -> Bool { isQuiet && (!asks || word == .given) }

    /// Whether the subject is to be asked now.
    var shouldAsk: Bool { isQuiet && word == .none }

    mutating func asked() { word = .awaited }

    /// It said that it is at rest, or that it can't tell.
    mutating func answered() {
        if word == .awaited { word = .given }
    }

    /// Something was sent to the subject.
    mutating func somethingHappened() {
        quietSince = nil
        isQuiet = false
        if word == .given { word = .none }
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
