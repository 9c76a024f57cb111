import ScenarioLanguage

/// The outcomes of a power cut that a search tries at one point: one of each class that exists there, then
/// others in even steps, up to the wanted number. Which operations survive in an outcome is chosen in
/// `PowerCutSurvivors.swift` (``PowerCutOutcome`` `survivors(of:_:)`).
///
/// Guarantees
/// - No two of them have the same survivors: an outcome that belongs to two classes is tried once and counts
///   for both.
/// - The turn selects the outcome of each class, by steps of the golden ratio: over the turns every operation
///   is the one that survives, the one that is lost, and (if a write) the one that is torn.
/// - If fewer are wanted than classes exist, classes alternate.
/// - Equal disks and turns give equal choices.
///
/// Deliberately not here: equal images with different survivors (content of a file whose name was lost). The
/// search compares disks.
package struct PowerCutChoice: Equatable, Sendable {
    package struct Candidate: Equatable, Sendable {
        package var outcome: PowerCutOutcome
        /// For each pending operation, in program order, whether it survives.
        package var survivors: [Bool]

        /// Index of the torn write.
        package var torn: Int? { if case .torn(let index) = outcome { index } else { nil } }
    }

    package fileprivate(set) var candidates: [Candidate] = []
    /// Classes that have an outcome at this point, and those of which one was chosen.
    package fileprivate(set) var existing: PowerCutClasses = []
    package fileprivate(set) var covered: PowerCutClasses = []
    /// Whether every outcome that the file system allows was chosen.
    package fileprivate(set) var isExact = false
}

extension SimulatedDisk {
    /// - Parameter turn: turn of the search, from 0.
    /// - Parameter most: the most outcomes to choose; nil: all outcomes, or ``PowerCutPlan``'s whole sample
    ///   if there are too many.
    package func powerCutChoice(turn: Int, atMost most: Int?) -> PowerCutChoice {
        var chooser = OutcomeChooser(
            pending, PersistenceOrder(pending, profile), inFlight: coveredBySyncsInFlight, turn)
        return chooser.choose(most)
    }
}

private struct OutcomeChooser {
    private let pending: [PendingOperation]
    private let order: PersistenceOrder
    /// For each operation whether a sync in flight covers it.
    private let inFlight: [Bool]
    private let plan: PowerCutPlan
    private let turn: Int
    private let writes: [Int]
    private var choice = PowerCutChoice()
    /// For each candidate the classes that it counts for.
    private var classes: [PowerCutClasses] = []

    init(_ pending: [PendingOperation], _ order: PersistenceOrder, inFlight: [Bool], _ turn: Int) {
        self.pending = pending
        self.order = order
        self.inFlight = inFlight
        self.turn = turn
        writes = pending.indices.filter { pending[$0].isData }
        plan = PowerCutPlan(order, tearing: writes, hasSyncsInFlight: inFlight.contains(true))
    }

    mutating func choose(_ most: Int?) -> PowerCutChoice {
        for kind in PowerCutClass.allCases { take(kind) }
        let wanted = most ?? plan.outcomes.count
        if choice.candidates.count > wanted {
            takeTurns(wanted)
        } else {
            fill(wanted)
        }
        for index in choice.candidates.indices { choice.covered.formUnion(classes[index]) }
        choice.isExact = plan.isExact && choice.candidates.count == plan.outcomes.count
        return choice
    }

    // MARK: - One of each class

    private mutating func take(_ kind: PowerCutClass) {
        guard let outcome = member(of: kind) else { return }
        choice.existing.formUnion(PowerCutClasses(kind))
        let candidate = candidate(outcome)
        if let known = index(of: candidate) {
            classes[known].formUnion(PowerCutClasses(kind))
        } else {
            choice.candidates.append(candidate)
            classes.append(PowerCutClasses(kind))
        }
    }

    /// The outcome of a class whose turn it is; nil if there is none.
    private func member(of kind: PowerCutClass) -> PowerCutOutcome? {
        let count = pending.count
        switch kind {
        case .nothing: return .nothing
        case .everything: return count > 0 ? .everything : nil
        case .metadataOnly: return writes.isEmpty || writes.count == count ? nil : .metadataOnly
        case .dataOnly: return writes.isEmpty || writes.count == count ? nil : .dataOnly
        case .only: return index(among: count).map { .only($0) }
        case .allBut: return index(among: count).map { .allBut($0) }
        case .torn: return index(among: writes.count).map { .torn(writes[$0]) }
        case .pair:
            guard count <= PowerCutPlan.mostForPairs, let index = index(among: count * (count - 1) / 2)
            else { return nil }
            var second = 1
            while second * (second + 1) / 2 <= index { second += 1 }
            return .pair(index - second * (second - 1) / 2, second)
        case .syncsInFlight: return inFlight.contains(true) ? .syncsInFlight : nil
        case .other: return other()
        }
    }

    /// An outcome that no other class has; a random one if there are too many subsets to enumerate.
    private func other() -> PowerCutOutcome? {
        guard plan.isExact else {
            return index(among: Int(PowerCutPlan.sampled)).map { .keyed(UInt64($0)) }
        }
        let subsets = plan.outcomes.count - writes.count
        guard pending.count > 2, let first = index(among: subsets) else { return nil }
        let named = (PowerCutPlan.namedClasses(of: pending.count) + [.syncsInFlight]).map(survivors)
        for step in 0..<subsets {
            let outcome = plan.outcomes[(first + step) % subsets]
            if !named.contains(survivors(outcome)) { return outcome }
        }
        return nil
    }

    /// The index for this turn: consecutive turns are far apart, and every index has its turn.
    private func index(among count: Int) -> Int? {
        if count <= 0 { return nil }
        let golden = UInt64(truncatingIfNeeded: turn) &* 0x9E37_79B9_7F4A_7C15
        return Int(((golden >> 32) * UInt64(count)) >> 32)
    }

    // MARK: - Fewer, or more

    private mutating func takeTurns(_ wanted: Int) {
        let all = choice.candidates.indices
        let first = index(among: all.count) ?? 0
        let chosen = (0..<max(wanted, 0)).map { (first + $0) % all.count }.sorted()
        choice.candidates = chosen.map { choice.candidates[$0] }
        classes = chosen.map { classes[$0] }
    }

    private mutating func fill(_ wanted: Int) {
        let count = plan.outcomes.count
        if wanted >= count {
            for outcome in plan.outcomes { _ = add(outcome) }
            return
        }
        let open = wanted - choice.candidates.count
        var next = 0
        for step in 0..<max(open, 0) {
            // From each even step to the next outcome that was not chosen before.
            next = max(next, step * count / open)
            while next < count, !add(plan.outcomes[next]) { next += 1 }
            next += 1
        }
    }

    private mutating func add(_ outcome: PowerCutOutcome) -> Bool {
        let candidate = candidate(outcome)
        if index(of: candidate) != nil { return false }
        choice.candidates.append(candidate)
        classes.append([])
        return true
    }

    // MARK: - Images

    private func survivors(_ outcome: PowerCutOutcome) -> [Bool] {
        outcome.survivors(of: pending, order, inFlight: inFlight)
    }

    private func candidate(_ outcome: PowerCutOutcome) -> PowerCutChoice.Candidate {
        PowerCutChoice.Candidate(outcome: outcome, survivors: survivors(outcome))
    }

    private func index(of candidate: PowerCutChoice.Candidate) -> Int? {
        choice.candidates.firstIndex { $0.torn == candidate.torn && $0.survivors == candidate.survivors }
    }
}
