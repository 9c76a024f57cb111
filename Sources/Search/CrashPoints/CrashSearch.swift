import Core
import Oracle
import Runner
import ScenarioLanguage
import World

/// How far a search over crash points goes.
package struct CrashLimits: Hashable, Sendable {
    /// 1: single crashes; 2: a second one within the recovery too.
    package var depth = 2
    /// First crashes of a story that are followed by second ones at each operation of the recovery, spread
    /// over those that left states of their own; nil: all.
    package var second: Int?
    /// Outcomes tried at one operation: the kill, then power cuts, one of each class that exists there and
    /// others in even steps; nil: all. Of fewer than there are classes these take turns.
    package var outcomes: Int? = CrashLimits.classes
    /// Only each so-many-th operation of the story, and of a recovery, is tried; which ones depends on the
    /// story's name, so that stories that begin alike don't all leave out the same.
    package var every = 1
    /// Findings kept of a story; all are counted.
    package var findings = 8

    /// The kill, and one outcome of each class of a power cut.
    package static let classes = 1 + PowerCutClass.allCases.count

    package init() {}
}

/// How far the search is in one story.
package enum CrashAdvance: Hashable, Sendable {
    /// Moments at which the app works on its disk.
    case first(done: Int, of: Int)
    /// First crashes whose recovery was cut off again at each operation.
    case second(done: Int, of: Int)
}

/// Tries the crashes of one story.
///
/// States that are one (``CrashKey``) are launched once, wherever in the story they were reached; so are the
/// states at the end of recoveries, from which the device is used on. Work goes in waves of a fixed size: all
/// items of a wave know what the waves before it found, on any core, and what they find is put together in
/// their order. So the result does not depend on the number of cores.
struct CrashSearch: Sendable {
    let limits: CrashLimits
    let recovery: Recovery
    /// Of ``CrashLimits/every``: where the row of operations that are tried begins.
    let phase: Int
    let jobs: Int
    /// For a test: what was merged is launched all the same, and must end like what it was merged with.
    var mergeCheck: MergeCheck?
    var advance: @Sendable (CrashAdvance) -> Void = { _ in }

    private(set) var tally = CrashTally()
    private(set) var findings: [CrashFinding] = []
    /// States that were launched, and operations whose outcomes were.
    private var known = KnownCrashes()
    /// States at the end of recoveries from which the device was used on, with the verdict on it.
    private var used: [CrashKey: Recovery.Verdict?] = [:]

    /// Few enough that their forks need little memory, and enough for all cores.
    private static let wave = 16
    /// Launches whose devices are held at once: one that came back has grown, with all that it did.
    private static let slice = 64

    init(limits: CrashLimits, recovery: Recovery, phase: Int, jobs: Int) {
        self.limits = limits
        self.recovery = recovery
        self.phase = phase
        self.jobs = jobs
    }

    /// All single crashes, then second ones after some of them.
    mutating func search(_ moments: [CrashMoment]) async {
        var firsts: [FirstCrash] = []
        for start in stride(from: 0, to: moments.count, by: CrashSearch.wave) {
            if Task.isCancelled { return }
            advance(.first(done: start, of: moments.count))
            let numbers = Array(start..<min(start + CrashSearch.wave, moments.count))
            let crashes = await cut(numbers) { number, cutter in
                cutter.cut(moments[number], after: [], turn: 0)
            }
            for (item, crash) in crashes {
                if let place = crash.places.last {
                    firsts.append(FirstCrash(moment: numbers[item], cause: crash.cause, place: place))
                }
            }
            await launch(crashes.map(\.crash))
        }
        guard limits.depth > 1 else { return }
        await follow(firsts, moments)
    }

    /// The launches after some of the first crashes, that were judged before, cut off at each of their
    /// operations.
    private mutating func follow(_ firsts: [FirstCrash], _ moments: [CrashMoment]) async {
        let count = min(limits.second ?? firsts.count, firsts.count)
        let chosen = (0..<count).map { (2 * $0 + 1) * firsts.count / (2 * count) }
        tally.secondLeftOut += firsts.count
        let recovery = recovery
        for start in stride(from: 0, to: chosen.count, by: CrashSearch.wave) {
            if Task.isCancelled { return }
            advance(.second(done: start, of: chosen.count))
            let numbers = Array(chosen[start..<min(start + CrashSearch.wave, chosen.count)])
            tally.secondTried += numbers.count
            tally.secondLeftOut -= numbers.count
            let crashes = await cut(numbers) { number, cutter in
                let first = firsts[number]
                guard var device = first.again(moments) else { return }
                for moment in recovery.moments(&device) {
                    cutter.cut(moment, after: [first.place], turn: number)
                }
            }
            await launch(crashes.map(\.crash))
        }
    }

    /// A first crash that left a state of its own, so that it can be had again.
    private struct FirstCrash: Sendable {
        var moment: Int
        var cause: CrashedDevice.Cause
        var place: CrashPlace

        func again(_ moments: [CrashMoment]) -> ObservedWorld? {
            guard var device = moments[moment].stopped(at: cause.operation, writing: cause.writes) else {
                return nil
            }
            device.crash(place.outcome)
            return device.forked
        }
    }

    // MARK: - A wave

    /// What the items of a wave leave that is not known yet, each with its item's place in the wave.
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
        var rested: [(crash: Int, key: CrashKey)] = []
        for start in stride(from: 0, to: crashes.count, by: CrashSearch.slice) {
            if Task.isCancelled { break }
            let numbers = start..<min(start + CrashSearch.slice, crashes.count)
            rested += await launch(crashes, numbers)
        }
        for (crash, key) in rested { judge(crashes[crash], used[key] ?? nil) }
    }

    /// - Returns: those that came back, and the states in which they rest, judged by now.
    private mutating func launch(
        _ crashes: [CrashedDevice], _ numbers: Range<Int>
    ) async -> [(crash: Int, key: CrashKey)] {
        let recovery = recovery
        let launches = await CrashSearch.each(Array(numbers), jobs) { recovery.launch(crashes[$0].device) }
        var rested: [(crash: Int, key: CrashKey)] = []
        var waiting: [(key: CrashKey, device: ObservedWorld)] = []
        var keys: Set<CrashKey> = []
        for (number, launch) in zip(numbers, launches) {
            switch launch {
            case .judged(let verdict): judge(crashes[number], verdict)
            case .recovered(let device):
                let key = mergeCheck?.forget(device.keyOfRest) ?? device.keyOfRest
                rested.append((number, key))
                if used[key] == nil, keys.insert(key).inserted { waiting.append((key, device)) }
            }
        }
        await use(waiting)
        if mergeCheck != nil { await check(launches, crashes[numbers]) }
        return rested
    }

    /// From the end of recoveries.
    private mutating func use(_ waiting: [(key: CrashKey, device: ObservedWorld)]) async {
        let recovery = recovery
        tally.used += waiting.count
        let verdicts = await CrashSearch.each(waiting, jobs) { row in
            var device = row.device
            return recovery.judgeRest(&device)
        }
        for (row, verdict) in zip(waiting, verdicts) { used[row.key] = .some(verdict) }
    }

    /// Each launch to its end, whatever it was merged with: both the state that was launched and the one in
    /// which it recovered must end as those they are one with.
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
            for case let flaw?? in flaws { found(flaw, crash.places) }
        }
    }

    // MARK: - What came of it

    private mutating func judge(_ crash: CrashedDevice, _ verdict: Recovery.Verdict?) {
        if let verdict { found(verdict, crash.places) }
    }

    private mutating func found(_ verdict: Recovery.Verdict, _ places: [CrashPlace]) {
        tally.failures += 1
        guard findings.count < limits.findings else { return }
        findings.append(
            CrashFinding(
                rule: verdict.rule, headline: verdict.headline, expected: verdict.expected,
                actual: verdict.actual, places: places))
    }

    // MARK: - On all cores

    /// In the order of the items; fewer when the search was called off.
    private static func each<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ jobs: Int, _ body: @escaping @Sendable (Item) -> Result
    ) async -> [Result] {
        var done = [Result?](repeating: nil, count: items.count)
        await withTaskGroup(of: (Int, Result).self) { group in
            var next = 0
            func addOne() {
                guard next < items.count, !Task.isCancelled else { return }
                let number = next
                next += 1
                group.addTask { (number, body(items[number])) }
            }
            for _ in 0..<max(1, jobs) { addOne() }
            for await (number, result) in group {
                done[number] = result
                addOne()
            }
        }
        return done.compactMap { $0 }
    }
}
