import AppHost
import Core

/// When the host wants to be woken, by name: setting one again replaces it.
struct TimerTable {
    private var deadlines: [AppHost.TimerName: Instant] = [:]
    /// No timer is due before; nil: none is set. May lie too early, never too late.
    private(set) var next: Instant?

    mutating func set(_ name: AppHost.TimerName, at instant: Instant) {
        deadlines[name] = instant
        next = min(next ?? instant, instant)
    }

    mutating func cancel(_ name: AppHost.TimerName) { deadlines[name] = nil }

    /// Takes out what is due, in the order in which it was due; at the same instant in the order of names.
    mutating func due(at now: Instant) -> [AppHost.TimerName] {
        guard let next, next <= now else { return [] }
        let due = deadlines.filter { $0.value <= now }
            .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value < $1.value }
        for timer in due { deadlines[timer.key] = nil }
        self.next = deadlines.values.min()
        return due.map(\.key)
    }
}
