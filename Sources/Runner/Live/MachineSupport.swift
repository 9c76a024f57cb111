import ScenarioLanguage

/// What can't be done to any process on a real machine, our own app or a foreign one.
package enum MachineSupport {
    /// Why it can't be done; nil: it can.
    package static func reason(against app: AppSpec) -> String? {
        app.builds.contains { $0.origin != nil }
            ? "the origin has one port of this machine, and no name of its own for a build" : nil
    }

    private static let needsSimulatedDisk =
        "needs the simulated disk, and this run uses the disk of this machine"

    /// Why it can't be done; nil: it can, as far as this goes.
    package static func reason(against action: Action) -> String? {
        switch action {
        case .powerCut, .kill(.battery): "a power cut \(needsSimulatedDisk)"
        case .restart: "a restart of the device \(needsSimulatedDisk)"
        case .disk: "damage to stored files \(needsSimulatedDisk)"
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
