import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// A world with the observer of the crashing device, as one value that a search can fork.
package struct ObservedWorld: Sendable {
    package var world: World
    /// Observer of the device that crashes. Other devices of the world continue and are not checked.
    package var observer: RunObserver
    /// Hash of all events so far, except those that only describe a crash, and messages to pages. With equal
    /// hashes the checkers have equal state, because that depends on all other events and the store alone.
    package private(set) var trace: UInt64 = 0
    /// Hash of the events that changed the world around the device.
    package private(set) var environment: UInt64 = 0
    /// Instant from which times in the hash are counted, in seconds.
    package var epoch = Instant.zero

    /// Counts what the world reaches, decisions left out; nil: nothing is counted.
    package var coverage: CoverageReader?
    /// Version of a deploy in two steps of which only the first has happened.
    package private(set) var halfDeployed: String?

    /// - Parameter endsAtAnyOperation: ``RunObserver/endsAtAnyOperation``.
    package init(world: World, observer: RunObserver, endsAtAnyOperation: Bool = true) {
        self.world = world
        self.observer = observer
        self.observer.endsAtAnyOperation = endsAtAnyOperation
    }

    /// Continues a run that has these events already.
    package init(world: World, observer: RunObserver, events: [TraceEvent]) {
        self.init(world: world, observer: observer)
        for event in events { note(event) }
    }

    /// A copy without the trace.
    package var forked: ObservedWorld {
        var fork = self
        fork.world.dropTrace()
        fork.observer.dropTrace()
        return fork
    }

    /// Forgets what was counted, not what is under way: for a copy that counts its own part only.
    package mutating func dropCounts() {
        coverage?.dropCounts()
        observer.forgetDecisions()
    }

    package var findings: [CheckerList.Finding] { observer.checkers.findings }

    /// Index of the device that crashes.
    package var device: Int { observer.device }

    // MARK: - Actions and events

    package mutating func perform(_ action: Action) {
        world.perform(action, step: -1, device: device)
        catchUp()
    }

    /// Stops the disk after the n-th operation from now.
    package mutating func stopDisk(atCall count: Int, writing bytes: Int? = nil) {
        world.stopDisk(of: device, atCall: count, writing: bytes)
    }

    /// Number of disk operations of the device since the world began.
    package var diskOperations: Int { world.diskOperations(of: device) }

    package var isDiskStopped: Bool { world.isDiskStopped(of: device) }

    /// Digest of the device's state while no process runs.
    package var crashDigest: UInt64 { world.crashDigest(of: device) }

    /// Whether a process runs.
    package var hasProcess: Bool { world.view(of: device).process != nil }

    /// Applies the outcome of a crash to a stopped device.
    package mutating func crash(_ outcome: CrashOutcome) {
        epoch = world.now
        perform(outcome.action)
    }

    package mutating func advance(to end: Instant) -> StepOutcome {
        let outcome = world.advance(to: end)
        catchUp()
        return outcome
    }

    package mutating func catchUp() {
        for event in world.trace[observer.processedEvents...] {
            note(event)
            coverage?.observe(event)
        }
        observer.catchUp(world)
    }

    private mutating func note(_ event: TraceEvent) {
        switch event.kind {
        case .powerCut, .note, .messageDelivered: return
        case .deployed(_, _, .all, _, _, _): halfDeployed = nil
        case .deployed(let version, _, _, _, _, _): halfDeployed = halfDeployed == version ? nil : version
        default: break
        }
        var hash = Hasher()
        hash.combine(trace)
        hash.combine(event.kind)
        hash.combine((event.at - epoch).microseconds / 1_000_000)
        trace = UInt64(bitPattern: Int64(hash.finalize()))
        if event.kind.isAppEvent { return }
        hash = Hasher()
        hash.combine(environment)
        hash.combine(event.kind)
        environment = UInt64(bitPattern: Int64(hash.finalize()))
    }

    /// Performs events up to that instant, or until `isEnough` returns true after a change.
    /// - Returns: reason why it could not continue, else nil.
    package mutating func pass(until end: Instant, _ isEnough: (ObservedWorld) -> Bool = { _ in false })
        -> String?
    {
        var evaluated = -1
        while true {
            switch advance(to: end) {
            case .event: break
            case .diskStopped: return "the disk stopped by itself"
            case .reachedEnd:
                observer.timePassed(to: world.now)
                return nil
            case .exhausted(let reason): return reason.text
            }
            if observer.changes != evaluated {
                evaluated = observer.changes
                if isEnough(self) { return nil }
            }
        }
    }

    // MARK: - State

    /// Running version, and whether its start is confirmed.
    package var reached: (version: String?, isConfirmed: Bool) { observer.reached(in: world) }

    /// Versions that the device may run in the end, the best first.
    package var expectedVersions: [String] { observer.expectedVersions }

    /// Whether the newest manifest recalls a version that has a place in the record.
    package var recordsRecalled: Bool {
        (observer.view.live.record?.roles ?? []).contains { observer.observed.isRecalled($0.key) }
    }

    /// Whether the record has a version that is in none of its places any more.
    package var recordsFormerVersion: Bool {
        guard let record = observer.view.live.record else { return false }
        let placed = record.roles.map(\.key)
        return record.versions.contains { $0.key != record.embedded && !placed.contains($0.key) }
    }

    /// Key of the state of a device on which no process runs. Time has a resolution of seconds, because
    /// nothing stored is more precise.
    package var key: CrashKey { key(with: []) }

    /// Key of a device that will not crash again: as ``key`` without the log of its record, which the updater
    /// reports and does not decide by, and without the bytes that are not durable yet. The states are
    /// compared after the system's writeback. Which files wait for it is part of the key, because
    /// `ReportedIsDurable` detects a missing sync only while it is missing.
    package var keyAfterRecovery: CrashKey {
        var written = self
        written.perform(.flushDisk)
        let live = written.observer.view.live
        let slots = [(StorePaths.recordA, live.slotA), (StorePaths.recordB, live.slotB)]
        let sums = slots.compactMap { path, slot in slot.record.map { FileSum(path, $0.hashWithoutLog) } }
        return written.key(with: sums, unsynced: observer.unsyncedPaths)
    }

    private func key(with sums: [FileSum], unsynced: [DiskPath] = []) -> CrashKey {
        var memory = Hasher()
        observer.hashMemory(into: &memory)
        memory.combine(unsynced)
        memory.combine(halfDeployed)
        // Other devices continue and send requests, so states are equal only if all past events are.
        if observer.hasOthers { memory.combine(trace) }
        return CrashKey(
            device: world.crashDigest(of: device, with: sums), environment: environment,
            memory: UInt64(bitPattern: Int64(memory.finalize())), seconds: world.now.microseconds / 1_000_000)
    }

    /// Key of a device that is stopped at an operation. With equal keys every crash leaves equal states.
    package var stopKey: CrashKey {
        var memory = Hasher()
        observer.hashMemory(into: &memory)
        observer.hashProcessMemory(into: &memory)
        memory.combine(world.coveredBySyncsInFlight(of: device))
        var killed = self
        killed.crash(.kill)
        var key = killed.key
        memory.combine(key.memory)
        key.memory = UInt64(bitPattern: Int64(memory.finalize()))
        return key
    }
}

/// Key of the state of a device on which no process runs, and of all else that its future and its verdict
/// depend on.
package struct CrashKey: Hashable, Sendable {
    /// Digest of the device's state.
    package var device: UInt64
    /// Hash of the events around the device.
    package var environment: UInt64
    /// Hash of the observer's state (``RunObserver/hashMemory(into:)``).
    package var memory: UInt64
    package var seconds: Int64

    package init(device: UInt64, environment: UInt64, memory: UInt64, seconds: Int64) {
        self.device = device
        self.environment = environment
        self.memory = memory
        self.seconds = seconds
    }
}
