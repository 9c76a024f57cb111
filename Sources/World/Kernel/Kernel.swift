import Core

/// Clock, event queue and watchdog of a world.
///
/// Guarantees: the clock never goes back, and it skips time in which nothing happens; ``advance()`` returns
/// every entry once. The owner of the kernel interprets the events.
struct Kernel<Event: Sendable>: Sendable {
    private(set) var now = Instant.zero
    private(set) var queue = EventQueue<Event>()
    /// Number of events returned by ``advance()``.
    private(set) var events = 0
    /// Number of events since ``progressed()``, or since the last minute of virtual time passed.
    private(set) var idleEvents = 0
    private var progressAt = Instant.zero

    init() {}

    var nextTime: Instant? { queue.nextTime }

    /// An instant in the past counts as now.
    @discardableResult
    mutating func schedule(_ event: Event, at: Instant, tie: UInt64 = 0) -> QueueTicket {
        queue.push(event, at: max(at, now), tie: tie)
    }

    mutating func cancel(_ ticket: QueueTicket) { queue.remove(ticket) }

    mutating func cancelAll(where leaves: (Event) -> Bool) { queue.removeAll(where: leaves) }

    /// The next event; sets the clock to its instant.
    @inline(__always)
    mutating func advance() -> Event? {
        guard let (at, event) = queue.pop() else { return nil }
        now = at
        events &+= 1
        idleEvents &+= 1
        if at.microseconds &- progressAt.microseconds > 60_000_000 { progressed() }
        return event
    }

    /// Moves the clock forward without an event.
    mutating func wait(until instant: Instant) { now = max(now, instant) }

    /// Resets the watchdog.
    @inline(__always)
    mutating func progressed() {
        idleEvents = 0
        progressAt = now
    }
}
