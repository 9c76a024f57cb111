import Backend
import Core

/// The version that a device was to show at the end of a run, and how old it was (F16).
package struct RunningVersion: Hashable, Sendable {
    /// Name of the device; nil if the scenario has one device.
    package var device: String?
    package var version: String
    /// By the origin's clock, in whole seconds; nil if the device never learned the origin's time.
    package var age: TimeSpan?

    package init(device: String? = nil, version: String, age: TimeSpan? = nil) {
        self.device = device
        self.version = version
        self.age = age
    }
}

extension ScenarioRun {
    /// The versions as the devices' updaters reported them last; empty for an app that reports none.
    func runningVersions(at time: OriginTime) -> [RunningVersion] {
        let devices = plan.scenario.devices
        return (0..<deviceCount).compactMap { index in
            let observed = observer(of: index).observed
            guard let status = observed.status, let current = status.current else { return nil }
            return RunningVersion(
                device: devices.indices.contains(index) ? devices[index].name.value : nil,
                version: observed.name(current), age: status.currentSince.map { max(time - $0, .zero) })
        }
    }
}
