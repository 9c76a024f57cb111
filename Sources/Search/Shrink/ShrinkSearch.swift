import ScenarioLanguage

/// The state of a search for a smaller scenario: the smallest tree so far, and what was tried.
struct ShrinkSearch {
    private(set) var tree: PrintedValue
    /// Runs that the result depends on, with the one of the scenario itself. A candidate that was tried at
    /// the same time as an accepted one before it counts when its turn comes, or never.
    private(set) var runs = 1
    /// Signature of the failure as the smallest scenario has it.
    private(set) var latest: FailureSignature
    private let wanted: FailureSignature
    private let shrinker: Shrinker
    private let strategies: [any ShrinkStrategy]
    /// Texts that were run, or that the reader refused.
    private var tried: [String: Trial] = [:]

    private struct Trial {
        /// Signature of the same failure; nil if the scenario does not have it.
        var same: FailureSignature?
        var isCounted: Bool
    }

    init(tree: PrintedValue, wanted: FailureSignature, shrinker: Shrinker) {
        self.tree = tree
        self.wanted = wanted
        self.shrinker = shrinker
        strategies = ShrinkStrategies.all(
            keepsConduct: wanted.kind == .expectation || wanted.kind == .trigger)
        latest = wanted
        tried[ScenarioPrinter.text(of: tree)] = Trial(same: nil, isCounted: true)
    }

    /// Whether no run is left.
    var isSpent: Bool { runs >= shrinker.maxRuns }

    /// Tries all strategies once.
    /// - Returns: whether another round may help.
    mutating func round() async -> Bool {
        var isSmaller = false
        for strategy in strategies {
            if isSpent || Task.isCancelled { return false }
            if await attempt(strategy) { isSmaller = true }
        }
        return isSmaller && !isSpent
    }

    /// Ids of the runs without the scenario's own id and seed: as many other choices.
    private static let otherIDs = ["one", "another", "third", "fourth"]

    /// Removes the id and the seed, so that the file has the id of its path, if the failure comes with other
    /// choices as well: the person who moves the file must not lose it.
    mutating func removeSeed() async {
        var plain = tree
        plain["id"] = nil
        plain["seed"] = nil
        let named = ShrinkSearch.otherIDs.map { id in
            var named = plain
            named["id"] = .text(id)
            return named
        }
        let scenarios = ([plain] + named).compactMap { shrinker.limited($0) }
        guard scenarios.count == named.count + 1, !Task.isCancelled,
            shrinker.maxRuns - runs >= scenarios.count
        else { return }
        let same = await shrinker.signatures(of: scenarios).map { failures in
            failures.first { $0.isSame(as: wanted) }
        }
        runs += scenarios.count
        guard let first = same[0], same.allSatisfy({ $0 != nil }) else { return }
        tree = plain
        latest = first
    }

    /// A candidate that the reader accepts and that was not counted yet.
    private struct Candidate {
        var index: Int
        var tree: PrintedValue
        var text: String
        var scenario: Scenario
    }

    private mutating func attempt(_ strategy: any ShrinkStrategy) async -> Bool {
        var isSmaller = false
        var candidates = strategy.candidates(tree)
        var index = 0
        while index < candidates.count, !isSpent, !Task.isCancelled {
            let batch = batch(candidates, from: index)
            guard let last = batch.last else { break }
            await run(batch)
            index = last.index + 1
            for candidate in batch {
                if isSpent { break }
                runs += 1
                tried[candidate.text]?.isCounted = true
                guard let same = tried[candidate.text]?.same else { continue }
                tree = candidate.tree
                latest = same
                isSmaller = true
                // The candidate with this index is gone, and the next one has its index.
                index = candidate.index
                candidates = strategy.candidates(tree)
                shrinker.progress?(runs, tree.locatedSteps.count)
                break
            }
        }
        return isSmaller
    }

    /// The next candidates that are worth a run, as many as are tried at the same time.
    private mutating func batch(_ candidates: [PrintedValue], from start: Int) -> [Candidate] {
        var batch: [Candidate] = []
        for index in start..<candidates.count where batch.count < max(1, shrinker.jobs) {
            let text = ScenarioPrinter.text(of: candidates[index])
            if let known = tried[text], known.isCounted { continue }
            if batch.contains(where: { $0.text == text }) { continue }
            guard let scenario = shrinker.limited(candidates[index]),
                shrinker.accepts?(scenario) ?? true
            else {
                tried[text] = Trial(same: nil, isCounted: true)
                continue
            }
            batch.append(Candidate(index: index, tree: candidates[index], text: text, scenario: scenario))
        }
        return batch
    }

    private mutating func run(_ batch: [Candidate]) async {
        let new = batch.filter { tried[$0.text] == nil }
        let signatures = await shrinker.signatures(of: new.map(\.scenario))
        for (candidate, failures) in zip(new, signatures) {
            tried[candidate.text] = Trial(
                same: failures.first { $0.isSame(as: wanted) }, isCounted: false)
        }
    }
}
