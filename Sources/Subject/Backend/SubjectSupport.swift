import Runner
import ScenarioLanguage

/// Which scenarios a foreign updater can be put through.
package enum SubjectSupport {
    /// Why a scenario can't be run with the subject; nil: it can.
    package static func reason(against scenario: Scenario, _ subject: SubjectDescription) -> String? {
        let dialect: String
        switch scenario.app.manifest {
        case .own: dialect = "own"
        case .meteor: dialect = "meteor"
        case .frontend, .frontendWithHashes: dialect = "frontend"
        }
        if !subject.dialects.contains(dialect) {
            return "it does not read manifests in the dialect '\(dialect)'"
        }
        if scenario.devices.count > 1 { return "a subject is one device" }
        if let reason = MachineSupport.reason(against: scenario.app) { return reason }
        for numbered in NumberedStep.all(of: scenario) {
            if let reason = reason(against: numbered.step.action) { return reason }
            if let reason = reason(against: numbered.step.trigger) { return reason }
        }
        return nil
    }

    private static func reason(against trigger: Trigger?) -> String? {
        switch trigger {
        case .when(let awaited), .after(let awaited):
            switch awaited.value {
            case .stored: "what it has stored of a file is not seen from outside"
            case .started: "the beginning of a page load is not seen from outside"
            case .asked, .fetched, .pending, .running, .confirmed, .notified, .progress: nil
            }
        case .at, .delay, nil: nil
        }
    }

    private static func reason(against action: Action) -> String? {
        if case .fault(let spec) = action, spec.kind.domain == .timers {
            return "timers are the subject's own"
        }
        // To a foreign process an orderly shutdown is its end and another boot: it has no disk of the world.
        if case .restart = action { return nil }
        return MachineSupport.reason(against: action)
    }
}
