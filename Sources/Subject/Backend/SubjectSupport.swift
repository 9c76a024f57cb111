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
        if subject.serves == .get {
            return "subjects that don't listen on a port themselves are not supported yet"
        }
        if !subject.dialects.contains(dialect) {
            return "it does not read manifests in the dialect '\(dialect)'"
        }
        if scenario.devices.count > 1 { return "a subject is one device" }
        if scenario.app.builds.contains(where: { $0.origin != nil }) {
            return "the origin has one port of this machine, and no name of its own for a build"
        }
        for numbered in NumberedStep.all(of: scenario) {
            if let reason = reason(against: numbered.step.action) { return reason }
        }
        return nil
    }

    private static func reason(against action: Action) -> String? {
        switch action {
        case .powerCut, .kill(.battery): "the power of this machine is not cut"
        case .restart: "this machine is not restarted"
        case .disk: "nobody damages what a real disk keeps"
        case .crash: "a crash at one operation of the disk needs a disk that stops"
        case .fault(let spec): reason(against: spec.kind)
        default: nil
        }
    }

    private static func reason(against fault: FaultKind) -> String? {
        switch fault.domain {
        case .disk: "this machine's disk has no such fault"
        case .port: "the app's port is its own here"
        case .timers: "timers are the subject's own"
        case .network, .request: nil
        }
    }
}
