import Core
import HTTP1

/// The `Date` of a response (RFC 9110 §6.6.1), formatted once a second. The wall clock is read once, at
/// launch, and continued by the monotonic one: a user who sets it changes the `Date` of later processes only.
struct DateHeader: Equatable, Sendable {
    private let clock: WallClock
    private var seconds: Int64?
    private var text = ""

    init(_ clock: WallClock) { self.clock = clock }

    mutating func text(at now: Instant) -> String {
        let start = OriginTime(seconds: clock.seconds)
        let time = start + (now - clock.at)
        if time.seconds != seconds {
            seconds = time.seconds
            text = HTTPDate.text(time)
        }
        return text
    }
}
