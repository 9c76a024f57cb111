import Core

/// The page's request that no automatic switch happens (U6).
///
/// **Invariant.** It holds for at most 24 h from the first request, however often the page repeats it.
struct SwitchHold: Sendable {
    private var since: Instant?
    private static let maximum = TimeSpan.hours(24)

    mutating func begin(at now: Instant) { since = since ?? now }

    mutating func end() { since = nil }

    func isActive(at now: Instant) -> Bool { since.map { now - $0 < SwitchHold.maximum } ?? false }
}
