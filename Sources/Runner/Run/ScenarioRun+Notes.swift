import ScenarioLanguage

// What a scenario says and did not happen. It is noted beside the verdict and does not fail the scenario,
// because the expectations say what the scenario tests.
extension ScenarioRun {
    /// Steps whose trigger had not fired when the run ended early, each once. At the end of a complete run
    /// they are failures.
    package var missedTriggers: [RunNote] {
        armedSteps.filter { $0.missedCount > 0 && stepResults[$0.step].outcome != .failed }.map { step in
            let what = step.happened.isEmpty ? "never happened" : step.times
            let text = "step \(step.step + 1) \(what): its trigger never came: \(stepResults[step.step].text)"
            return RunNote(.trigger, text)
        }
    }

    /// Reason why a step has no effect: it needs a running app and none runs, or the app is in that state
    /// already. Nil: it can have an effect.
    package mutating func idleness(of step: Step, on device: Int) -> String? {
        let view = backend.view(of: device)
        let isGone = view.process == nil
        switch step.action {
        case .kill(.battery): return nil
        case .check, .background, .kill: return isGone ? "the app was not running" : nil
        case .active, .inactive:
            return isGone || !view.isInForeground ? "the app was not in front" : nil
        case .resume where isGone: return "the app was not running"
        case .resume: return view.isSuspended ? nil : "the app was not suspended"
        case .launch(.foreground):
            let isInFront = !isGone && view.isInForeground && !view.isSuspended
            return isInFront ? "the app was in front already" : nil
        default: return nil
        }
    }
}
