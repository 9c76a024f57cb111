import Backend
import Core
import Oracle
import Runner
import ScenarioLanguage
import World

/// The disturbances of a sweep: each is tried at chosen instants of one run. The rest of the run's actions
/// follow at their times; then all faults end, and the device is used until it runs what it should.
struct Sweep: Disturbance {
    /// An instant of the run, and what is tried there.
    struct Moment: Sendable {
        /// The world before the disturbance, without its trace.
        var world: ObservedWorld
        var at: Instant
        var circumstance: Circumstance
        /// Index of the first action that follows.
        var entry: Int
        /// Indices in ``Sweep/disturbances``.
        var disturbances: [Int]
    }

    typealias Site = SweepSite

    struct Cause: Sendable {
        var disturbance: Int
        var entry: Int
        var at: Instant
    }

    /// States with a running process are not merged.
    struct Reuse: Sendable {}

    let disturbances: [SweepDisturbance]
    let schedule: SweepSchedule
    let recovery: Recovery
    /// The disturbances that led to the run that is disturbed (``SweepPairs``).
    var earlier: [SweepSite] = []
    /// Called before a disturbed world begins and before it goes on; false leaves it out.
    var willTry: (@Sendable ([SweepSite]) -> Bool)?
    let coverage = SweepCoverage()

    // MARK: - Disturbance

    func disturb(
        _ moment: Moment, after previous: [SweepSite], turn: Int, _ states: inout DisturbedStates<Sweep>
    ) {
        for index in moment.disturbances {
            states.tally.firstPoints += 1
            let cause = Cause(disturbance: index, entry: moment.entry, at: moment.at)
            let site = SweepSite(
                disturbance: disturbances[index], at: moment.at, circumstance: moment.circumstance)
            guard willTry?(earlier + [site]) ?? true, let device = begun(cause, moment.world) else {
                states.tally.pointsLeftOut += 1
                continue
            }
            states.tally.states += 1
            // Unique: what runs is not compared.
            let key = CrashKey(
                device: UInt64(index), environment: UInt64(moment.entry), memory: 0,
                seconds: moment.at.microseconds)
            states.add(device, key: key, sites: previous + [site], cause: cause)
        }
    }

    func reproduced(_ site: SweepSite, _ cause: Cause, at moment: Moment) -> ObservedWorld? {
        begun(cause, moment.world)
    }

    /// The world after the first step of a disturbance; nil if that had no effect.
    func begun(_ cause: Cause, _ world: ObservedWorld) -> ObservedWorld? {
        var device = world
        _ = device.advance(to: cause.at)
        let before = device.world.trace.count
        perform(disturbances[cause.disturbance].steps[0].action, on: &device)
        let isIdle = device.world.trace[before...].contains {
            if case .actionDidNothing = $0.kind { true } else { false }
        }
        return isIdle ? nil : device
    }

    private func perform(_ action: Action, on device: inout ObservedWorld) {
        if case .fault(let spec) = action {
            device.coverage?.name(spec.kind, World.faultName(ofStep: StepAction.ofNoStep))
        }
        for named in Step(action: action).namedActions {
            device.world.perform(StepAction(named, device: device.device))
            device.catchUp()
        }
    }

    func moments(ofRecovery device: inout ObservedWorld) -> [Moment] { [] }

    func launch(_ disturbed: DisturbedDevice<Sweep>) -> Recovery.Launch {
        var device = disturbed.device
        _ = willTry?(earlier + disturbed.sites)
        defer { coverage.add(device) }
        if let why = follow(disturbed.cause, on: &device) {
            // A run that reached a limit has no verdict unless a rule was broken before.
            return device.findings.first.map { .failed(Recovery.Finding($0)) } ?? .unfinished(why)
        }
        return recovery.use(&device)
    }

    /// Performs the rest of the disturbance and of the scenario's actions at their times, until the first
    /// broken rule.
    /// - Returns: reason why it could not continue.
    func follow(_ cause: Cause, on device: inout ObservedWorld) -> String? {
        var later = disturbances[cause.disturbance].steps.dropFirst().map {
            (cause.at + $0.after, $0.action)
        }[...]
        func pass(until end: Instant) -> String? {
            while let next = later.first, next.0 <= end {
                if let why = device.pass(until: next.0) { return why }
                perform(next.1, on: &device)
                later.removeFirst()
            }
            return device.pass(until: end)
        }
        let last = later.last?.0 ?? .zero
        for entry in schedule.entries[cause.entry...] {
            // As in the file of a finding: steps of one instant come before the app hears of the first.
            if entry.at > device.world.now, let why = pass(until: entry.at) { return why }
            if !device.findings.isEmpty { return nil }
            device.world.perform(entry.action)
            device.catchUp()
        }
        return pass(until: max(schedule.end, last))
    }

    func evaluateAfterRecovery(_ device: inout ObservedWorld) -> Recovery.Finding? {
        var finding = recovery.verifyIdempotence(&device)
        finding?.isOfFurtherUse = true
        return finding
    }
}
