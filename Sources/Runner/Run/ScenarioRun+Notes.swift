import ScenarioLanguage

// What a story says and did not happen. Told beside the verdict, not judged: the expectations say what the
// story was for.
extension ScenarioRun {
    /// Steps whose trigger had not come when the story ended early, each once. At the end of a whole story
    /// they are failures.
    package var missedTriggers: [RunNote] {
        armedSteps.filter { $0.missed > 0 && rows[$0.step].outcome != .failed }.map { step in
            let what = step.happened.isEmpty ? "never happened" : step.times
            let text = "step \(step.step + 1) \(what): its trigger never came: \(rows[step.step].text)"
            return RunNote(.trigger, text)
        }
    }

    /// Why a step meets nobody: it wants something of an app that does not run, or runs that way already.
    package func idleness(of step: Step, on device: Int) -> String? {
        let view = backend.view(of: device)
        let isGone = view.process == nil
        switch step.action {
        case .kill(.battery): return nil
        case .check, .background, .kill: return isGone ? "the app was not running" : nil
        case .resume where isGone: return "the app was not running"
        case .resume: return view.isSuspended ? nil : "the app was not suspended"
        case .launch(.foreground):
            let isInFront = !isGone && view.isInForeground && !view.isSuspended
            return isInFront ? "the app was in front already" : nil
        default: return nil
        }
    }
}
