import AppHost
import Core

/// Deadlines of the host's timers by name; setting a timer again replaces its deadline.
///
/// Guarantee: a timer that is due stays in the table until it is taken, so that one that is cancelled or set
/// again meanwhile does not fire, although it was due in the same batch.
struct TimerTable {
    /// A timer that was due. It is void when the timer has been cancelled or set again since.
    struct Ticket {
        let name: AppHost.TimerName
        fileprivate let setting: UInt64
    }

    private struct Entry {
        var deadline: Instant
        /// Ordinal of the call that set it.
        var setting: UInt64
    }

    private var entries: [AppHost.TimerName: Entry] = [:]
    private var settings: UInt64 = 0
    /// Lower bound of all deadlines; nil when no timer is set. After a cancellation it may be too early.
    private(set) var next: Instant?

    /// Whether a timer is set whose expiry decides about a start.
    var hasStartTimer: Bool { entries.keys.contains { $0.decidesAboutStart } }

    mutating func set(_ name: AppHost.TimerName, at instant: Instant) {
        settings += 1
        entries[name] = Entry(deadline: instant, setting: settings)
        next = min(next ?? instant, instant)
    }

    mutating func cancel(_ name: AppHost.TimerName) { entries[name] = nil }

    func isDue(at now: Instant) -> Bool { next.map { $0 <= now } ?? false }

    /// The timers that are due, by deadline, then by name. Each is to be passed to ``take(_:)``.
    mutating func due(at now: Instant) -> [Ticket] {
        guard isDue(at: now) else { return [] }
        let due = entries.filter { $0.value.deadline <= now }
            .sorted {
                $0.value.deadline == $1.value.deadline
                    ? $0.key < $1.key : $0.value.deadline < $1.value.deadline
            }
        next = entries.values.lazy.map(\.deadline).filter { $0 > now }.min()
        return due.map { Ticket(name: $0.key, setting: $0.value.setting) }
    }

    /// Removes a timer that was due.
    /// - Returns: false when it has been cancelled or set again.
    mutating func take(_ ticket: Ticket) -> Bool {
        guard entries[ticket.name]?.setting == ticket.setting else { return false }
        entries[ticket.name] = nil
        return true
    }
}
