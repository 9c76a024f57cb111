import Backend
import AppHost
import Core
import Updater

/// The simulated environment of the real app, as one value: a copy is a fork.
///
/// Guarantees: equal setups and equal calls in equal order give equal runs, event for event; every event is
/// one bounded step of one part; the clock jumps. The real parts see only their interfaces, and nothing of
/// the simulation. Everything that can be observed is recorded as a ``TraceEvent``.
///
/// Failures happen only as requested (``FaultSpec``, ``Action``); a run that makes no progress ends with a
/// ``RunLimit``. Deliberately not here: whether the app behaved correctly (the oracle).
package struct World: Sendable {
    package private(set) var setup: WorldSetup
    /// Shared by all copies.
    package let library: VersionLibrary
    var kernel = Kernel<WorldEvent>()
    var origin: Origin
    var edgeCache = EdgeCache()
    var urlExpiries = URLExpiries()
    var faults = ActiveFaults()
    var choices: RandomChoices
    var devices: [Device] = []
    var armed = ArmedActions()
    var races = Races()
    var typing = TypingUsers()
    /// Inputs for external apps (``takeExternalInputs()``).
    var externalInputs: [ExternalInput] = []
    var causality = Causality()
    var history: History
    /// Devices whose disks may have changed since ``takeTouchedDevices()``.
    var touched: TouchedDevices
    /// Index of the device whose disk stopped in the current event.
    var stoppedDevice: Int?

    package init(_ setup: WorldSetup) throws(SetupError) {
        try self.init(setup, library: VersionLibrary(setup))
    }

    /// A world with a library of an equal setup; seed, devices, limits and ties may differ.
    package init(_ setup: WorldSetup, library: VersionLibrary) throws(SetupError) {
        self.setup = setup
        self.library = library
        origin = Origin(setup, library)
        choices = RandomChoices(seed: setup.seed)
        history = History(seed: setup.seed, lastEvents: setup.limits.lastEvents)
        touched = TouchedDevices(count: setup.devices.count)
        for (index, profile) in setup.devices.enumerated() { addDevice(index, profile) }
    }

    /// The world of another seed, from a world of an equal setup in which nothing has happened yet.
    package init(like fresh: World, seed: UInt64) {
        self = fresh
        setup.seed = seed
        choices = RandomChoices(seed: seed)
        history = History(seed: seed, lastEvents: setup.limits.lastEvents)
        causality = Causality()
        touched.insertAll()
        let isWhole = fresh.traceEventCount == fresh.devices.count
        if !isWhole { devices = [] }
        for (index, profile) in setup.devices.enumerated() {
            if !isWhole {
                addDevice(index, profile)
                continue
            }
            devices[index].disk.key = choices.draw(.diskNames, UInt64(index))
            record(.installed(build: setup.app.builds[devices[index].build].name), index)
        }
    }

    private mutating func addDevice(_ index: Int, _ profile: DeviceProfile) {
        let key = choices.draw(.diskNames, UInt64(index))
        var disk = SimulatedDisk(
            profile: profile.crashProfile, cost: profile.diskCost, key: key, capacity: profile.diskCapacity,
            hasSmallSectors: profile.hasSmallSectors, names: profile.nameRule)
        disk.syncsReachMedium = profile.syncsReachMedium
        var settings = setup.app.settings
        settings.app = setup.app.id
        settings.dialect = setup.app.dialect
        let build = setup.app.builds.firstIndex { $0.name == setup.app.installed } ?? 0
        devices.append(
            Device(
                index: index, profile: profile, disk: disk, build: build, settings: settings,
                network: DeviceNetwork(
                    link: Link(profile.link),
                    edge: setup.origin.edges.firstIndex(of: setup.origin.route) ?? 0),
                pages: PageRecord(versions: library.versions.count)))
        install(build, on: index)
    }

    package var now: Instant { kernel.now }

    /// The origin's clock.
    package var originTime: OriginTime {
        OriginTime(seconds: setup.origin.epoch.seconds + now.microseconds / 1_000_000)
    }

    /// Time of the next event; nil: the queue is empty.
    package var nextEventTime: Instant? { kernel.nextTime }

    /// Number of events so far.
    package var eventCount: Int { kernel.events }

    /// The recorded trace events, in order.
    package var trace: [TraceEvent] { history.trace }

    /// Number of trace events so far, also of those that were not recorded.
    package var traceEventCount: Int { history.traceEventCount }

    /// Whether trace events are kept; they are counted and digested in any case.
    package var isRecording: Bool {
        get { history.isRecording }
        set { history.isRecording = newValue }
    }

    /// Drops the trace so far, once its reader has processed it.
    package mutating func dropTrace() { history.dropTrace() }

    /// Digest of all events, effects and trace events so far, with their content and order.
    package var digest: UInt64 { history.digest.value }

    /// The last events, the oldest first.
    package var lastEvents: [EventRecord] { history.lastEvents }

    package func disk(of device: Int = 0) -> SimulatedDisk { devices[device].disk }

    /// ``SimulatedDisk/revision`` of a device's disk.
    package func revision(ofDisk device: Int = 0) -> Int { devices[device].disk.revision }

    /// Changes a device's disk directly, for example to stop it or to shorten writes.
    package mutating func changeDisk<Result>(of device: Int = 0, _ change: (inout SimulatedDisk) -> Result)
        -> Result
    {
        touched.insert(device)
        return change(&devices[device].disk)
    }

    mutating func record(_ kind: TraceEvent.Kind, _ device: Int) {
        let process = devices.indices.contains(device) ? devices[device].process.ordinal : 0
        history.add(
            TraceEvent(
                ordinal: history.traceEventCount + 1, at: now, device: device, process: process, kind: kind,
                cause: causality.cause))
        causality.recorded(history.traceEventCount)
        kernel.progressed()
        if !armed.isEmpty { notice(kind, device) }
    }
}
