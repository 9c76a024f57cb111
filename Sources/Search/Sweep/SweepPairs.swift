import Core
import Oracle
import Runner
import ScenarioLanguage

/// Two disturbances in one run (`--pairs`).
///
/// A run with its first disturbance is a scenario like any other (``RunPlan/disturbed(_:in:then:on:)``), so
/// the second one is found in it as a sweep finds a single one. The first ones are spread evenly over those
/// that were tried alone; the second one is drawn: an instant after the first, and a disturbance that can
/// matter there. One that has no effect is drawn again. All follows from the name of the run, so that every
/// machine tries the same pairs.
///
/// Left out: a first disturbance that breaks a rule, because that is a finding of its own, or after which
/// nothing happens that a second one could meet.
struct SweepPairs: Sendable {
    let run: SweepRun
    let plan: RunPlan
    /// Index of the disturbed device, and its name if there are several.
    let device: Int
    let deviceName: String?
    let disturbances: [SweepDisturbance]

    /// How often a second disturbance is drawn.
    private static let draws = 4

    private struct Outcome: Sendable {
        var tally = SweepTally()
        var cells = CoverageTable()
        var findings: [SweepReport.Finding] = []
    }

    /// Tries pairs, and adds what they show.
    /// - Parameters:
    ///   - firsts: the single disturbances that were tried.
    ///   - schedule: of the run without a disturbance.
    func add(to report: inout SweepReport, after firsts: [SweepSite], in schedule: SweepSchedule) async {
        let count = min(run.pairs, firsts.count)
        let name = report.name
        let outcomes = await parallelMap(Array(0..<count), jobs: run.jobs) { number in
            let first = firsts[(2 * number + 1) * firsts.count / (2 * count)]
            let chance = Chance(seed: UInt64(FNV1a32.hash(of: "\(name) pair \(number)")))
            return await outcome(of: first, in: schedule, chance, name)
        }
        for outcome in outcomes {
            report.tally = report.tally + outcome.tally
            report.cells.add(outcome.cells)
            let room = max(0, 2 * run.findings - report.findings.count)
            report.findings += outcome.findings.prefix(room)
        }
    }

    private func outcome(
        of first: SweepSite, in schedule: SweepSchedule, _ chance: Chance, _ name: String
    ) async -> Outcome {
        var outcome = Outcome()
        var chance = chance
        var once = plan
        once.scenario = plan.disturbed(first, in: schedule, on: deviceName)
        // The run of the first disturbance alone has been evaluated; a fault of its scenario is no finding.
        guard let base = try? run.run(once, device, chosen: []), base.problem == nil else { return outcome }
        for _ in 0..<SweepPairs.draws where outcome.tally.pairs == 0 {
            guard let (point, index) = second(after: first, base.probe.points, &chance),
                let copy = try? run.run(once, device, chosen: [point.at]).probe.moments.first
            else { continue }
            var kind = Sweep(
                disturbances: disturbances, schedule: base.probe.schedule, recovery: Recovery(of: plan))
            (kind.earlier, kind.willTry) = ([first], run.watch(name))
            let moment = Sweep.Moment(
                world: copy.world, at: copy.at + .microseconds(1), circumstance: point.circumstance,
                entry: copy.entry, disturbances: [index])
            var limits = CrashLimits()
            (limits.depth, limits.findings) = (1, 1)
            var search = DisturbanceSearch(kind, limits: limits, jobs: 1)
            await search.search([moment])
            outcome.tally.pairs += search.tally.launched
            outcome.tally.add(search.tally)
            outcome.cells.add(kind.coverage.table)
            outcome.findings += search.findings.compactMap { finding in
                guard let site = finding.sites.first else { return nil }
                let later = finding.verdict.isOfFurtherUse ? Recovery.furtherUse : []
                let scenario = once.disturbed(site, in: kind.schedule, then: later, on: deviceName)
                return SweepReport.Finding(finding.verdict, at: [first, site], scenario)
            }
        }
        return outcome
    }

    /// An instant after the first disturbance, and the index of a disturbance that can matter there.
    private func second(
        after first: SweepSite, _ points: [SweepProbe.Point], _ chance: inout Chance
    ) -> (point: SweepProbe.Point, disturbance: Int)? {
        let begun = first.at + (first.disturbance.steps.last?.after ?? .zero)
        let later = points.filter { $0.at > begun }
        if later.isEmpty { return nil }
        let point = chance.of(later)
        let fitting = disturbances.indices.filter { point.isOccasion(disturbances[$0].occasion) }
        return fitting.isEmpty ? nil : (point, chance.of(fitting))
    }
}
