import Core

/// The instant of the step, and the `Date` of responses.
struct ServerClock: Equatable, Sendable {
    var now = Instant.zero
    private var date: DateHeader?

    /// - Parameter wallClock: nil: responses carry no `Date`.
    init(_ wallClock: WallClock?) { date = wallClock.map(DateHeader.init) }

    /// The value of `Date` now; nil: the response has none (RFC 9110 §6.6.1).
    var dateField: String? {
        mutating get { date?.text(at: now) }
    }
}
