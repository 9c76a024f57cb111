/// What a search tried and found: a whole one, or a part of it (a shard, a range of seeds).
///
/// It has all that is needed to join the parts of a search (``RunResults/mergedSearch(_:)``). What the
/// smallest file of each finding shows is in ``RunResults/scenarios``.
package struct SearchSummary: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case sweep
        case explore
    }

    package var kind: Kind
    /// Seeds of the worlds that continue no other, of all shards, ascending and apart; empty for a sweep.
    package var seeds: [SeedRange] = []
    package var counts = SearchCounts()
    /// In the order in which they were first found.
    package var findings: [SearchFinding] = []
    /// Wall time in microseconds of each file's scenarios, in the order in which they were swept; for
    /// ``ShardCosts``.
    package var costs: [ShardCosts.Entry] = []
    /// Whether a file that was selected can't be read.
    package var hasInvalidFiles = false

    package init(_ kind: Kind) { self.kind = kind }

    /// Whether something that was selected was not searched.
    package var lacksScenarios: Bool { hasInvalidFiles || counts[.scenariosLeftOut] > 0 }

    /// What was searched, in one line.
    package var text: String {
        func count(_ name: SearchCount, _ noun: String) -> String {
            "\(counts[name]) \(noun)\(counts[name] == 1 ? "" : "s")"
        }
        return switch kind {
        case .sweep: "\(count(.worlds, "disturbed world")) of \(count(.scenarios, "scenario"))"
        case .explore: "\(count(.worlds, "world")) from seed \(seeds.first?.first ?? 0)"
        }
    }

    /// The result of a search without findings: one that passed, so that a CI shows it as a test.
    package var passedResult: ScenarioResult {
        ScenarioResult(id: kind.rawValue, name: kind.rawValue, file: "", title: text)
    }

    /// How often a finding was found, and how early.
    package func note(on finding: SearchFinding) -> String {
        let times = "\(finding.count) time\(finding.count == 1 ? "" : "s")"
        switch kind {
        case .sweep: return "found \(times), first by \(finding.first.map(\.text) ?? "")"
        case .explore:
            let worlds = finding.earliest.map(\.text).joined(separator: " ")
            return "found in \(finding.count) of \(counts[.worlds]) world\(counts[.worlds] == 1 ? "" : "s"), "
                + "first in number \(finding.first?.ordinal ?? 0): \(worlds)"
        }
    }
}

/// A kind of failure that a search found.
package struct SearchFinding: Hashable, Sendable {
    /// Equal for equal findings: kind of failure, rule, clause and pattern of the violation.
    package var key: String
    /// Rule and summary of the first one, for people.
    package var headline: String
    /// The file that shows it, relative to the folder of the report: `3/shrunk.json5`.
    package var file: String
    /// How often it was found.
    package var count: Int
    /// The first times that it was found, at most ``mostEarliest``.
    package var earliest: [Occurrence]

    /// A time that it was found.
    package struct Occurrence: Hashable, Sendable {
        /// Ordinal among all worlds or scenarios of the search, from 1.
        package var ordinal: Int
        /// The world, or the disturbance and its scenario.
        package var text: String

        package init(ordinal: Int, _ text: String) {
            self.ordinal = ordinal
            self.text = text
        }
    }

    package static let mostEarliest = 8

    /// - Parameters:
    ///   - count: how often it was found.
    ///   - earliest: the first times in order; more than ``mostEarliest`` are dropped.
    package init(key: String, headline: String, file: String, count: Int, earliest: [Occurrence]) {
        self.key = key
        self.headline = headline
        self.file = file
        self.count = count
        self.earliest = Array(earliest.prefix(SearchFinding.mostEarliest))
    }

    package var first: Occurrence? { earliest.first }

    /// Adds what another part of the search found of the same kind.
    mutating func add(_ other: SearchFinding) {
        count += other.count
        earliest = Array(
            (earliest + other.earliest).sorted { $0.ordinal < $1.ordinal }.prefix(SearchFinding.mostEarliest))
    }
}

/// One figure of a search.
package enum SearchCount: String, Hashable, Sendable, CaseIterable {
    case scenarios
    /// Scenarios that could not be swept.
    case scenariosLeftOut
    /// Cells that the swept runs have.
    case cells
    /// Pairs of a disturbance and a moment at which it can matter, and those that were tried.
    case points, tried
    /// Disturbances that were tried and changed nothing.
    case withoutEffect
    case worlds
    /// Worlds with two disturbances.
    case pairs
    /// Worlds that were made of a scenario of a file: a property with steps in its gaps, or another one
    /// with steps between its own.
    case filled
    /// Worlds that were performed again with a change that must not matter.
    case compared
    case events
    /// Worlds that reached a limit, so that nothing is known of them.
    case unfinished
    /// Worlds with a failure.
    case failures
    /// Seeds of which no scenario came.
    case notDrawn
    /// Steps of worlds that were drawn and left out.
    case stepsLeftOut
}

/// The figures of a search; zero unless set.
package struct SearchCounts: Hashable, Sendable {
    private var values: [SearchCount: Int] = [:]

    package init() {}

    package init(_ entries: [Entry]) {
        for entry in entries { self[entry.name] += entry.value }
    }

    package struct Entry: Hashable, Sendable {
        package var name: SearchCount
        package var value: Int

        package init(_ name: SearchCount, _ value: Int) {
            self.name = name
            self.value = value
        }
    }

    package subscript(_ name: SearchCount) -> Int {
        get { values[name] ?? 0 }
        set { values[name] = newValue == 0 ? nil : newValue }
    }

    /// Those that are not zero, in the order of the cases.
    package var entries: [Entry] {
        get { SearchCount.allCases.compactMap { name in values[name].map { Entry(name, $0) } } }
        set { self = SearchCounts(newValue) }
    }

    package static func + (left: SearchCounts, right: SearchCounts) -> SearchCounts {
        SearchCounts(left.entries + right.entries)
    }
}
