import ScenarioLanguage

/// What can't be done to any process on a real machine, our own app or a foreign one.
package enum MachineSupport {
    /// Why it can't be done; nil: it can.
    package static func reason(against app: AppSpec) -> String? {
        app.builds.contains { $0.origin != nil }
            ? "the origin has one port of this machine, and no name of its own for a build" : nil
    }

    /// Why it can't be done; nil: it can, as far as this goes.
    package static func reason(against action: Action) -> String? {
        switch action {
        case .powerCut, .kill(.battery): "the power of this machine is not cut"
        case .restart: "this machine is not restarted"
        case .disk: "nobody damages what a real disk keeps"
        case .crash: "a crash at one operation of the disk needs a disk that stops"
        case .fault(let spec): reason(against: spec.kind.domain)
        default: nil
        }
    }

    private static func reason(against domain: FaultDomain) -> String? {
        switch domain {
        case .disk: "this machine's disk has no such fault"
        case .port: "the app's port is its own here"
        case .timers, .network, .request: nil
        }
    }
}
