import Core
import Oracle
import Runner
import ScenarioLanguage
import World

/// What a crash left, before anything is launched.
struct CrashedDevice: Sendable {
    /// The operation of its moment that was the last one, and of a write how much of it.
    struct Cause: Sendable {
        var operation: Int
        var writes: Int?
    }

    var device: ObservedWorld
    var places: [CrashPlace]
    var cause: Cause
    var key: CrashKey
}

/// What a search has seen: states, and operations with all that was tried at them.
struct KnownCrashes: Sendable {
    /// An operation at which every outcome was tried before, from an equal device.
    struct Stop: Sendable {
        var states = 0
        var isExact = true
        var classes = CrashClassCounts()
    }

    private var states: Set<CrashKey> = []
    private var stops: [CrashKey: Stop] = [:]

    func contains(_ key: CrashKey) -> Bool { states.contains(key) }

    func stop(_ key: CrashKey) -> Stop? { stops[key] }

    /// - Returns: whether it is new.
    mutating func add(_ key: CrashKey) -> Bool { states.insert(key).inserted }

    /// Of equal ones the first stays.
    mutating func add(_ stops: [(key: CrashKey, stop: Stop)]) {
        for row in stops where self.stops[row.key] == nil { self.stops[row.key] = row.stop }
    }
}

/// Cuts a device off at every operation of some moments, in every way that is asked for.
struct CrashCutter: Sendable {
    private let limits: CrashLimits
    private let phase: Int
    /// Of the waves before this one.
    private let known: KnownCrashes
    /// States that are one are all kept.
    private let mergeCheck: MergeCheck?

    private(set) var tally = CrashTally()
    /// States that were not known, each once.
    private(set) var crashes: [CrashedDevice] = []
    private(set) var stops: [(key: CrashKey, stop: KnownCrashes.Stop)] = []
    private var own = KnownCrashes()

    init(limits: CrashLimits, phase: Int, known: KnownCrashes, mergeCheck: MergeCheck? = nil) {
        self.limits = limits
        self.phase = phase
        self.known = known
        self.mergeCheck = mergeCheck
    }

    /// - Parameter turn: of the recovery that the moment belongs to: recoveries take turns with what they
    ///   leave out, and with which operation of a class they take.
    mutating func cut(_ moment: CrashMoment, after places: [CrashPlace], turn: Int) {
        for operation in 1...moment.operations {
            let position = moment.number + operation + phase + turn
            if position % limits.every != 0 {
                tally.pointsLeftOut += 1
                continue
            }
            if places.isEmpty { tally.firstPoints += 1 } else { tally.secondPoints += 1 }
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
                let cuts = Cuts(moment: moment, operation: operation, places: places)
                stop = crash(stopped, cuts, turn: position / limits.every)
                own.add([(key, stop)])
                stops.append((key, stop))
            }
            tally.states += stop.states
            tally.classes = tally.classes + stop.classes
            if stop.isExact { tally.exactPoints += 1 } else { tally.sampledPoints += 1 }
        }
    }

    /// One operation.
    private struct Cuts {
        var moment: CrashMoment
        var operation: Int
        var places: [CrashPlace]

        func place(_ outcome: CrashOutcome, _ writes: Int?) -> CrashPlace {
            CrashPlace(
                of: moment.origin, operation: moment.operationsBefore + operation, writes: writes,
                outcome: outcome)
        }
    }

    /// A call that writes can be cut off after any byte: after the first, and within the first block.
    private static let parts = [1, 2_048]

    /// All that can be left: the kill, of a write also in the middle of it, and outcomes of a power cut.
    private mutating func crash(_ stopped: ObservedWorld, _ cuts: Cuts, turn: Int) -> KnownCrashes.Stop {
        var stop = KnownCrashes.Stop()
        stop.classes.note(.kill)
        crash(stopped, .kill, cuts, nil, &stop)
        let choice = stopped.world.powerCutChoice(
            of: stopped.device, turn: turn, atMost: limits.outcomes.map { max($0, 1) - 1 })
        stop.isExact = choice.isExact
        stop.classes.note(choice)
        for row in choice.rows {
            crash(stopped, CrashOutcome(row), cuts, nil, &stop)
        }
        let whole = stopped.crashDigest
        for (number, bytes) in CrashCutter.parts.enumerated() {
            guard let part = cuts.moment.stopped(at: cuts.operation, writing: bytes),
                part.crashDigest != whole
            else { break }
            if number == 0 { stop.classes.note(.partOfWrite) }
            crash(part, .kill, cuts, bytes, &stop)
        }
        return stop
    }

    private mutating func crash(
        _ stopped: ObservedWorld, _ outcome: CrashOutcome, _ cuts: Cuts, _ writes: Int?,
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
                device: device.forked, places: cuts.places + [cuts.place(outcome, writes)],
                cause: CrashedDevice.Cause(operation: cuts.operation, writes: writes), key: key))
    }
}

extension CrashOutcome {
    fileprivate init(_ row: PowerCutChoice.Row) {
        if let index = row.torn { self = .torn(index) } else { self = .powerCut(row.survivors) }
    }
}
