import AppHost
import Core
import ScenarioLanguage
import Updater
import World

/// What a scenario is run in: a simulated world, or one day real devices behind a driver.
///
/// The laboratory knows nothing else of it: it does things, lets one event happen after another, and
/// looks at facts, at the screen, and (where there is one) at the disk.
package protocol Backend: Sendable {
    var now: Instant { get }

    /// When the next event happens; nil: nothing is left to do.
    var nextEventTime: Instant? { get }

    /// Nothing is left but timers that only wait for time to pass (`settle`).
    var isSettled: Bool { get }

    /// A step of the story has its turn, before anything of it happens.
    mutating func begin(_ step: Step)

    /// A device's disk's n-th call from now on is the last one, and takes at most so many bytes.
    mutating func stopDisk(of device: Int, atCall count: Int, writing bytes: Int?)

    /// The world, where it is a simulated one that a crash can fork.
    var simulated: World? { get }

    /// The scenario's versions with their bytes; nil where nobody knows them.
    var versionLibrary: Library? { get }

    /// Goes on from this one.
    mutating func replace(with world: World)

    /// Does it now, in no time. `order` sets the order of a race that the action begins.
    mutating func perform(_ performance: Performance, step: Int, device: Int, order: [RacingEvent])

    /// Does it when its trigger says so.
    mutating func schedule(_ scheduled: Scheduled, device: Int)

    /// Names of the cookies that a device's pages have, and keys that they stored under their origin.
    func webStorage(of device: Int) -> (cookies: [String], keys: [String])

    /// Every action that was scheduled, with what became of it so far.
    var armedActions: [ArmedAction] { get }

    /// The story is over: what is still armed never happens.
    mutating func disarm()

    /// Lets one event happen.
    mutating func next() -> StepOutcome

    /// Lets time pass up to that instant; called when no event is left before it.
    mutating func pass(to instant: Instant)

    /// All that happened so far, in order.
    var facts: [TraceEvent] { get }

    func view(of device: Int) -> DeviceView

    /// The one version of the page in front, as ``view(of:)`` tells it.
    func running(on device: Int) -> String?

    /// Another number whenever the disk may be a different one; nil where it can't be looked at.
    func diskMark(of device: Int) -> Int?

    /// The device's disk; nil where it can't be looked at.
    func disk(of device: Int) -> SimulatedDisk?

    /// Rolling over every event; equal for equal runs.
    var digest: UInt64 { get }

    /// Events so far.
    var eventCount: Int { get }

    /// Which version of the setup a key is; nil: none, or not known here.
    func key(ofVersion place: Int) -> VersionKey?
}

extension Backend {
    package mutating func begin(_ step: Step) {}
    package mutating func stopDisk(of device: Int, atCall count: Int, writing bytes: Int?) {}
    package var simulated: World? { nil }
    package var versionLibrary: Library? { simulated?.library }
    package func webStorage(of device: Int) -> (cookies: [String], keys: [String]) { ([], []) }
    package mutating func replace(with world: World) {}
}

/// What became of letting one event happen.
package enum StepOutcome: Hashable, Sendable {
    case event
    /// A device's disk stopped during the event.
    case diskStopped
    case nothingLeft
    case exhausted(Exhaustion)
}

/// Why a run ends without a verdict, in words.
package enum Exhaustion: Hashable, Sendable {
    /// A limit that the file can raise was reached.
    case limit(String)
    case other(String)

    package var text: String {
        switch self {
        case .limit(let limit): "the limit of \(limit) was reached"
        case .other(let text): text
        }
    }
}
