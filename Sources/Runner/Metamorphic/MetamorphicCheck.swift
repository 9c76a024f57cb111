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
            let same = failure == nil ? runs : runs - 1
            let other = failure == nil ? "" : ", and the next one otherwise"
            return "\(same) changed run\(same == 1 ? " ends" : "s end") as it does\(other)\(left)"
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

    package func outcome(of plan: RunPlan) -> Outcome { outcome(of: plan, transformations) }

    /// Performs the run with one change: the first that can be made, from a position in the list on.
    package func outcome(of plan: RunPlan, withOneFrom start: Int) -> Outcome {
        let first = start % transformations.count
        return outcome(of: plan, Array(transformations[first...] + transformations[..<first]), mostRuns: 1)
    }

    private func outcome(
        of plan: RunPlan, _ transformations: [any Transformation], mostRuns: Int = .max
    ) -> Outcome {
        var outcome = Outcome()
        do throws(ScenarioFault) {
            let ready = try runner.prepare(plan.scenario)
            let base = try unchanged(plan, ready)
            guard let end = base.end else {
                outcome.notApplied = [
                    "any: the unchanged run \(base.breaksRule ? "breaks a rule" : "does not come to rest")"
                ]
                return outcome
            }
            if let step = base.changingManifests {
                outcome.notApplied = [
                    "any: \(plan.scenario.text(of: step)) makes another manifest of each request"
                ]
                return outcome
            }
            for transformation in transformations where outcome.runs < mostRuns {
                let variants: [Variant]
                do throws(NotApplicable) {
                    variants = try transformation.variants(of: base)
                } catch {
                    outcome.notApplied.append("\(transformation.name): \(error.why)")
                    continue
                }
                for variant in variants where outcome.runs < mostRuns {
                    outcome.runs += 1
                    guard let failure = failure(of: variant, transformation, plan, ready, end) else {
                        continue
                    }
                    outcome.failure = failure
                    outcome.changed = variant.scenario
                    return outcome
                }
            }
        } catch {
            outcome.notApplied.append("any: \(error.message)")
        }
        return outcome
    }

    // MARK: - Runs

    /// The run as it is, with the positions of its steps.
    func unchanged(
        _ plan: RunPlan, _ ready: ScenarioRunner.Prepared? = nil
    ) throws(ScenarioFault) -> UnchangedRun {
        var base = UnchangedRun(plan.scenario)
        let notes = Box(PositionNotes(plan.scenario))
        let run = try perform(plan, { _ in }, ready) { notes.value.begin($0, $1) }
        base.positions = notes.value.positions
        base.interrupting = notes.value.interrupting
        base.breaksRule = run.found.contains { $0.failure.kind.isOfRules }
        if run.exhausted == nil, run.backend.isSettled, !base.breaksRule { base.end = EndState(run) }
        return base
    }

    private func failure(
        of variant: Variant, _ transformation: any Transformation, _ plan: RunPlan,
        _ ready: ScenarioRunner.Prepared, _ end: EndState
    ) -> Failure? {
        var changed = plan
        changed.scenario = variant.scenario
        var failure: Failure
        do throws(ScenarioFault) {
            let notes = Box(PositionNotes(variant.scenario))
            var unchanged = variant.scenario
            unchanged.steps = plan.scenario.steps
            let isReady = unchanged == plan.scenario
            let run = try perform(changed, variant.change, isReady ? ready : nil) {
                notes.value.begin($0, $1)
            }
            let isComparable = !variant.isOfOtherPace || notes.value.interrupting == nil
            guard let found = difference(of: run, variant, isComparable ? end : nil) else { return nil }
            failure = found
        } catch {
            // The unchanged run has begun.
            failure = Failure(
                kind: .metamorphic, headline: "With \(variant.name) the run can't begin", at: .zero)
            failure.differences = [Difference(expected: "the same end", actual: error.message)]
        }
        failure.identity.pattern = transformation.name
        failure.findings = ["it must make no difference: \(transformation.reason)"]
        failure.location = FileLocation(plan.scenario.title.span, in: plan.scenario.source)
        failure.reproduction = Reproduction.command(plan) + " --metamorphic"
        return failure
    }

    /// - Parameter end: that of the unchanged run; nil: the ends need not be equal.
    private func difference(of run: ScenarioRun<World>, _ variant: Variant, _ end: EndState?) -> Failure? {
        if run.exhausted != nil || !run.backend.isSettled { return nil }
        let other = EndState(run, routes: variant.routes.map { ($0.changed, $0.own) })
        var failure = Failure(kind: .metamorphic, headline: "", at: run.backend.now)
        if let broken = run.found.first(where: { $0.failure.kind.isOfRules })?.failure {
            failure.headline = "With \(variant.name): \(broken.headline)"
            failure.rule = broken.rule
            failure.differences = broken.differences
        } else if let (name, own, changed) = end?.firstDifference(from: other) {
            failure.headline = "With \(variant.name) the device ends otherwise: \(name)"
            failure.differences = [Difference(part: name, expected: own, actual: changed)]
        } else {
            return nil
        }
        return failure
    }

    /// Performs a run to its rest, with expectations that only wait.
    /// - Parameter ready: a scenario that differs in its steps alone, prepared.
    func perform(
        _ plan: RunPlan, _ change: (inout WorldSetup) -> Void, _ ready: ScenarioRunner.Prepared? = nil,
        _ willBegin: @escaping (Step?, ScenarioRun<World>) -> Void
    ) throws(ScenarioFault) -> ScenarioRun<World> {
        var ready = if let ready { ready } else { try runner.prepare(plan.scenario) }
        ready.setup.seed = plan.worldSeed
        let app = ready.setup.app
        change(&ready.setup)
        var world: World
        do throws(SetupError) {
            // A library has the manifests, which an app with other settings publishes in another form.
            world =
                try ready.setup.app == app
                ? World(ready.setup, library: ready.library) : World(ready.setup)
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
        run.comeToRest()
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
