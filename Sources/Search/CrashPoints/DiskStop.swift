import Core
import Oracle
import Runner
import ScenarioLanguage
import World

/// The disturbance of a crash-point search: at an operation the disk stops, and a kill or a power cut
/// follows.
package struct DiskStop: Disturbance {
    package typealias Moment = CrashMoment
    package typealias Site = CrashSite

    /// The last operation within its moment, and for a partial write the number of bytes written.
    package struct Cause: Sendable {
        var operation: Int
        var writes: Int?
    }

    /// The result of trying all outcomes at an operation.
    package struct Reuse: Sendable {
        var states = 0
        var isExact = true
        var classes = CrashClassCounts()
    }

    let limits: CrashLimits
    /// The offset of the operations that are tried, for ``CrashLimits/every``.
    let phase: Int
    let recovery: Recovery

    package func reproduced(_ site: CrashSite, _ cause: Cause, at moment: CrashMoment) -> ObservedWorld? {
        guard var device = moment.stopped(at: cause.operation, writing: cause.writes) else { return nil }
        device.crash(site.outcome)
        return device.forked
    }

    package func moments(ofRecovery device: inout ObservedWorld) -> [CrashMoment] {
        recovery.moments(&device)
    }

    package func launch(_ disturbed: DisturbedDevice<DiskStop>) -> Recovery.Launch {
        recovery.launch(disturbed.device)
    }

    package func evaluateAfterRecovery(_ device: inout ObservedWorld) -> Recovery.Finding? {
        recovery.evaluateAfterRecovery(&device)
    }

    /// Recoveries take turns in which operations they leave out, and which operation of a class they choose.
    package func disturb(
        _ moment: CrashMoment, after previous: [CrashSite], turn: Int,
        _ states: inout DisturbedStates<DiskStop>
    ) {
        for operation in 1...moment.operations {
            let position = moment.operationIndex + operation + phase + turn
            if position % limits.every != 0 {
                states.tally.pointsLeftOut += 1
                continue
            }
            if previous.isEmpty { states.tally.firstPoints += 1 } else { states.tally.secondPoints += 1 }
            guard let stopped = moment.stopped(at: operation) else {
                states.tally.exactPoints += 1
                continue
            }
            let key = stopped.stopKey
            let stop: Reuse
            if let before = states.reuse(key) {
                stop = before
            } else {
                let cut = Cut(moment: moment, operation: operation, previous: previous)
                stop = crash(stopped, cut, turn: position / limits.every, &states)
                states.add(stop, of: key)
            }
            states.tally.states += stop.states
            states.tally.classes = states.tally.classes + stop.classes
            if stop.isExact { states.tally.exactPoints += 1 } else { states.tally.sampledPoints += 1 }
        }
    }

    /// An operation at which the device is crashed.
    private struct Cut {
        var moment: CrashMoment
        var operation: Int
        var previous: [CrashSite]

        func crash(_ outcome: CrashOutcome, _ writes: Int?) -> CrashSite {
            CrashSite(
                of: moment.origin, operation: moment.operationsBefore + operation, writes: writes,
                outcome: outcome)
        }
    }

    /// Byte counts of partial writes: a write can be interrupted after any byte; these are the first byte and
    /// the middle of the first block.
    private static let partialWrites = [1, 2_048]

    /// Tries the kill, the kill in the middle of a write, and outcomes of a power cut.
    private func crash(
        _ stopped: ObservedWorld, _ cut: Cut, turn: Int, _ states: inout DisturbedStates<DiskStop>
    ) -> Reuse {
        var stop = Reuse()
        stop.classes.note(.kill)
        crash(stopped, .kill, cut, nil, &stop, &states)
        let choice = stopped.world.powerCutChoice(
            of: stopped.device, turn: turn, atMost: limits.outcomes.map { max($0, 1) - 1 })
        stop.isExact = choice.isExact
        stop.classes.note(choice)
        for outcome in choice.candidates {
            crash(stopped, CrashOutcome(outcome), cut, nil, &stop, &states)
        }
        let whole = stopped.crashDigest
        for (index, bytes) in DiskStop.partialWrites.enumerated() {
            guard let part = cut.moment.stopped(at: cut.operation, writing: bytes),
                part.crashDigest != whole
            else { break }
            if index == 0 { stop.classes.note(.partOfWrite) }
            crash(part, .kill, cut, bytes, &stop, &states)
        }
        return stop
    }

    private func crash(
        _ stopped: ObservedWorld, _ outcome: CrashOutcome, _ cut: Cut, _ writes: Int?, _ stop: inout Reuse,
        _ states: inout DisturbedStates<DiskStop>
    ) {
        stop.states += 1
        var device = stopped
        device.crash(outcome)
        states.add(
            device, sites: cut.previous + [cut.crash(outcome, writes)],
            cause: Cause(operation: cut.operation, writes: writes))
    }
}

extension CrashOutcome {
    fileprivate init(_ outcome: PowerCutChoice.Candidate) {
        if let index = outcome.torn { self = .torn(index) } else { self = .powerCut(outcome.survivors) }
    }
}
