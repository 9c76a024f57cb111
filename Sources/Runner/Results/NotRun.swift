/// A scenario, with its case and order, that was selected and not run.
package struct NotRun: Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// A person ended the run.
        case interrupted
        /// `--fail-fast` ended the run.
        case failFast
        /// Another scenario took longer than `--wall-limit`, which ended the run.
        case wallLimit
    }

    /// In the whole selection, from 0, as ``ScenarioResult/place``.
    package var place: Int
    package var id: String
    /// As ``ScenarioResult/name``.
    package var name: String
    package var file: String
    package var line: Int
    package var title: String
    package var reason: Reason

    package init(_ result: ScenarioResult, place: Int, reason: Reason = .interrupted) {
        self.place = place
        id = result.id
        name = result.name
        file = result.file
        line = result.line
        title = result.title
        self.reason = reason
    }
}

extension ScenarioResult {
    /// Of a scenario that had not ended after so much wall time.
    ///
    /// - Parameter limit: as the call says it.
    package init(_ run: NotRun, over limit: String, seed: UInt64) {
        self.init(id: run.id, name: run.name, file: run.file, title: run.title)
        place = run.place
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
    /// Says why the run ended before them.
    package mutating func endedEarly(_ reason: NotRun.Reason) {
        for index in notRun.indices { notRun[index].reason = reason }
    }

    /// Something that was asked for is missing.
    package var isIncomplete: Bool { isPartial || !notRun.isEmpty || seedsNotRun != nil }
}
