import Core

/// Clock, queue and watchdog of a world: what happens next, and whether anything still moves.
///
/// Guarantees: the clock never goes back and jumps over time in which nothing happens;
/// ``advance()`` hands out every entry once. What an event means is its owner's business.
struct Kernel<Event: Sendable>: Sendable {
    private(set) var now = Instant.zero
    private(set) var queue = Queue<Event>()
    /// Events handed out.
    private(set) var events = 0
    /// Events since ``progressed()``, or since a minute of virtual time went by.
    private(set) var idleEvents = 0
    private var progressAt = Instant.zero

    init() {}

    var nextTime: Instant? { queue.nextTime }

    /// An instant in the past counts as now.
    @discardableResult
    mutating func schedule(_ event: Event, at: Instant, tie: UInt64 = 0) -> Ticket {
        queue.push(event, at: max(at, now), tie: tie)
    }

    mutating func cancel(_ ticket: Ticket) { queue.remove(ticket) }

    mutating func cancelAll(where leaves: (Event) -> Bool) { queue.removeAll(where: leaves) }

    /// The next event; the clock stands at its instant then.
    @inline(__always)
    mutating func advance() -> Event? {
        guard let (at, event) = queue.pop() else { return nil }
        now = at
        events &+= 1
        idleEvents &+= 1
        if at.microseconds &- progressAt.microseconds > 60_000_000 { progressed() }
        return event
    }

    /// The clock moves on without an event; never back.
    mutating func wait(until instant: Instant) { now = max(now, instant) }

    /// Something happened that somebody waits for.
    @inline(__always)
    mutating func progressed() {
        idleEvents = 0
        progressAt = now
    }
}
