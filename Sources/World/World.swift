import Backend
import AppHost
import Core
import Updater

/// The simulated surroundings of the real app, as one value: copying it is a fork.
///
/// Guarantees: equal setups and equal doors in equal order give equal runs, event for event; every
/// event is one bounded step of one part; the clock jumps. What the real parts get is what their interfaces
/// say and no more: nothing of the simulation is visible to them. Everything observed leaves as a
/// ``TraceEvent``.
///
/// What can go wrong is asked for (``Fault``, ``Action``); a run that does not move any more ends with a
/// ``Verdict``. Deliberately not here: whether what happened was right (the laboratory's checkers).
package struct World: Sendable {
    package private(set) var setup: WorldSetup
    /// Shared by all copies.
    package let library: Library
    var kernel = Kernel<WorldEvent>()
    var origin: Origin
    var faults = FaultBoard()
    var choices: Choices
    var devices: [Device] = []
    var armed = ArmedActions()
    var races = Races()
    var typing = TypingUsers()
    /// Inputs for apps that run outside (``takeHandedOut()``).
    var handedOut: [HandedOut] = []
    var causality = Causality()
    var history: History
    /// The device whose disk stopped in the event that is handled now.
    var stoppedDevice: Int?

    package init(_ setup: WorldSetup) throws(SetupError) {
        try self.init(setup, library: Library(setup))
    }

    /// With a library that was made from an equal setup (but for seed, devices, limits and ties).
    package init(_ setup: WorldSetup, library: Library) throws(SetupError) {
        self.setup = setup
        self.library = library
        origin = Origin(setup, library)
        choices = Choices(seed: setup.seed)
        history = History(seed: setup.seed, lastEvents: setup.limits.lastEvents)
        for (number, profile) in setup.devices.enumerated() { addDevice(number, profile) }
    }

    /// The world of another seed, from one of an equal setup in which nothing has happened.
    package init(like fresh: World, seed: UInt64) {
        self = fresh
        setup.seed = seed
        choices = Choices(seed: seed)
        history = History(seed: seed, lastEvents: setup.limits.lastEvents)
        causality = Causality()
        let isWhole = fresh.factCount == fresh.devices.count
        if !isWhole { devices = [] }
        for (number, profile) in setup.devices.enumerated() {
            if !isWhole {
                addDevice(number, profile)
                continue
            }
            devices[number].disk.key = choices.draw(.diskNames, UInt64(number))
            fact(.installed(build: setup.app.builds[devices[number].build].name), number)
        }
    }

    private mutating func addDevice(_ number: Int, _ profile: DeviceProfile) {
        let key = choices.draw(.diskNames, UInt64(number))
        var disk = SimulatedDisk(
            profile: profile.diskProfile, cost: profile.diskCost, key: key, capacity: profile.diskCapacity,
            hasSmallSectors: profile.hasSmallSectors, names: profile.nameRule)
        disk.syncsReachMedium = profile.syncsReachMedium
        var settings = setup.app.settings
        settings.app = setup.app.id
        settings.dialect = setup.app.dialect
        settings.origin = setup.origin.root
        if setup.app.dialect != .meteor { settings.origin += OriginAnswers.manifestPath }
        let build = setup.app.builds.firstIndex { $0.name == setup.app.installed } ?? 0
        devices.append(
            Device(
                number: number, profile: profile, disk: disk, build: build, settings: settings,
                network: DeviceNetwork(
                    link: Link(profile.link),
                    edge: setup.origin.edges.firstIndex(of: setup.origin.route) ?? 0),
                pages: PageRecord(versions: library.versions.count)))
        install(build, on: number)
    }

    package var now: Instant { kernel.now }

    /// The origin's clock.
    package var originTime: OriginTime {
        OriginTime(seconds: setup.origin.epoch.seconds + now.microseconds / 1_000_000)
    }

    /// When the next event happens; nil: nothing is left to do.
    package var nextEventTime: Instant? { kernel.nextTime }

    /// Events so far.
    package var eventCount: Int { kernel.events }

    /// What was recorded, in order.
    package var trace: [TraceEvent] { history.trace }

    /// Facts so far, also those that were not recorded.
    package var factCount: Int { history.factCount }

    /// Whether facts are kept; they are counted and go into the digest in any case.
    package var isRecording: Bool {
        get { history.isRecording }
        set { history.isRecording = newValue }
    }

    /// Drops the facts so far, for a reader that has worked them in.
    package mutating func forgetFacts() { history.forgetFacts() }

    /// Depends on every event, effect and fact so far with their content, and on their order.
    package var digest: UInt64 { history.digest.value }

    /// The last events, the oldest first.
    package var lastEvents: [EventRecord] { history.lastEvents }

    package func disk(of device: Int = 0) -> SimulatedDisk { devices[device].disk }

    /// ``SimulatedDisk/changeMark`` of a device's disk.
    package func changeMark(ofDisk device: Int = 0) -> Int { devices[device].disk.changeMark }

    /// For the laboratory: stops a disk, cuts writes short, and what else a disk can do.
    package mutating func changeDisk<Result>(of device: Int = 0, _ change: (inout SimulatedDisk) -> Result)
        -> Result
    {
        change(&devices[device].disk)
    }

    mutating func fact(_ kind: TraceEvent.Kind, _ device: Int) {
        let process = devices.indices.contains(device) ? devices[device].process.number : 0
        history.add(
            TraceEvent(
                number: history.factCount + 1, at: now, device: device, process: process, kind: kind,
                cause: causality.cause))
        causality.recorded(history.factCount)
        kernel.progressed()
        if !armed.isEmpty { notice(kind, device) }
    }

    /// Something of the scenario's or the checkers' that belongs into the row of facts.
    /// A step causes what the actions after it bring.
    package mutating func tell(_ kind: TraceEvent.Kind, device: Int = -1) {
        causality.forgetCurrent()
        fact(kind, device)
        if case .step = kind { causality.stepBegan() }
    }
}
