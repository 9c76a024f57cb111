import Core
import Runner

/// Disturbs one run at its moments, and evaluates what becomes of the device.
///
/// States with equal keys (``CrashKey``) are launched once per scenario; the same holds for the states at the
/// end of recoveries, from which the device is used further. Work is done in waves of a fixed size: every
/// item of a wave knows the states of the previous waves only, and the results are merged in the order of the
/// items. Therefore the result does not depend on the number of cores.
package struct DisturbanceSearch<Kind: Disturbance>: Sendable {
    /// A verdict, and the disturbances that led to it.
    package struct Finding: Sendable {
        package var verdict: Recovery.Finding
        package var sites: [Kind.Site]
    }

    let kind: Kind
    /// Of them the engine knows the depth, the share of second disturbances, and the number of findings.
    let limits: CrashLimits
    let jobs: Int
    /// For tests: launches merged states all the same and compares their ends.
    var mergeCheck: MergeCheck?
    var advance: @Sendable (CrashAdvance) -> Void = { _ in }

    package private(set) var tally = CrashTally()
    package private(set) var findings: [Finding] = []
    private var known = KnownStates<Kind.Reuse>()
    /// The states at the end of recoveries from which the device was used further, each with the verdict.
    private var used: [CrashKey: Recovery.Finding?] = [:]

    /// Moments in a wave: few, so that their forks need little memory, but enough for all cores.
    private static var wave: Int { 16 }
    /// Launched devices in memory at the same time; they are larger than before, because their traces grow.
    /// It makes no difference to the result.
    var slice = 64

    package init(_ kind: Kind, limits: CrashLimits, jobs: Int) {
        self.kind = kind
        self.limits = limits
        self.jobs = jobs
    }

    /// Tries all single disturbances, then second ones after some of them.
    package mutating func search(_ moments: [Kind.Moment]) async {
        var firsts: [First] = []
        let kind = kind
        for start in stride(from: 0, to: moments.count, by: Self.wave) {
            if Task.isCancelled { return }
            advance(.first(done: start, of: moments.count))
            let indices = Array(start..<min(start + Self.wave, moments.count))
            let disturbed = await disturb(indices) { index, states in
                kind.disturb(moments[index], after: [], turn: 0, &states)
            }
            for (item, device) in disturbed {
                if let site = device.sites.last {
                    firsts.append(First(moment: indices[item], cause: device.cause, site: site))
                }
            }
            await launch(disturbed.map(\.device))
        }
        guard limits.depth > 1 else { return }
        await follow(firsts, moments)
    }

    /// Disturbs the recoveries from some of the first disturbances at each of their moments. Those recoveries
    /// were evaluated before.
    private mutating func follow(_ firsts: [First], _ moments: [Kind.Moment]) async {
        let count = min(limits.second ?? firsts.count, firsts.count)
        let chosen = (0..<count).map { (2 * $0 + 1) * firsts.count / (2 * count) }
        tally.secondLeftOut += firsts.count
        let kind = kind
        for start in stride(from: 0, to: chosen.count, by: Self.wave) {
            if Task.isCancelled { return }
            advance(.second(done: start, of: chosen.count))
            let indices = Array(chosen[start..<min(start + Self.wave, chosen.count)])
            tally.secondTried += indices.count
            tally.secondLeftOut -= indices.count
            let disturbed = await disturb(indices) { index, states in
                let first = firsts[index]
                guard var device = kind.reproduced(first.site, first.cause, at: moments[first.moment]) else {
                    return
                }
                for moment in kind.moments(ofRecovery: &device) {
                    kind.disturb(moment, after: [first.site], turn: index, &states)
                }
            }
            await launch(disturbed.map(\.device))
        }
    }

    /// A first disturbance that left a new state, with what is needed to reproduce that state.
    private struct First: Sendable {
        /// The index of the moment.
        var moment: Int
        var cause: Kind.Cause
        var site: Kind.Site
    }

    // MARK: - A wave

    /// The new states that the items of a wave leave, each with the index of its item.
    private mutating func disturb(
        _ items: [Int], _ body: @escaping @Sendable (Int, inout DisturbedStates<Kind>) -> Void
    ) async -> [(item: Int, device: DisturbedDevice<Kind>)] {
        let (known, mergeCheck) = (known, mergeCheck)
        let wave = await parallelMap(items, jobs: jobs) { item in
            var states = DisturbedStates<Kind>(known: known, mergeCheck: mergeCheck)
            body(item, &states)
            return states
        }
        var fresh: [(item: Int, device: DisturbedDevice<Kind>)] = []
        for (item, states) in wave.enumerated() {
            tally = tally + states.tally
            self.known.add(states.results)
            for device in states.new {
                let isNew = self.known.add(device.key)
                if isNew { tally.launched += 1 }
                if isNew || mergeCheck != nil { fresh.append((item, device)) }
            }
        }
        return fresh
    }

    private mutating func launch(_ devices: [DisturbedDevice<Kind>]) async {
        var recovered: [(device: Int, key: CrashKey)] = []
        for start in stride(from: 0, to: devices.count, by: slice) {
            if Task.isCancelled { break }
            let range = start..<min(start + slice, devices.count)
            recovered += await launch(devices, range)
        }
        for (device, key) in recovered { record(used[key] ?? nil, of: devices[device]) }
    }

    /// - Returns: the indices of the devices that recovered, each with the key of its idle state, whose
    ///   verdict is in ``used``.
    private mutating func launch(
        _ devices: [DisturbedDevice<Kind>], _ range: Range<Int>
    ) async -> [(device: Int, key: CrashKey)] {
        let kind = kind
        let launches = await parallelMap(Array(range), jobs: jobs) { kind.launch(devices[$0]) }
        var recovered: [(device: Int, key: CrashKey)] = []
        var waiting: [(key: CrashKey, device: ObservedWorld)] = []
        var keys: Set<CrashKey> = []
        for (index, launch) in zip(range, launches) {
            switch launch {
            case .failed(let verdict): record(verdict, of: devices[index])
            case .unfinished: tally.unfinished += 1
            case .recovered(let device):
                let key = mergeCheck?.forget(device.keyAfterRecovery) ?? device.keyAfterRecovery
                recovered.append((index, key))
                if used[key] == nil, keys.insert(key).inserted { waiting.append((key, device)) }
            }
        }
        await use(waiting)
        if mergeCheck != nil { await check(launches, devices[range]) }
        return recovered
    }

    /// Uses the devices further from the end of their recoveries, and stores the verdicts.
    private mutating func use(_ waiting: [(key: CrashKey, device: ObservedWorld)]) async {
        let kind = kind
        tally.used += waiting.count
        let verdicts = await parallelMap(waiting, jobs: jobs) { entry in
            var device = entry.device
            return kind.evaluateAfterRecovery(&device)
        }
        for (entry, verdict) in zip(waiting, verdicts) { used[entry.key] = .some(verdict) }
    }

    /// Runs each launch to its end although it was merged: both the launched state and the recovered one must
    /// end like the states that they were merged with.
    private mutating func check(_ launches: [Recovery.Launch], _ devices: ArraySlice<DisturbedDevice<Kind>>)
        async
    {
        let kind = kind
        let ends = await parallelMap(launches, jobs: jobs) { launch -> MergeCheck.End in
            var device: ObservedWorld
            switch launch {
            case .failed(let verdict): return MergeCheck.End(verdict: verdict)
            case .unfinished: return MergeCheck.End()
            case .recovered(let recovered): device = recovered
            }
            let verdict = kind.evaluateAfterRecovery(&device)
            return MergeCheck.End(verdict: verdict, rest: StoreSnapshot(device.observer.view.live))
        }
        for ((launch, disturbed), end) in zip(zip(launches, devices), ends) {
            var flaws = [mergeCheck?.flaw(disturbed: disturbed.key, end)]
            if case .recovered(let device) = launch {
                flaws.append(mergeCheck?.flaw(recovered: device.keyAfterRecovery, end))
            }
            for case let flaw?? in flaws { found(flaw, disturbed.sites) }
        }
    }

    // MARK: - Findings

    private mutating func record(_ verdict: Recovery.Finding?, of disturbed: DisturbedDevice<Kind>) {
        if let verdict { found(verdict, disturbed.sites) }
    }

    private mutating func found(_ verdict: Recovery.Finding, _ sites: [Kind.Site]) {
        tally.failures += 1
        guard findings.count < limits.findings else { return }
        findings.append(Finding(verdict: verdict, sites: sites))
    }
}
