import Core

/// The clock of a subject whose time passes only by command.
///
/// It stands still while anything happens between laboratory and subject, and goes on when the subject has
/// said that all that is left waits for time or for the origin: then to the next thing that is due.
struct OwnClock {
    /// Wall-clock time without a byte, after which the subject is asked whether it is at rest.
    static let grace = TimeSpan.milliseconds(2)
    /// Wall-clock time after which a request that only one side knows of is taken for held back.
    static let longestTransit = TimeSpan.milliseconds(300)

    /// A subject whose next timer is due later than this is settled: a download that it tries again by itself
    /// is soon, a regular check is not.
    static let soon = TimeSpan.minutes(2)

    /// The subject's time, by what it was told.
    private(set) var time: Instant
    /// Whether it has said that it is at rest, and nothing has happened since.
    private(set) var isResting = false
    /// Its next timer; nil: none.
    private(set) var due: Instant?
    /// Its requests that wait for bytes; nil: it does not say.
    private(set) var open: Int?
    private var isAsked = false
    private var quietSince: Instant?

    init(at now: Instant) { time = now }

    /// Whether it rests, and will not go on by itself soon.
    var isSettled: Bool { isResting && due.map { $0 - time > OwnClock.soon } ?? true }

    /// Something was sent to the subject, or came from it.
    mutating func somethingHappened() {
        isResting = false
        quietSince = nil
    }

    mutating func answered(_ answer: SubjectAnswer) {
        isAsked = false
        guard quietSince != nil else { return }
        isResting = answer.isOK
        due = answer.next.map { time + $0 }
        open = answer.open
    }

    /// Whether the subject is to be asked now whether it is at rest.
    mutating func shouldAsk(at wall: Instant) -> Bool {
        guard let since = quietSince else {
            quietSince = wall
            return false
        }
        return !isResting && !isAsked && wall - since >= OwnClock.grace
    }

    mutating func asked(at wall: Instant) {
        isAsked = true
        quietSince = wall
    }

    /// Whether nothing is on its way: the requests that the origin has are those that the subject waits for,
    /// and no page waits for an answer. After a while what differs counts as held back on purpose, if the
    /// subject does nothing: on a busy machine it may need longer for an answer.
    func agrees(
        withOpen count: Int, isPageWaiting: Bool, at wall: Instant, isIdle: () -> Bool
    ) -> Bool {
        guard let since = quietSince, isPageWaiting || open ?? count != count else { return true }
        return wall - since > OwnClock.longestTransit && isIdle()
    }

    /// When its next timer fires: at its time, or if that has passed at its next whole millisecond; nil:
    /// never.
    func wakes(after now: Instant) -> Instant? {
        guard let due else { return nil }
        if due > now { return due }
        let behind = (now - time).microseconds
        return time + .milliseconds(max((behind + 999) / 1_000, 1))
    }

    /// Moves to an instant, in whole milliseconds.
    /// - Returns: the milliseconds that the subject is to be told; 0: none yet.
    mutating func move(to instant: Instant) -> Int64 {
        let milliseconds = (instant - time).microseconds / 1_000
        guard milliseconds > 0 else { return 0 }
        time = time + .milliseconds(milliseconds)
        return milliseconds
    }
}
