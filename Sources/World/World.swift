import Core

/// The simulated surroundings of the real app, as one value: copying it is a fork.
///
/// Public doors (all deterministic): ``init(_:)``, ``perform(_:step:order:)``, ``schedule(_:)``,
/// ``step()``, ``run(until:)``, ``settle(limit:)``, ``view(of:)``, ``facts``.
public struct World: Sendable {
    public let setup: WorldSetup
    public private(set) var now = Instant.zero

    public init(_ setup: WorldSetup) throws(SetupError) {
        self.setup = setup
    }

    /// When the next event happens; nil: nothing is left to do.
    public var nextEventTime: Instant? { nil }

    /// Does it now. `order` holds back the named events of the race that the action begins until their turn.
    public mutating func perform(_ action: Action, step: Int = 0, order: [RacingEvent] = []) {}

    /// Does it when its trigger says so.
    public mutating func schedule(_ scheduled: Scheduled) {}

    /// One event.
    public mutating func step() -> StepResult { .idle }

    /// All events up to and at that instant; the clock stands there then. Stops early with what is not
    /// `happened`, but for `idle`.
    public mutating func run(until end: Instant) -> StepResult {
        now = end
        return .happened(end)
    }

    /// Until only idle timers are left, at most that long; says whether it came to that.
    public mutating func settle(limit: TimeSpan) -> Bool { true }

    public func view(of device: Int = 0) -> DeviceView {
        DeviceView(device: device, build: setup.app.installed)
    }

    /// What was recorded, in order.
    public var facts: [Fact] { [] }
}
