import ScenarioLanguage

/// The classes of what a power cut leaves (storage.md, "What 'every legal outcome' means").
package enum PowerCutClass: Int, CaseIterable, Hashable, Sendable {
    case nothing
    case everything
    /// All names and lengths, no content.
    case metadataOnly
    /// All content, no names and lengths.
    case dataOnly
    /// One operation alone, with what it needs.
    case only
    /// All but one, and what needs it.
    case allBut
    /// Two, with what they need; of at most 24.
    case pair
    /// Everything, but garbage in place of one write.
    case torn
    /// Subsets that are none of these.
    case other
}

/// Some of the classes.
package struct PowerCutClasses: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package init(_ one: PowerCutClass) { rawValue = 1 << one.rawValue }

    package func contains(_ one: PowerCutClass) -> Bool { contains(PowerCutClasses(one)) }
}

/// The outcomes of a power cut to try at one point of a search: one of each class that exists there, and
/// then others in even steps, as many as are wanted.
///
/// Guarantees
/// - No two of them leave the same operations: where two classes have the same image, it is tried once and
///   stands for both.
/// - Which one of a class is chosen goes with the turn, by steps of the golden ratio: over the turns every
///   operation is the one that survives, the one that is lost, and (a write) the one that is torn.
/// - Where fewer are wanted than classes exist, classes take turns.
/// - Equal disks and turns give equal choices.
///
/// Deliberately not here: images that are equal although other operations survived (content of a file whose
/// name was lost). Who searches compares disks.
package struct PowerCutChoice: Equatable, Sendable {
    package struct Row: Equatable, Sendable {
        package var outcome: PowerCutOutcome
        /// In program order.
        package var survivors: [Bool]

        /// The write that was torn.
        package var torn: Int? { if case .torn(let index) = outcome { index } else { nil } }
    }

    package fileprivate(set) var rows: [Row] = []
    /// Classes that have an outcome at this point, and those of which one is chosen.
    package fileprivate(set) var existing: PowerCutClasses = []
    package fileprivate(set) var met: PowerCutClasses = []
    /// Every outcome that the file system allows is chosen.
    package fileprivate(set) var isExact = false
}

extension SimulatedDisk {
    /// - Parameter turn: of the search, from 0: a number of the operation.
    /// - Parameter most: at most so many; nil: all outcomes that there are, or where they are too many, all
    ///   of ``PowerCutPlan``'s sample.
    package func powerCutChoice(turn: Int, atMost most: Int?) -> PowerCutChoice {
        var chooser = OutcomeChooser(pending, PersistenceOrder(pending, profile), turn)
        return chooser.choose(most)
    }
}

private struct OutcomeChooser {
    private let pending: [PendingOperation]
    private let order: PersistenceOrder
    private let plan: PowerCutPlan
    private let turn: Int
    private let writes: [Int]
    private var choice = PowerCutChoice()
    /// Beside the rows: the classes that each stands for.
    private var classes: [PowerCutClasses] = []

    init(_ pending: [PendingOperation], _ order: PersistenceOrder, _ turn: Int) {
        self.pending = pending
        self.order = order
        self.turn = turn
        writes = pending.indices.filter { pending[$0].isData }
        plan = PowerCutPlan(order, tearing: writes)
    }

    mutating func choose(_ most: Int?) -> PowerCutChoice {
        for kind in PowerCutClass.allCases { take(kind) }
        let wanted = most ?? plan.outcomes.count
        if choice.rows.count > wanted {
            takeTurns(wanted)
        } else {
            fill(wanted)
        }
        for index in choice.rows.indices { choice.met.formUnion(classes[index]) }
        choice.isExact = plan.isExact && choice.rows.count == plan.outcomes.count
        return choice
    }

    // MARK: - One of each class

    private mutating func take(_ kind: PowerCutClass) {
        guard let outcome = member(of: kind) else { return }
        choice.existing.formUnion(PowerCutClasses(kind))
        let row = row(outcome)
        if let known = place(of: row) {
            classes[known].formUnion(PowerCutClasses(kind))
        } else {
            choice.rows.append(row)
            classes.append(PowerCutClasses(kind))
        }
    }

    /// Of those that there are, the one whose turn it is.
    private func member(of kind: PowerCutClass) -> PowerCutOutcome? {
        let count = pending.count
        switch kind {
        case .nothing: return .nothing
        case .everything: return count > 0 ? .everything : nil
        case .metadataOnly: return writes.isEmpty || writes.count == count ? nil : .metadataOnly
        case .dataOnly: return writes.isEmpty || writes.count == count ? nil : .dataOnly
        case .only: return place(among: count).map { .only($0) }
        case .allBut: return place(among: count).map { .allBut($0) }
        case .torn: return place(among: writes.count).map { .torn(writes[$0]) }
        case .pair:
            guard count <= PowerCutPlan.mostForPairs, let place = place(among: count * (count - 1) / 2)
            else { return nil }
            var second = 1
            while second * (second + 1) / 2 <= place { second += 1 }
            return .pair(place - second * (second - 1) / 2, second)
        case .other: return other()
        }
    }

    /// Where there are too many subsets for all, one that is drawn; else one that no other class has.
    private func other() -> PowerCutOutcome? {
        guard plan.isExact else {
            return place(among: Int(PowerCutPlan.sampled)).map { .keyed(UInt64($0)) }
        }
        let subsets = plan.outcomes.count - writes.count
        guard pending.count > 2, let first = place(among: subsets) else { return nil }
        let named = PowerCutPlan.namedClasses(of: pending.count).map(survivors)
        for step in 0..<subsets {
            let outcome = plan.outcomes[(first + step) % subsets]
            if !named.contains(survivors(outcome)) { return outcome }
        }
        return nil
    }

    /// A place among so many: neighbouring turns are far apart, and all places have their turns.
    private func place(among count: Int) -> Int? {
        if count <= 0 { return nil }
        let golden = UInt64(truncatingIfNeeded: turn) &* 0x9E37_79B9_7F4A_7C15
        return Int(((golden >> 32) * UInt64(count)) >> 32)
    }

    // MARK: - Fewer, or more

    private mutating func takeTurns(_ wanted: Int) {
        let all = choice.rows.indices
        let first = place(among: all.count) ?? 0
        let chosen = (0..<max(wanted, 0)).map { (first + $0) % all.count }.sorted()
        choice.rows = chosen.map { choice.rows[$0] }
        classes = chosen.map { classes[$0] }
    }

    private mutating func fill(_ wanted: Int) {
        let count = plan.outcomes.count
        if wanted >= count {
            for outcome in plan.outcomes { _ = add(outcome) }
            return
        }
        let open = wanted - choice.rows.count
        var next = 0
        for number in 0..<max(open, 0) {
            // From an even step to the next outcome that is none of those before.
            next = max(next, number * count / open)
            while next < count, !add(plan.outcomes[next]) { next += 1 }
            next += 1
        }
    }

    private mutating func add(_ outcome: PowerCutOutcome) -> Bool {
        let row = row(outcome)
        if place(of: row) != nil { return false }
        choice.rows.append(row)
        classes.append([])
        return true
    }

    // MARK: - Images

    private func survivors(_ outcome: PowerCutOutcome) -> [Bool] { outcome.survivors(of: pending, order) }

    private func row(_ outcome: PowerCutOutcome) -> PowerCutChoice.Row {
        PowerCutChoice.Row(outcome: outcome, survivors: survivors(outcome))
    }

    private func place(of row: PowerCutChoice.Row) -> Int? {
        choice.rows.firstIndex { $0.torn == row.torn && $0.survivors == row.survivors }
    }
}
