import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater
import World

/// A world with all that watches it, as one value: what a crash forks.
package struct ObservedWorld: Sendable {
    package var world: World
    /// Of the device that is cut off; others in the world go on, and nothing is asked of them.
    package var watch: RunObserver
    /// Over the facts so far, but for those that only tell how a crash went, and messages to pages. Equal
    /// sums, equal memory of the checkers: that comes from all other facts and from the store alone.
    package private(set) var trace: UInt64 = 0
    /// Over the facts that changed the world around the device.
    package private(set) var surroundings: UInt64 = 0
    /// Times in the trace count from here, in seconds.
    package var epoch = Instant.zero

    /// Of a deploy in two steps only one has come: its version.
    package private(set) var halfDeployed: String?

    package init(world: World, watch: RunObserver) {
        self.world = world
        self.watch = watch
        self.watch.hearsFromRecord = true
    }

    /// In the middle of a story that was watched by others.
    package init(world: World, watch: RunObserver, facts: [TraceEvent]) {
        self.init(world: world, watch: watch)
        for fact in facts { note(fact) }
    }

    /// A copy that need not drag the facts along.
    package var forked: ObservedWorld {
        var fork = self
        fork.world.dropTrace()
        fork.watch.dropTrace()
        return fork
    }

    package var findings: [CheckerList.Finding] { watch.checkers.findings }

    /// Which device of the world is meant.
    package var device: Int { watch.device }

    // MARK: - Going on

    package mutating func perform(_ action: Action) {
        world.perform(action, step: -1, device: device)
        catchUp()
    }

    /// The n-th disk operation from now on is the last one.
    package mutating func stopDisk(atCall count: Int, writing bytes: Int? = nil) {
        world.stopDisk(of: device, atCall: count, writing: bytes)
    }

    /// Disk operations of the device since the world began.
    package var diskOperations: Int { world.diskOperations(of: device) }

    package var isDiskStopped: Bool { world.isDiskStopped(of: device) }

    /// Of the state on the device, where no process runs.
    package var crashDigest: UInt64 { world.crashDigest(of: device) }

    /// A process runs.
    package var hasProcess: Bool { world.view(of: device).process != nil }

    /// What is left of a stopped device.
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
        for fact in world.trace[watch.seen...] { note(fact) }
        watch.catchUp(world)
    }

    private mutating func note(_ fact: TraceEvent) {
        switch fact.kind {
        case .powerCut, .step, .note, .messageDelivered: return
        case .deployed(_, _, .all, _, _): halfDeployed = nil
        case .deployed(let version, _, _, _, _): halfDeployed = halfDeployed == version ? nil : version
        default: break
        }
        var hash = Hasher()
        hash.combine(trace)
        hash.combine(fact.kind)
        hash.combine((fact.at - epoch).microseconds / 1_000_000)
        trace = UInt64(bitPattern: Int64(hash.finalize()))
        if fact.kind.isOfTheApp { return }
        hash = Hasher()
        hash.combine(surroundings)
        hash.combine(fact.kind)
        surroundings = UInt64(bitPattern: Int64(hash.finalize()))
    }

    /// Events up to that instant, or until `isEnough` after one that changed something.
    /// - Returns: why it could not go on, else nil.
    package mutating func pass(until end: Instant, _ isEnough: (ObservedWorld) -> Bool = { _ in false })
        -> String?
    {
        var seen = -1
        while true {
            switch advance(to: end) {
            case .event: break
            case .diskStopped: return "the disk stopped by itself"
            case .reachedEnd:
                watch.timePassed(to: world.now)
                return nil
            case .exhausted(let reason): return reason.text
            }
            if watch.changes != seen {
                seen = watch.changes
                if isEnough(self) { return nil }
            }
        }
    }

    // MARK: - Looking

    /// What the device runs, and whether that start is confirmed.
    package var reached: (version: String?, isConfirmed: Bool) { watch.reached(in: world) }

    /// The versions that would be right, the best first.
    package var shouldHave: [String] { watch.candidates }

    /// The newest manifest has recalled what is current.
    package var runsRecalled: Bool {
        guard let current = watch.view.live.record?.current, !watch.observed.isEmbedded(current) else {
            return false
        }
        let recalled = watch.observed.recalled
        return recalled.contains(current.id) || recalled.contains(watch.observed.name(current))
    }

    /// Which states are one, of a device on which nothing runs. Time counts in seconds: nothing that is
    /// stored knows it better.
    package var key: CrashKey { key(with: []) }

    /// Of a device that will not be cut off again: as ``key``, but for what is in the log of its record (an
    /// updater reports from it and decides nothing by it), and for the bytes that are not durable yet. The
    /// states are compared after the system's writeback; which files wait for it is part of the key, because
    /// the checker of ST-I3 sees a missing sync only while it is missing.
    package var keyOfRest: CrashKey {
        var written = self
        written.perform(.flushDisk)
        let live = written.watch.view.live
        let slots = [(StorePaths.recordA, live.slotA), (StorePaths.recordB, live.slotB)]
        let sums = slots.compactMap { path, slot in slot.record.map { FileSum(path, $0.sumWithoutLog) } }
        return written.key(with: sums, unsynced: watch.unsyncedPaths)
    }

    private func key(with sums: [FileSum], unsynced: [DiskPath] = []) -> CrashKey {
        var memory = Hasher()
        watch.remember(in: &memory)
        memory.combine(unsynced)
        memory.combine(halfDeployed)
        // Others in the world go on, and the origin hears from them: only a common past makes them equal.
        if watch.hasOthers { memory.combine(trace) }
        return CrashKey(
            device: world.crashDigest(of: device, with: sums), surroundings: surroundings,
            memory: UInt64(bitPattern: Int64(memory.finalize())), seconds: world.now.microseconds / 1_000_000)
    }

    /// Of a device that is stopped at an operation: with equal ones every crash here leaves equal states.
    package var stopKey: CrashKey {
        var memory = Hasher()
        watch.remember(in: &memory)
        watch.rememberProcess(in: &memory)
        var killed = self
        killed.crash(.kill)
        var key = killed.key
        memory.combine(key.memory)
        key.memory = UInt64(bitPattern: Int64(memory.finalize()))
        return key
    }
}

/// A state of a device on which nothing runs, and of all that its future and the verdict on it depend on.
package struct CrashKey: Hashable, Sendable {
    package var device: UInt64
    package var surroundings: UInt64
    /// ``RunObserver/remember(in:)``
    package var memory: UInt64
    package var seconds: Int64
}
