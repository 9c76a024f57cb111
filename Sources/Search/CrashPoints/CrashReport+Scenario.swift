import Core
import Oracle
import Runner
import ScenarioLanguage

extension CrashReport {
    /// The scenario with the finding's crashes written out before its first step; `otalab run` reproduces it.
    package func scenario(of finding: CrashFinding) -> String {
        var scenario = plan.scenario
        let span = SourceSpan(start: 0, end: 0)
        let steps = finding.crashes.map { crash in
            var step = Step(crash: crash.spec(at: span))
            step.device = device.map { Spanned($0, span) }
            return step
        }
        scenario.steps = steps + scenario.steps.map(plan.asRun)
        scenario.xfail = nil
        return ScenarioPrinter.text(of: scenario)
    }
}

extension RunPlan {
    /// The step with the order that was tried as its only one, and without search windows.
    func asRun(_ step: Step) -> Step {
        var step = step
        step.crashPoints = nil
        if case .repeat(var spec) = step.action {
            spec.steps = spec.steps.map(asRun)
            step.action = .repeat(spec)
        }
        guard let order = order(of: step) else { return step }
        step.anyOrder = order
        return step
    }

    private func order(of step: Step) -> [Spanned<RacingEvent>]? {
        guard !step.anyOrder.isEmpty,
            let stepIndex = NumberedStep.all(of: scenario).first(where: { $0.step.span == step.span })?
                .index,
            let chosen = orders.first(where: { $0.step == stepIndex })
        else { return nil }
        return chosen.events.compactMap { event in
            step.anyOrder.first { $0.value == event }
        }
    }
}
