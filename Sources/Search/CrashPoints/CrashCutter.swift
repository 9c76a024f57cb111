import Core
import Oracle
import Runner
import ScenarioLanguage
import World

/// A device after a crash, before it is launched again.
struct CrashedDevice: Sendable {
    /// The last operation within its moment, and for a partial write the number of bytes written.
    struct Cause: Sendable {
        var operation: Int
        var writes: Int?
    }

    var device: ObservedWorld
    var crashes: [CrashPlace]
    var cause: Cause
    var key: CrashKey
}

/// The states that a search has seen, and the results of the operations that it has tried.
struct KnownCrashes: Sendable {
    /// The result of trying all outcomes at an operation, reused for an equal device.
    struct Stop: Sendable {
        var states = 0
        var isExact = true
        var classes = CrashClassCounts()
    }

    private var states: Set<CrashKey> = []
    private var stops: [CrashKey: Stop] = [:]

    func contains(_ key: CrashKey) -> Bool { states.contains(key) }

    func stop(_ key: CrashKey) -> Stop? { stops[key] }

    /// - Returns: whether the state is new.
    mutating func add(_ key: CrashKey) -> Bool { states.insert(key).inserted }

    /// Adds results; of two with the same key the first is kept.
    mutating func add(_ stops: [(key: CrashKey, stop: Stop)]) {
        for entry in stops where self.stops[entry.key] == nil { self.stops[entry.key] = entry.stop }
    }
}

/// Crashes a device at the operations of some moments, with the outcomes that the limits request.
struct CrashCutter: Sendable {
    private let limits: CrashLimits
    private let phase: Int
    /// States of the previous waves.
    private let known: KnownCrashes
    /// If set, equal states are all kept.
    private let mergeCheck: MergeCheck?

    private(set) var tally = CrashTally()
    /// New states, each once.
    private(set) var crashes: [CrashedDevice] = []
    private(set) var stops: [(key: CrashKey, stop: KnownCrashes.Stop)] = []
    private var own = KnownCrashes()

    init(limits: CrashLimits, phase: Int, known: KnownCrashes, mergeCheck: MergeCheck? = nil) {
        self.limits = limits
        self.phase = phase
        self.known = known
        self.mergeCheck = mergeCheck
    }

    /// - Parameters:
    ///   - crashes: the crashes before this moment.
    ///   - turn: the ordinal of the recovery that the moment belongs to; recoveries take turns in which
    ///     operations they leave out, and which operation of a class they choose.
    mutating func cut(_ moment: CrashMoment, after crashes: [CrashPlace], turn: Int) {
        for operation in 1...moment.operations {
            let position = moment.operationIndex + operation + phase + turn
            if position % limits.every != 0 {
                tally.pointsLeftOut += 1
                continue
            }
            if crashes.isEmpty { tally.firstPoints += 1 } else { tally.secondPoints += 1 }
            guard let stopped = moment.stopped(at: operation) else {
                tally.exactPoints += 1
                continue
            }
            let key = stopped.stopKey
            let before = mergeCheck == nil ? known.stop(key) ?? own.stop(key) : nil
            let stop: KnownCrashes.Stop
            if let before {
                stop = before
            } else {
                let cut = Cut(moment: moment, operation: operation, previous: crashes)
                stop = crash(stopped, cut, turn: position / limits.every)
                own.add([(key, stop)])
                stops.append((key, stop))
            }
            tally.states += stop.states
            tally.classes = tally.classes + stop.classes
            if stop.isExact { tally.exactPoints += 1 } else { tally.sampledPoints += 1 }
        }
    }

    /// An operation at which the device is crashed.
    private struct Cut {
        var moment: CrashMoment
        var operation: Int
        var previous: [CrashPlace]

        func crash(_ outcome: CrashOutcome, _ writes: Int?) -> CrashPlace {
            CrashPlace(
                of: moment.origin, operation: moment.operationsBefore + operation, writes: writes,
                outcome: outcome)
        }
    }

    /// Byte counts of partial writes: a write can be interrupted after any byte; these are the first byte and
    /// the middle of the first block.
    private static let partialWrites = [1, 2_048]

    /// Tries the kill, the kill in the middle of a write, and outcomes of a power cut.
    private mutating func crash(_ stopped: ObservedWorld, _ cut: Cut, turn: Int) -> KnownCrashes.Stop {
        var stop = KnownCrashes.Stop()
        stop.classes.note(.kill)
        crash(stopped, .kill, cut, nil, &stop)
        let choice = stopped.world.powerCutChoice(
            of: stopped.device, turn: turn, atMost: limits.outcomes.map { max($0, 1) - 1 })
        stop.isExact = choice.isExact
        stop.classes.note(choice)
        for outcome in choice.rows {
            crash(stopped, CrashOutcome(outcome), cut, nil, &stop)
        }
        let whole = stopped.crashDigest
        for (index, bytes) in CrashCutter.partialWrites.enumerated() {
            guard let part = cut.moment.stopped(at: cut.operation, writing: bytes),
                part.crashDigest != whole
            else { break }
            if index == 0 { stop.classes.note(.partOfWrite) }
            crash(part, .kill, cut, bytes, &stop)
        }
        return stop
    }

    private mutating func crash(
        _ stopped: ObservedWorld, _ outcome: CrashOutcome, _ cut: Cut, _ writes: Int?,
        _ stop: inout KnownCrashes.Stop
    ) {
        stop.states += 1
        var device = stopped
        device.crash(outcome)
        let key = mergeCheck?.forget(device.key) ?? device.key
        let isNew = !known.contains(key) && own.add(key)
        guard isNew || mergeCheck != nil else { return }
        crashes.append(
            CrashedDevice(
                device: device.forked, crashes: cut.previous + [cut.crash(outcome, writes)],
                cause: CrashedDevice.Cause(operation: cut.operation, writes: writes), key: key))
    }
}

extension CrashOutcome {
    fileprivate init(_ outcome: PowerCutChoice.Row) {
        if let index = outcome.torn { self = .torn(index) } else { self = .powerCut(outcome.survivors) }
    }
}
