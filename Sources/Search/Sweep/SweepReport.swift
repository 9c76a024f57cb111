import Runner
import ScenarioLanguage

/// The result of a sweep of one scenario, on one of its devices.
package struct SweepReport: Sendable {
    package struct Finding: Sendable {
        package var failure: Failure
        /// Name of the disturbance, and when it came: `{ kill: "user" } at 1.2s, downloading`.
        package var cause: String
        /// The scenario with the disturbance.
        package var scenario: Scenario

        package init(failure: Failure, cause: String, scenario: Scenario) {
            self.failure = failure
            self.cause = cause
            self.scenario = scenario
        }
    }

    package var plan: RunPlan
    /// The device that was disturbed, if the scenario has several.
    package var device: String?
    package var tally = SweepTally()
    package var findings: [Finding] = []
    /// What the disturbed worlds have reached from the disturbance on.
    package var cells = CoverageTable()
    /// How long it took here.
    package var wall = Duration.zero
    /// Why the scenario can't be swept; nil if it was.
    package var problem: String?

    /// - Parameter device: index of the device that is disturbed; nil: none by itself.
    package init(plan: RunPlan, device: Int? = nil) {
        self.plan = plan
        let names = plan.scenario.devices.map(\.name.value)
        if let device, names.indices.contains(device) { self.device = names[device] }
    }

    package var name: String { plan.name + (device.map { " on \($0)" } ?? "") }
}

/// The figures of a sweep: of one scenario, or summed over several.
package struct SweepTally: Hashable, Sendable {
    /// Cells that the runs have.
    package var cells = 0
    /// Pairs of a disturbance and an instant at which it can matter.
    package var points = 0
    /// Those that were tried.
    package var tried = 0
    /// Those of the tried ones that had no effect: a page action without a page.
    package var withoutEffect = 0
    /// Disturbed worlds that were run.
    package var worlds = 0
    /// States at their ends from which the device was left idle; the others were equal to one of them.
    package var used = 0
    /// Worlds that reached a limit of the run.
    package var unfinished = 0
    package var failures = 0
    /// Worlds of them with two disturbances.
    package var pairs = 0
    /// Worlds that were performed again with a change that must not matter.
    package var compared = 0

    package init() {}

    /// All of them, in a fixed order.
    package var figures: [Int] {
        [cells, points, tried, withoutEffect, worlds, used, unfinished, failures, pairs, compared]
    }

    /// - Returns: nil for another number of figures.
    package init?(figures: [Int]) {
        guard figures.count == SweepTally().figures.count else { return nil }
        (cells, points, tried, withoutEffect, worlds) =
            (figures[0], figures[1], figures[2], figures[3], figures[4])
        (used, unfinished, failures, pairs, compared) =
            (figures[5], figures[6], figures[7], figures[8], figures[9])
    }

    package static func + (left: SweepTally, right: SweepTally) -> SweepTally {
        SweepTally(figures: zip(left.figures, right.figures).map(+)) ?? left
    }
}

extension SweepReport.Finding {
    /// A rule that was broken in a disturbed world, or a device that did not come back from one.
    /// - Parameter sites: the disturbances, the first one first.
    init(_ verdict: Recovery.Finding, at sites: [SweepSite], _ scenario: Scenario) {
        var failure = Failure(kind: .invariant, headline: verdict.headline, at: sites.last?.at ?? .zero)
        failure.rule = verdict.rule
        // Of a device that did not come back, the rule alone is the kind of failure.
        failure.identity.pattern = verdict.rule == "liveness" ? "" : verdict.headline
        failure.differences = [Difference(expected: verdict.expected, actual: verdict.actual)]
        self.init(
            failure: failure, cause: SweepReport.Finding.cause(sites), scenario: scenario)
    }

    static func cause(_ sites: [SweepSite]) -> String {
        sites.map { "\($0.disturbance.name) at \($0.at.clock), \($0.circumstance.rawValue)" }
            .joined(separator: ", then ")
    }
}
