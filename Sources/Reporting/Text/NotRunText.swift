import Runner

/// What a run left out, in the words of every report.
///
/// VerificationSummary: all formats have the same order and the same reasons; a run that is not whole says
/// so also where everything that was run is good.
enum NotRunText {
    /// Why the run ended before it.
    static func reason(_ reason: NotRun.Reason) -> String {
        switch reason {
        case .interrupted: "the run was interrupted"
        case .failFast: "--fail-fast ended the run"
        case .wallLimit: "--wall-limit ended the run"
        }
    }

    /// `3 not run: the run was interrupted`; nil where nothing is missing.
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

    /// Names, as many as a line of a log should have.
    static func names(_ results: RunResults, most: Int) -> String {
        let shown = results.notRun.prefix(most).map(\.name)
        let rest = results.notRun.count - shown.count
        return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: ", ")
    }
}

/// A scenario as formats list it that know nothing but scenarios.
struct Listed {
    /// Of one that was not run: skipped, with the reason.
    var scenario: ScenarioResult
    var isRun: Bool
}

extension RunResults {
    /// What was run and what was not, in the order of the files.
    var listed: [Listed] {
        let run = scenarios.map { Listed(scenario: $0, isRun: true) }
        guard !notRun.isEmpty else { return run }
        let others = notRun.map { missing in
            var scenario = ScenarioResult(
                id: missing.id, name: missing.name, file: missing.file, title: missing.title)
            scenario.place = missing.place
            scenario.line = missing.line
            scenario.verdict = .skipped
            scenario.reason = "not run: \(NotRunText.reason(missing.reason))"
            return Listed(scenario: scenario, isRun: false)
        }
        return (run + others).enumerated()
            .sorted { ($0.element.scenario.place, $0.offset) < ($1.element.scenario.place, $1.offset) }
            .map(\.element)
    }

    /// Nothing went wrong, and nothing is missing.
    var isWholeAndGood: Bool { !isIncomplete && scenarios.allSatisfy { $0.verdict.isGood } }
}
