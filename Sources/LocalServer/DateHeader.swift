import Core
import HTTP1

/// What a device's wall clock said at an instant of its monotonic one. For the `Date` of answers and nothing
/// else: a wall clock decides nothing (N3).
public struct WallClock: Hashable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64
    public var at: Instant

    public init(seconds: Int64, at: Instant) {
        self.seconds = seconds
        self.at = at
    }
}

/// The `Date` of an answer (RFC 9110 §6.6.1), written once a second. The clock is read once, at launch, and
/// goes on by the monotonic one: a user who sets it changes what later processes say.
struct DateHeader: Equatable, Sendable {
    private let clock: WallClock
    private var seconds: Int64?
    private var text = ""

    init(_ clock: WallClock) { self.clock = clock }

    mutating func text(at now: Instant) -> String {
        let second = clock.seconds &+ (now - clock.at).microseconds / 1_000_000
        if second != seconds {
            seconds = second
            text = HTTPDate.text(OriginTime(seconds: second))
        }
        return text
    }
}
