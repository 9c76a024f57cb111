import Backend
import Core
import Oracle
import ScenarioLanguage
import World

/// Performs a run again with changes that must not matter (``Transformations``), and compares the ends.
///
/// Expectations are off in all these runs, because they speak of times and counts, which a change rightly
/// changes; they still wait for what they wait for. All rules are on. The ends are compared after liveness,
/// when nothing is under way.
package struct MetamorphicCheck: Sendable {
    private var runner: ScenarioRunner
    var transformations = Transformations.all

    package init(_ runner: ScenarioRunner) {
        self.runner = runner
        self.runner.timelineLimit = 0
        self.runner.recordsMoments = false
        self.runner.keepsDigestedEvents = false
    }

    /// What was tried of a run.
    package struct Outcome: Hashable, Sendable {
        /// Number of changed runs.
        package var runs = 0
        /// Transformations that can't be applied, each with the reason.
        package var notApplied: [String] = []
        /// The first difference.
        package var failure: Failure?
        /// The scenario of the changed run that showed it.
        package var changed: Scenario?

        /// Number of changed runs, and which changes could not be made.
        package var text: String {
            let left = notApplied.isEmpty ? "" : "; not applied: " + notApplied.joined(separator: "; ")
            return "\(runs) changed runs end as it does\(left)"
        }
    }

    /// Adds the first difference to the result of a run that passed, and a note of what was compared.
    package func check(_ result: inout ScenarioResult, _ plan: RunPlan) {
        guard result.verdict == .passed else { return }
        let outcome = outcome(of: plan)
        result.notes.append(RunNote(.metamorphic, outcome.text))
        guard let failure = outcome.failure else { return }
        result.failures = [failure]
        result.verdict = .failed
        result.source = String(decoding: plan.scenario.source.bytes, as: UTF8.self)
        if let line = failure.location?.line { result.line = line }
    }

    package func outcome(of plan: RunPlan) -> Outcome {
        var outcome = Outcome()
        do throws(ScenarioFault) {
            let base = try unchanged(plan)
            guard let end = base.end else {
                outcome.notApplied = ["any: the unchanged run does not come to rest"]
                return outcome
            }
            for transformation in transformations {
                let variants: [Variant]
                do throws(NotApplicable) {
                    variants = try transformation.variants(of: base)
                } catch {
                    outcome.notApplied.append("\(transformation.name): \(error.why)")
                    continue
                }
                for variant in variants {
                    outcome.runs += 1
                    guard let failure = try failure(of: variant, transformation, plan, end) else { continue }
                    outcome.failure = failure
                    outcome.changed = variant.scenario
                    return outcome
                }
            }
        } catch {
            outcome.notApplied.append("all that follow: \(error.message)")
        }
        return outcome
    }

    // MARK: - Runs

    /// The run as it is, with the positions of its steps.
    func unchanged(_ plan: RunPlan) throws(ScenarioFault) -> UnchangedRun {
        var base = UnchangedRun(plan.scenario)
        let notes = Box(PositionNotes(plan.scenario))
        let run = try perform(plan, { _ in }) { notes.value.begin($0, $1) }
        base.positions = notes.value.positions
        base.interrupting = notes.value.interrupting
        if run.exhausted == nil, run.backend.isSettled { base.end = EndState(run) }
        return base
    }

    private func failure(
        of variant: Variant, _ transformation: any Transformation, _ plan: RunPlan, _ end: EndState
    ) throws(ScenarioFault) -> Failure? {
        var changed = plan
        changed.scenario = variant.scenario
        let run = try perform(changed, variant.change) { _, _ in }
        if run.exhausted != nil || !run.backend.isSettled { return nil }
        let other = EndState(run, routes: variant.routes.map { ($0.changed, $0.own) })
        var failure = Failure(kind: .metamorphic, headline: "", at: run.backend.now)
        if let broken = run.found.first(where: { $0.failure.kind.isOfRules })?.failure {
            failure.headline = "With \(variant.name): \(broken.headline)"
            failure.rule = broken.rule
            failure.differences = broken.differences
        } else if let (name, own, changed) = end.firstDifference(from: other) {
            failure.headline = "With \(variant.name) the device ends otherwise: \(name)"
            failure.differences = [Difference(part: name, expected: own, actual: changed)]
        } else {
            return nil
        }
        failure.identity.pattern = transformation.name
        failure.findings = ["it must make no difference: \(transformation.reason)"]
        failure.location = FileLocation(plan.scenario.title.span, in: plan.scenario.source)
        failure.reproduction = Reproduction.command(plan) + " --metamorphic"
        return failure
    }

    /// Performs a run to its rest, with expectations that only wait.
    private func perform(
        _ plan: RunPlan, _ change: (inout WorldSetup) -> Void,
        _ willBegin: @escaping (Step?, ScenarioRun<World>) -> Void
    ) throws(ScenarioFault) -> ScenarioRun<World> {
        var ready = try runner.prepare(plan.scenario)
        ready.setup.seed = plan.worldSeed
        change(&ready.setup)
        var world: World
        do throws(SetupError) {
            world = try World(ready.setup, library: ready.library)
        } catch {
            throw ScenarioFault(error, in: plan.scenario)
        }
        world.isRecording = true
        var run = ScenarioRun(
            plan: plan, setup: ready.setup, backend: world, checkers: CheckerList(CheckerList.all))
        run.expectationsOnlyWait = true
        run.willBegin = { willBegin($0, $1) }
        run.runSteps()
        willBegin(nil, run)
        run.finish()
        let limit = run.backend.now + .days(1)
        _ = run.pass(until: limit) { $0.backend.isSettled }
        return run
    }

    /// A value that a closure changes.
    private final class Box<Value> {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    // MARK: - The file that shows it

    /// The changed scenario as a file, with the difference in its first lines.
    package static func file(of failure: Failure, _ changed: Scenario) -> String {
        var changed = changed
        changed.covers = []
        changed.xfail = nil
        var text = "// \(failure.headline)\n"
        for difference in failure.differences {
            let part = difference.part.map { $0 + " " } ?? ""
            text += "// unchanged: \(part)\(difference.expected)\n// changed: \(part)\(difference.actual)\n"
        }
        text += "// the unchanged scenario shows it: \(failure.reproduction)\n"
        return text + ScenarioPrinter.text(of: changed)
    }
}

extension Failure.Kind {
    /// Whether it is about what must hold in any run.
    fileprivate var isOfRules: Bool {
        switch self {
        case .invariant, .boundedStep: true
        case .expectation, .trigger, .liveness, .unexpectedPass, .bound, .determinism, .metamorphic,
            .workerDied, .wallLimit:
            false
        }
    }
}
