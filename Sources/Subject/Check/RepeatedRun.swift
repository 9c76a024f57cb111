import Runner

/// Runs of one scenario with a subject, whose threads make no run exactly like the one before.
package enum RepeatedRun {
    /// Runs a scenario several times. What fails once has failed; a run that could not be judged counts where
    /// no other one says more.
    /// - Returns: the result that says most, with a note how often the scenario failed.
    package static func result(times: Int, _ run: () -> ScenarioResult) -> ScenarioResult {
        var results: [ScenarioResult] = []
        for _ in 0..<max(times, 1) {
            results.append(run())
            // A file that is invalid or skipped is so each time.
            if [.invalid, .skipped].contains(results.last?.verdict) { break }
        }
        return worst(of: results)
    }

    static func worst(of results: [ScenarioResult]) -> ScenarioResult {
        let order: [Verdict] = [.invalid, .failed, .inconclusive, .skipped]
        let verdict = order.first { verdict in results.contains { $0.verdict == verdict } }
        var result = results.first { $0.verdict == verdict } ?? results[0]
        if results.count > 1 {
            let failed = results.count { $0.verdict == .failed }
            let unjudged = results.count { $0.verdict == .inconclusive }
            var text = "failed in \(failed) of \(results.count) runs"
            if unjudged > 0 { text += ", inconclusive in \(unjudged)" }
            if failed > 0, failed < results.count { text = "sometimes: " + text }
            result.notes.insert(RunNote(.search, text), at: 0)
        }
        return result
    }
}
