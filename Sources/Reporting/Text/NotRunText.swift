import Runner

/// Text about scenarios that were not run, for all reports.
///
/// Guarantees: all formats have the same order and the same reasons; an incomplete run is marked as such even
/// when every scenario that was run is good.
enum NotRunText {
    /// Why the run ended before a scenario.
    static func reason(_ reason: NotRun.Reason) -> String {
        switch reason {
        case .interrupted: "the run was interrupted"
        case .failFast: "--fail-fast ended the run"
        case .wallLimit: "--wall-limit ended the run"
        }
    }

    /// `3 not run: the run was interrupted`; nil when the run is complete.
    static func line(_ results: RunResults) -> String? {
        var parts: [String] = []
        for reason in NotRun.Reason.allCases {
            let count = results.notRun.count { $0.reason == reason }
            if count > 0 { parts.append("\(count) not run: \(self.reason(reason))") }
        }
        if parts.isEmpty, results.isPartial { parts.append(reason(.interrupted)) }
        if let seeds = results.seedsNotRun {
            parts.append("not run, or not whole: \(text(seeds))")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// `seeds 4 to 9`
    static func text(_ seeds: SeedRange) -> String {
        seeds.first == seeds.last ? "seed \(seeds.first)" : "seeds \(seeds.first) to \(seeds.last)"
    }

    /// Names of scenarios that were not run, at most `limit`, and the number of the others.
    static func names(_ results: RunResults, limit: Int) -> String {
        let shown = results.notRun.prefix(limit).map(\.name)
        let rest = results.notRun.count - shown.count
        return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: ", ")
    }
}

/// A scenario for formats that list scenarios alone.
struct ListedScenario {
    /// Result; that of a scenario that was not run is `skipped`, with the reason.
    var scenario: ScenarioResult
    var isRun: Bool
}

/// All selected scenarios, run and not run, in the order of the files. An element is made when it is read, so
/// that a report of many scenarios copies none of them.
struct ListedScenarios: RandomAccessCollection {
    private let results: RunResults
    /// Index of each scenario among those that were run, or after them among those that were not.
    private let order: [Int32]

    init(_ results: RunResults) {
        self.results = results
        let runCount = results.scenarios.count
        func selectionIndex(_ index: Int32) -> Int {
            let index = Int(index)
            return index < runCount
                ? results.scenarios[index].selectionIndex : results.notRun[index - runCount].selectionIndex
        }
        let all = (0..<runCount + results.notRun.count).map { Int32($0) }
        order =
            results.notRun.isEmpty ? all : all.sorted { (selectionIndex($0), $0) < (selectionIndex($1), $1) }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { order.count }

    subscript(index: Int) -> ListedScenario {
        let position = Int(order[index])
        if position < results.scenarios.count {
            return ListedScenario(scenario: results.scenarios[position], isRun: true)
        }
        let missing = results.notRun[position - results.scenarios.count]
        var scenario = ScenarioResult(
            id: missing.id, name: missing.name, file: missing.file, title: missing.title)
        scenario.selectionIndex = missing.selectionIndex
        scenario.line = missing.line
        scenario.verdict = .skipped
        scenario.reason = "not run: \(NotRunText.reason(missing.reason))"
        return ListedScenario(scenario: scenario, isRun: false)
    }
}

extension RunResults {
    var listed: ListedScenarios { ListedScenarios(self) }

    /// Whether all selected scenarios were run and are good.
    var isWholeAndGood: Bool { !isIncomplete && scenarios.allSatisfy { $0.verdict.isGood } }
}
