import Core
import Oracle
import Runner
import ScenarioLanguage
import World

extension CrashReport {
    /// The story with a finding's crashes written out before its first step: `otalab run` shows it again.
    package func scenario(of finding: CrashFinding) -> String {
        var scenario = plan.scenario
        let span = SourceSpan(start: 0, end: 0)
        let crashes = finding.places.map { place in
            var step = Step(crash: place.spec(at: span))
            step.device = device.map { Spanned($0, span) }
            return step
        }
        scenario.steps = crashes + scenario.steps.map(withoutSearch)
        scenario.xfail = nil
        return ScenarioPrinter.text(of: scenario)
    }

    /// The order that was tried comes first; windows were for the search.
    private func withoutSearch(_ step: Step) -> Step {
        var step = step
        step.crashPoints = nil
        if case .repeat(var spec) = step.action {
            spec.steps = spec.steps.map(withoutSearch)
            step.action = .repeat(spec)
        }
        guard let order = order(of: step) else { return step }
        step.anyOrder = order
        return step
    }

    private func order(of step: Step) -> [Spanned<RacingEvent>]? {
        guard !step.anyOrder.isEmpty,
            let number = NumberedStep.all(of: plan.scenario).first(where: { $0.step.span == step.span })?
                .number,
            let chosen = plan.orders.first(where: { $0.step == number })
        else { return nil }
        return chosen.events.compactMap { event in
            step.anyOrder.first { $0.value == event }
        }
    }
}
