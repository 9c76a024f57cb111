import AppHost
import Core

/// Deadlines of the host's timers by name; setting a timer again replaces its deadline.
struct TimerTable {
    private var deadlines: [AppHost.TimerName: Instant] = [:]
    /// Lower bound of all deadlines; nil when no timer is set. After a cancellation it may be too early.
    private(set) var next: Instant?

    mutating func set(_ name: AppHost.TimerName, at instant: Instant) {
        deadlines[name] = instant
        next = min(next ?? instant, instant)
    }

    mutating func cancel(_ name: AppHost.TimerName) { deadlines[name] = nil }

    /// Removes and returns the timers that are due, by deadline, then by name.
    mutating func due(at now: Instant) -> [AppHost.TimerName] {
        guard let next, next <= now else { return [] }
        let due = deadlines.filter { $0.value <= now }
            .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value < $1.value }
        for timer in due { deadlines[timer.key] = nil }
        self.next = deadlines.values.min()
        return due.map(\.key)
    }
}
