import ScenarioLanguage
import World

// What a story says and did not happen. Told beside the verdict, not judged: the expectations say what the
// story was for.
extension StoryRun {
    /// Steps whose trigger did not come, and how often of how many times.
    var missedSteps: [(step: Int, missed: Int, of: Int)] {
        let waiting = world.waitingSteps
        if waiting.isEmpty { return [] }
        return NumberedStep.all(of: plan.scenario).compactMap { numbered in
            let number = numbered.number
            // A step of two actions (relaunch) waits twice.
            let missed = waiting.count { $0 == number } / max(1, numbered.step.performances.count)
            return missed == 0 ? nil : (number, missed, max(missed, triggered.count { $0 == number }))
        }
    }

    /// In words, each step once.
    var missedTriggers: [String] {
        missedSteps.map { step, missed, of in
            let what = missed == of ? "never happened" : "happened \(of - missed) of \(of) times"
            return "step \(step + 1) \(what): its trigger never came: \(rows[step].text)"
        }
    }

    /// Why a step meets nobody: it wants something of an app that does not run, or runs that way already.
    func idleness(of step: Step, on device: Int) -> String? {
        let view = world.view(of: device)
        let isGone = view.process == nil
        switch step.action {
        case .kill(.battery): return nil
        case .check, .background, .kill: return isGone ? "the app was not running" : nil
        case .resume where isGone: return "the app was not running"
        case .resume: return view.isSuspended ? nil : "the app was not suspended"
        default: return nil
        }
    }
}
