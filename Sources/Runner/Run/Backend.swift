import AppHost
import Core
import ScenarioLanguage
import Updater
import World

/// What a scenario runs on: the simulated world, the real app on real sockets, a foreign process.
///
/// Promises of a backend
/// - Something happens only in ``perform(_:)`` and ``advance(to:)``. Between two calls trace, views and disks
///   stay as they are.
/// - The trace only grows, and the times of its events never go back.
/// - The same actions at the same times give the same trace on a backend that is deterministic; one that is
///   not says so by its digest, which then differs from run to run.
///
/// What can go wrong is an outcome (``StepOutcome/exhausted(_:)``), never an error: a run that can't go on
/// is inconclusive. Deliberately not here: judgement (the oracle), and stopping or forking the whole of it (a
/// search does that with a `World`).
package protocol Backend: Sendable {
    // MARK: What happens

    /// Performs an action now, in no virtual time; one with a trigger is armed instead.
    mutating func perform(_ action: StepAction)

    /// Lets one event happen if one is due at `end` or before; else only time passes, up to `end`.
    mutating func advance(to end: Instant) -> StepOutcome

    /// The scenario's steps are over: what is still armed never happens.
    mutating func disarm()

    // MARK: What can be seen

    var now: Instant { get }

    /// Whether nothing is left but timers that wait for time to pass (`settle`).
    var isSettled: Bool { get }

    /// All events so far, in order.
    var trace: [TraceEvent] { get }

    /// All actions that were armed, with what became of them so far.
    var armedActions: [ArmedAction] { get }

    func view(of device: Int) -> DeviceView

    /// The version of the page in front, as in ``view(of:)``. Requested after every event, so a backend that
    /// knows it without a whole view says so.
    func running(on device: Int) -> String?

    /// Names of the cookies that a device's pages have, and the keys that they stored under their origin.
    func webStorage(of device: Int) -> (cookies: [String], keys: [String])

    /// The device's disk; nil where it can't be observed.
    func disk(of device: Int) -> SimulatedDisk?

    /// Differs from an earlier value if the disk may have changed since; nil where it can't be observed.
    func diskMark(of device: Int) -> Int?

    /// Names of the faults of devices (disk, port) that made a difference so far. Faults of requests are in
    /// the trace.
    var appliedDeviceFaults: [String] { get }

    // MARK: What it was set up with

    /// The key under which the app knows a version of the setup; nil for an index without a version.
    func key(ofVersion index: Int) -> VersionKey?

    /// The files of a version of the setup as the origin publishes them.
    func files(ofVersion index: Int) -> [PublishedFile]

    // MARK: What a report says of the run

    /// Covers all that happened; equal for equal runs.
    var digest: UInt64 { get }

    /// Number of events that ``advance(to:)`` let happen.
    var eventCount: Int { get }
}

extension Backend {
    package func running(on device: Int) -> String? { view(of: device).running }
}

/// An action as a step of a scenario has it performed.
package struct StepAction: Hashable, Sendable {
    package var namedAction: NamedAction
    /// nil: now.
    package var trigger: Trigger?
    /// Index of the step, in the order of the file; negative for actions of no step.
    package var step: Int
    /// Index of the device.
    package var device: Int
    /// The order in which the events of the race happen that this action begins; empty: as they come.
    package var order: [RacingEvent]

    package init(
        _ namedAction: NamedAction, trigger: Trigger? = nil, step: Int = -1, device: Int = 0,
        order: [RacingEvent] = []
    ) {
        self.namedAction = namedAction
        self.trigger = trigger
        self.step = step
        self.device = device
        self.order = order
    }
}

/// A file of a version as the origin publishes it.
package struct PublishedFile: Hashable, Sendable {
    /// Its route as the scenario writes it, `{hash}` not replaced.
    package var route: String
    package var bytes: [UInt8]

    package init(route: String, bytes: [UInt8]) {
        self.route = route
        self.bytes = bytes
    }
}

/// What one call of ``Backend/advance(to:)`` came to.
package enum StepOutcome: Hashable, Sendable {
    /// An event happened; more may be due.
    case event
    /// Nothing was due: the clock has reached the end.
    case reachedEnd
    /// A device's disk stopped during the event, because it was told to.
    case diskStopped
    /// The backend can't go on.
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
