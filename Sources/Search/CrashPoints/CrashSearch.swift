import Core
import Oracle
import Runner
import ScenarioLanguage
import World

/// The limits of a crash-point search.
package struct CrashLimits: Hashable, Sendable {
    /// Maximum number of crashes: 1 for single crashes, 2 for a second one within the recovery too.
    package var depth = 2
    /// Number of first crashes that are followed by second ones at each operation of the recovery, spread
    /// evenly over those that left new states; nil for all.
    package var second: Int?
    /// Number of outcomes tried at one operation: the kill, then power cuts, one of each class that exists
    /// there, then others at even intervals; nil for all. If there are more classes, they take turns.
    package var outcomes: Int? = CrashLimits.classes
    /// Only every n-th operation of the scenario, and of a recovery, is tried. The offset depends on the
    /// scenario's name, so that scenarios that begin alike don't all leave out the same operations.
    package var every = 1
    /// Maximum number of findings kept for a scenario; all are counted.
    package var findings = 8

    /// Number of classes: the kill, and each class of a power cut.
    package static let classes = 1 + PowerCutClass.allCases.count

    package init() {}
}

/// The progress of the search of one scenario.
package enum CrashAdvance: Hashable, Sendable {
    /// Moments with disk operations at which first crashes were tried.
    case first(done: Int, of: Int)
    /// First crashes whose recovery was crashed again at each operation.
    case second(done: Int, of: Int)
}

/// Tries the crashes of one scenario.
///
/// States with equal keys (``CrashKey``) are launched once per scenario; the same holds for the states at the
/// end of recoveries, from which the device is used further. Work is done in waves of a fixed size: every
/// item of a wave knows the states of the previous waves only, and the results are merged in the order of the
/// items. Therefore the result does not depend on the number of cores.
struct CrashSearch: Sendable {
    let limits: CrashLimits
    let recovery: Recovery
    /// The offset of the operations that are tried, for ``CrashLimits/every``.
    let phase: Int
    let jobs: Int
    /// For tests: launches merged states all the same and compares their ends.
    var mergeCheck: MergeCheck?
    var advance: @Sendable (CrashAdvance) -> Void = { _ in }

    private(set) var tally = CrashTally()
    private(set) var findings: [CrashFinding] = []
    /// The states that were launched, and the operations whose outcomes were tried.
    private var known = KnownCrashes()
    /// The states at the end of recoveries from which the device was used further, each with the verdict.
    private var used: [CrashKey: Recovery.Verdict?] = [:]

    /// Moments in a wave: few, so that their forks need little memory, but enough for all cores.
    private static let wave = 16
    /// Launched devices in memory at the same time; they are larger than before, because their traces grow.
    private static let slice = 64

    init(limits: CrashLimits, recovery: Recovery, phase: Int, jobs: Int) {
        self.limits = limits
        self.recovery = recovery
        self.phase = phase
        self.jobs = jobs
    }

    /// Tries all single crashes, then second ones after some of them.
    mutating func search(_ moments: [CrashMoment]) async {
        var firsts: [FirstCrash] = []
        for start in stride(from: 0, to: moments.count, by: CrashSearch.wave) {
            if Task.isCancelled { return }
            advance(.first(done: start, of: moments.count))
            let indices = Array(start..<min(start + CrashSearch.wave, moments.count))
            let crashes = await cut(indices) { index, cutter in
                cutter.cut(moments[index], after: [], turn: 0)
            }
            for (item, crash) in crashes {
                if let last = crash.crashes.last {
                    firsts.append(FirstCrash(moment: indices[item], cause: crash.cause, crash: last))
                }
            }
            await launch(crashes.map(\.crash))
        }
        guard limits.depth > 1 else { return }
        await follow(firsts, moments)
    }

    /// Crashes the launches after some of the first crashes at each of their operations. Those launches were
    /// evaluated before.
    private mutating func follow(_ firsts: [FirstCrash], _ moments: [CrashMoment]) async {
        let count = min(limits.second ?? firsts.count, firsts.count)
        let chosen = (0..<count).map { (2 * $0 + 1) * firsts.count / (2 * count) }
        tally.secondLeftOut += firsts.count
        let recovery = recovery
        for start in stride(from: 0, to: chosen.count, by: CrashSearch.wave) {
            if Task.isCancelled { return }
            advance(.second(done: start, of: chosen.count))
            let indices = Array(chosen[start..<min(start + CrashSearch.wave, chosen.count)])
            tally.secondTried += indices.count
            tally.secondLeftOut -= indices.count
            let crashes = await cut(indices) { index, cutter in
                let first = firsts[index]
                guard var device = first.reproduced(from: moments) else { return }
                for moment in recovery.moments(&device) {
                    cutter.cut(moment, after: [first.crash], turn: index)
                }
            }
            await launch(crashes.map(\.crash))
        }
    }

    /// A first crash that left a new state, with what is needed to reproduce that state.
    private struct FirstCrash: Sendable {
        /// The index of the moment.
        var moment: Int
        var cause: CrashedDevice.Cause
        var crash: CrashPlace

        func reproduced(from moments: [CrashMoment]) -> ObservedWorld? {
            guard var device = moments[moment].stopped(at: cause.operation, writing: cause.writes) else {
                return nil
            }
            device.crash(crash.outcome)
            return device.forked
        }
    }

    // MARK: - A wave

    /// The new states that the items of a wave leave, each with the index of its item.
    private mutating func cut(
        _ items: [Int], _ body: @escaping @Sendable (Int, inout CrashCutter) -> Void
    ) async -> [(item: Int, crash: CrashedDevice)] {
        let (limits, phase, known) = (limits, phase, known)
        let mergeCheck = mergeCheck
        let cutters = await CrashSearch.each(items, jobs) { item in
            var cutter = CrashCutter(limits: limits, phase: phase, known: known, mergeCheck: mergeCheck)
            body(item, &cutter)
            return cutter
        }
        var fresh: [(item: Int, crash: CrashedDevice)] = []
        for (item, cutter) in cutters.enumerated() {
            tally = tally + cutter.tally
            self.known.add(cutter.stops)
            for crash in cutter.crashes {
                let isNew = self.known.add(crash.key)
                if isNew { tally.launched += 1 }
                if isNew || mergeCheck != nil { fresh.append((item, crash)) }
            }
        }
        return fresh
    }

    private mutating func launch(_ crashes: [CrashedDevice]) async {
        var recovered: [(crash: Int, key: CrashKey)] = []
        for start in stride(from: 0, to: crashes.count, by: CrashSearch.slice) {
            if Task.isCancelled { break }
            let range = start..<min(start + CrashSearch.slice, crashes.count)
            recovered += await launch(crashes, range)
        }
        for (crash, key) in recovered { record(used[key] ?? nil, of: crashes[crash]) }
    }

    /// - Returns: the crashes from which the device recovered, each with the key of its idle state, whose
    ///   verdict is in ``used``.
    private mutating func launch(
        _ crashes: [CrashedDevice], _ range: Range<Int>
    ) async -> [(crash: Int, key: CrashKey)] {
        let recovery = recovery
        let launches = await CrashSearch.each(Array(range), jobs) { recovery.launch(crashes[$0].device) }
        var recovered: [(crash: Int, key: CrashKey)] = []
        var waiting: [(key: CrashKey, device: ObservedWorld)] = []
        var keys: Set<CrashKey> = []
        for (index, launch) in zip(range, launches) {
            switch launch {
            case .judged(let verdict): record(verdict, of: crashes[index])
            case .recovered(let device):
                let key = mergeCheck?.forget(device.keyOfRest) ?? device.keyOfRest
                recovered.append((index, key))
                if used[key] == nil, keys.insert(key).inserted { waiting.append((key, device)) }
            }
        }
        await use(waiting)
        if mergeCheck != nil { await check(launches, crashes[range]) }
        return recovered
    }

    /// Uses the devices further from the end of their recoveries, and stores the verdicts.
    private mutating func use(_ waiting: [(key: CrashKey, device: ObservedWorld)]) async {
        let recovery = recovery
        tally.used += waiting.count
        let verdicts = await CrashSearch.each(waiting, jobs) { entry in
            var device = entry.device
            return recovery.judgeRest(&device)
        }
        for (entry, verdict) in zip(waiting, verdicts) { used[entry.key] = .some(verdict) }
    }

    /// Runs each launch to its end although it was merged: both the launched state and the recovered one must
    /// end like the states that they were merged with.
    private mutating func check(_ launches: [Recovery.Launch], _ crashes: ArraySlice<CrashedDevice>) async {
        let recovery = recovery
        let ends = await CrashSearch.each(launches, jobs) { launch -> MergeCheck.End in
            var device: ObservedWorld
            switch launch {
            case .judged(let verdict): return MergeCheck.End(verdict: verdict)
            case .recovered(let recovered): device = recovered
            }
            let verdict = recovery.judgeRest(&device)
            return MergeCheck.End(verdict: verdict, rest: StoreAtRest(device.watch.view.live))
        }
        for ((launch, crash), end) in zip(zip(launches, crashes), ends) {
            var flaws = [mergeCheck?.flaw(crashed: crash.key, end)]
            if case .recovered(let device) = launch {
                flaws.append(mergeCheck?.flaw(recovered: device.keyOfRest, end))
            }
            for case let flaw?? in flaws { found(flaw, crash.crashes) }
        }
    }

    // MARK: - Findings

    private mutating func record(_ verdict: Recovery.Verdict?, of crash: CrashedDevice) {
        if let verdict { found(verdict, crash.crashes) }
    }

    private mutating func found(_ verdict: Recovery.Verdict, _ crashes: [CrashPlace]) {
        tally.failures += 1
        guard findings.count < limits.findings else { return }
        findings.append(
            CrashFinding(
                rule: verdict.rule, headline: verdict.headline, expected: verdict.expected,
                actual: verdict.actual, crashes: crashes))
    }

    // MARK: - On all cores

    /// The results in the order of the items; fewer if the search was cancelled.
    private static func each<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ jobs: Int, _ body: @escaping @Sendable (Item) -> Result
    ) async -> [Result] {
        var done = [Result?](repeating: nil, count: items.count)
        await withTaskGroup(of: (Int, Result).self) { group in
            var next = 0
            func addOne() {
                guard next < items.count, !Task.isCancelled else { return }
                let index = next
                next += 1
                group.addTask { (index, body(items[index])) }
            }
            for _ in 0..<max(1, jobs) { addOne() }
            for await (index, result) in group {
                done[index] = result
                addOne()
            }
        }
        return done.compactMap { $0 }
    }
}
