import Core
import ScenarioLanguage
import World

/// How far a search over crash points goes.
public struct CrashLimits: Hashable, Sendable {
    /// 1: single crashes; 2: a second one within the recovery too.
    public var depth = 2
    /// First crashes of a story that are followed by second ones at each operation of the recovery, spread
    /// over the story, at most one of a group; nil: all.
    public var second: Int? = 2
    /// Outcomes tried at one operation: the kill, nothing, everything, and others in even steps, all names
    /// without content among them; nil: all.
    public var outcomes: Int? = 6
    /// Only each so-many-th operation of the story, and of a recovery, is tried; which ones depends on the
    /// story's name, so that stories that begin alike don't all leave out the same.
    public var every = 1
    /// Findings kept of a group; all are counted.
    public var findings = 3

    public init() {}
}

/// Tries every crash at the moments of one group: those with the same trace before them, so that no two
/// groups have states in common and each can be searched by itself, on any core.
struct CrashSearch: Sendable {
    let limits: CrashLimits
    let recovery: Recovery
    /// Of ``CrashLimits/every``: where the row of operations that are tried begins.
    let phase: Int

    private(set) var tally = CrashTally()
    private(set) var findings: [CrashFinding] = []
    private var seen: [Set<CrashKey>] = [[], []]
    /// States at the end of recoveries that have been judged.
    private var rested: [CrashKey: Recovery.Verdict?] = [:]
    /// First crashes that were launched.
    private var launched = 0
    /// One of them, that second ones may follow; not always the group's first, which is a kill.
    private(set) var candidate: Crashed?
    private let turn: Int

    /// What a first crash left.
    struct Crashed: Sendable {
        var device: WatchedWorld
        var places: [CrashPlace]
    }

    /// - Parameter number: of the group.
    init(limits: CrashLimits, recovery: Recovery, phase: Int = 0, number: Int = 0) {
        self.limits = limits
        self.recovery = recovery
        self.phase = phase
        turn = (number + phase) % 4
    }

    mutating func search(_ moments: [CrashMoment]) {
        for moment in moments { search(moment, after: []) }
    }

    /// The launch after a first crash, that was judged before, cut off at each of its operations.
    mutating func follow(_ crashed: Crashed) {
        tally.secondTried += 1
        tally.secondLeftOut -= 1
        var device = crashed.device
        recovery.begin(&device)
        for moment in moments(of: &device) { search(moment, after: crashed.places) }
    }

    // MARK: - One moment

    private mutating func search(_ moment: CrashMoment, after places: [CrashPlace]) {
        var former: UInt64?
        var formerOutcomes = 0
        for operation in 1...moment.operations {
            // Recoveries take turns with what they leave out.
            let position = moment.number + operation + phase + (places.isEmpty ? 0 : launched)
            if position % limits.every != 0 {
                tally.pointsLeftOut += 1
                continue
            }
            if places.isEmpty { tally.firstPoints += 1 } else { tally.secondPoints += 1 }
            guard let stopped = moment.stopped(at: operation) else {
                tally.exactPoints += 1
                continue
            }
            let digest = CrashSearch.killed(stopped).crashDigest
            if digest == former {
                // An operation that changed nothing: every outcome is one of those before it.
                tally.exactPoints += 1
                tally.states += formerOutcomes
                tally.merged += formerOutcomes
                continue
            }
            former = digest
            let plan = stopped.world.powerCutPlan(of: stopped.device)
            let outcomes = chosen(plan.outcomes)
            let isExact = plan.isExact && outcomes.count == plan.outcomes.count
            if isExact { tally.exactPoints += 1 } else { tally.sampledPoints += 1 }
            formerOutcomes = outcomes.count + 1
            let place = { (outcome: CrashOutcome, writes: Int?) in
                CrashPlace(
                    of: moment.origin, operation: moment.operationsBefore + operation, writes: writes,
                    outcome: outcome)
            }
            crash(stopped, outcomes, places) { place($0, nil) }
            for bytes in CrashSearch.cuts {
                guard let cut = moment.stopped(at: operation, writing: bytes),
                    CrashSearch.killed(cut).crashDigest != digest
                else { break }
                formerOutcomes += 1
                crash(cut, [], places) { place($0, bytes) }
            }
        }
    }

    /// A call that writes can be cut off after any byte: after the first, and within the first block.
    private static let cuts = [1, 2_048]

    private func chosen(_ all: [PowerCutOutcome]) -> [PowerCutOutcome] {
        guard let most = limits.outcomes, all.count > max(most, 1) - 1 else { return all }
        let count = max(most, 1) - 1
        var chosen = all.filter { ($0 == .nothing && count > 0) || ($0 == .everything && count > 1) }
        let rest = all.filter { $0 != .nothing && $0 != .everything }
        let open = min(count - chosen.count, rest.count)
        for number in 0..<max(open, 0) { chosen.append(rest[number * rest.count / open]) }
        return chosen
    }

    private static func killed(_ device: WatchedWorld) -> WatchedWorld {
        var killed = device
        killed.world.perform(.kill(.system), step: -1, device: device.device)
        return killed
    }

    /// All that can be left: the kill, and (of a whole operation) every outcome of a power cut.
    private mutating func crash(
        _ stopped: WatchedWorld, _ outcomes: [PowerCutOutcome], _ places: [CrashPlace],
        _ place: (CrashOutcome) -> CrashPlace
    ) {
        crash(stopped, places + [place(.kill)])
        for outcome in outcomes {
            let named: CrashOutcome
            if case .torn(let index) = outcome {
                named = .torn(index)
            } else {
                named = .powerCut(stopped.world.survivors(of: outcome, on: stopped.device))
            }
            crash(stopped, places + [place(named)])
        }
    }

    private mutating func crash(_ stopped: WatchedWorld, _ places: [CrashPlace]) {
        guard let last = places.last else { return }
        tally.states += 1
        var device = stopped
        device.crash(last.outcome)
        guard seen[min(places.count, 2) - 1].insert(device.key).inserted else {
            tally.merged += 1
            // The state is known, the way to it is not.
            if let finding = device.findings.first { found(Recovery.Verdict(finding), places) }
            return
        }
        launch(device.forked, places)
    }

    // MARK: - The launch after it

    private mutating func launch(_ crashed: WatchedWorld, _ places: [CrashPlace]) {
        var device = crashed
        recovery.begin(&device)
        let exhausted = device.pass(until: device.world.now + Recovery.limit) { recovery.isOver($0) }
        if let verdict = recovery.judgeLaunch(device, exhausted: exhausted) {
            found(verdict, places)
        } else {
            rest(device, places)
        }
        guard places.count == 1, limits.depth > 1 else { return }
        let first = Crashed(device: crashed, places: places)
        if launched <= turn { candidate = first }
        tally.secondLeftOut += 1
        if limits.second == nil { follow(first) }
        launched += 1
    }

    /// The moments with disk work, as far as a recovery is watched.
    private func moments(of device: inout WatchedWorld) -> [CrashMoment] {
        var moments: [CrashMoment] = []
        let begun = device.diskOperations
        let end = device.world.now + Recovery.limit
        while !recovery.isOver(device), let next = device.world.nextEventTime, next <= end {
            let before = device
            let operations = device.diskOperations
            guard device.next() == .event else { break }
            let count = device.diskOperations - operations
            if count > 0 {
                moments.append(
                    CrashMoment(
                        before: before.forked, cause: .event, operations: count, number: operations - begun,
                        origin: .recovery, operationsBefore: operations - begun))
            }
        }
        return moments
    }

    private mutating func rest(_ recovered: WatchedWorld, _ places: [CrashPlace]) {
        var device = recovered
        device.perform(.kill(.user))
        let key = device.key
        if let known = rested[key] {
            if let known { found(known, places) }
            return
        }
        tally.rested += 1
        var resting = device.forked
        let verdict = recovery.judgeRest(&resting)
        rested[key] = .some(verdict)
        if let verdict { found(verdict, places) }
    }

    private mutating func found(_ verdict: Recovery.Verdict, _ places: [CrashPlace]) {
        tally.failures += 1
        guard findings.count < limits.findings else { return }
        findings.append(
            CrashFinding(
                rule: verdict.rule, headline: verdict.headline, expected: verdict.expected,
                actual: verdict.actual, places: places))
    }
}
