import AppHost
import Core
import ScenarioLanguage
import Updater

/// What a scenario runs on: the simulated world, the real app on real sockets, a foreign process.
///
/// Promises of a backend
/// - Something happens only in ``perform(_:)`` and ``advance(to:)``. Between two calls trace, views and disks
///   stay as they are.
/// - The trace only grows, and the times of its events never go back.
/// - The same actions at the same times give the same trace on a backend that is deterministic; one that is
///   not says so by its digest, which then differs from run to run.
///
/// What can go wrong is an outcome (``StepOutcome/exhausted(_:)``), never an error: a run that can't continue
/// is inconclusive. Deliberately not here: verdicts (the oracle), and stopping or forking a run (a search
/// does that with a `World`).
package protocol Backend: Sendable {
    /// What an observer can see of a device's data volume; ``HiddenDisk`` if nothing.
    associatedtype Disk: ObservableDisk

    // MARK: What happens

    /// Performs an action now, without virtual time; an action with a trigger is armed instead.
    mutating func perform(_ action: StepAction)

    /// Handles one event if one is due at or before `end`; else moves the clock to `end`.
    mutating func advance(to end: Instant) -> StepOutcome

    /// Ends the scenario's steps: actions that are still armed never happen.
    mutating func disarm()

    // MARK: What can be seen

    /// The current virtual time.
    var now: Instant { get }

    /// Whether nothing is left but timers that wait for time to pass (`settle`).
    var isSettled: Bool { get }

    /// All events so far, in order.
    var trace: [TraceEvent] { get }

    /// All actions that were armed, with their current state.
    var armedActions: [ArmedAction] { get }

    func view(of device: Int) -> DeviceView

    /// The version of the page in front, as in ``view(of:)``. It is needed after every event, so a backend
    /// that can compute it without a whole view should.
    func running(on device: Int) -> String?

    /// Names of the cookies of a device's pages, and keys that the pages stored under their origin.
    func webStorage(of device: Int) -> (cookies: [String], keys: [String])

    /// Calls `body` with the device's disk, without a copy of it; nil where it can't be observed.
    @discardableResult
    func withDisk<Result>(of device: Int, _ body: (Disk) -> Result) -> Result?

    /// Whether ``ObservableDisk/openPaths`` are those of the app's process, and a copy of the backend
    /// continues apart from it.
    var showsOpenFiles: Bool { get }

    /// ``ObservableDisk/revision`` of the device's disk: differs from an earlier value if the disk may have
    /// changed since; nil where it can't be observed.
    func diskRevision(of device: Int) -> Int?

    /// Devices whose disks may have changed since the last call, each once; nil where that is not known.
    mutating func takeTouchedDevices() -> [Int]?

    /// Names of the device faults (disk, port) that had an effect so far. Faults of requests are in the
    /// trace.
    var appliedDeviceFaults: [String] { get }

    /// What can be seen beside requests, pages and processes.
    var visibility: Visibility { get }

    /// Time of the scenario after which a device that is not at rest counts as one that never will be.
    var settleLimit: TimeSpan { get }

    // MARK: The setup

    /// The key under which the app knows a version of the setup; nil for an index without a version.
    func key(ofVersion index: Int) -> VersionKey?

    /// The files of a version of the setup as the origin publishes them.
    func files(ofVersion index: Int) -> [PublishedFile]

    // MARK: Totals for a report

    /// Digest of everything that happened; equal for equal runs.
    var digest: UInt64 { get }

    /// Number of events that ``advance(to:)`` has handled.
    var eventCount: Int { get }
}

extension Backend {
    package func running(on device: Int) -> String? { view(of: device).running }
}

extension Backend {
    package var visibility: Visibility { .all }
}

extension Backend {
    package var settleLimit: TimeSpan { .days(1) }
}

extension Backend {
    package var showsOpenFiles: Bool { false }
}

extension Backend {
    package mutating func takeTouchedDevices() -> [Int]? { nil }
}
