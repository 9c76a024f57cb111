/// A scenario, with its case and order, that was selected and not run.
package struct NotRun: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The user interrupted the run.
        case interrupted
        /// `--fail-fast` ended the run.
        case failFast
        /// Another scenario took longer than `--wall-limit`, which ended the run.
        case wallLimit
    }

    /// Index in the whole selection, from 0, as ``ScenarioResult/selectionIndex``.
    package var selectionIndex: Int
    package var id: String
    /// Name with case and order, as ``ScenarioResult/name``.
    package var name: String
    package var file: String
    package var line: Int
    package var title: String
    package var reason: Reason

    package init(_ result: ScenarioResult, selectionIndex: Int, reason: Reason = .interrupted) {
        self.selectionIndex = selectionIndex
        id = result.id
        name = result.name
        file = result.file
        line = result.line
        title = result.title
        self.reason = reason
    }
}

extension ScenarioResult {
    /// Replaces texts, which another process may have sent, by equal ones that are in memory already.
    package mutating func shareTexts(of run: NotRun) {
        if id == run.id { id = run.id }
        if name == run.name { name = run.name }
        if file == run.file { file = run.file }
        if title == run.title { title = run.title }
    }

    /// Result of a scenario that exceeded the limit of wall time.
    ///
    /// - Parameter limit: value of `--wall-limit` as the user wrote it.
    package init(_ run: NotRun, over limit: String, seed: UInt64) {
        self.init(id: run.id, name: run.name, file: run.file, title: run.title)
        selectionIndex = run.selectionIndex
        line = run.line
        verdict = .inconclusive
        var failure = Failure(kind: .wallLimit, headline: ScenarioResult.tookTooLong(limit), at: .zero)
        failure.help = ScenarioResult.helpForLongRuns
        let path = ShellWord.quoted(run.line > 1 ? "\(run.file):\(run.line)" : run.file)
        failure.reproduction = "otalab run \(path) --seed \(seed) --wall-limit \(limit)"
        failures = [failure]
    }

    package static func tookTooLong(_ limit: String) -> String {
        "It has run for more than \(limit) of wall time, and was ended"
    }

    package static let helpForLongRuns = "run it alone, or with a longer --wall-limit"
}

extension RunResults {
    /// Sets the reason for all scenarios that were not run.
    package mutating func endedEarly(_ reason: NotRun.Reason) {
        for index in notRun.indices { notRun[index].reason = reason }
    }

    /// Whether a selected scenario or seed was not run.
    package var isIncomplete: Bool { isPartial || !notRun.isEmpty || seedsNotRun != nil }
}
