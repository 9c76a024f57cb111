import Backend
import AppHost
import Core
import ScenarioLanguage
import Updater

extension World {
    /// The state that a search compares: everything around the app. Times are relative to now, and counters
    /// (trace events, queue events, sequence) are left out. The internal state of app and pages is not
    /// included, so equal states with a running process do not prove that the processes are equal.
    package struct State: Equatable, Sendable {
        struct Waiting: Equatable, Sendable {
            let after: TimeSpan
            let event: WorldEvent
        }

        struct DeviceState: Equatable, Sendable {
            let disk: SimulatedDisk
            let build: Int
            let edge: Int
            let network: NetworkState
            let settings: UpdaterSettings
            let lastDeath: DeathCause?
            let screen: AppHost.Screen
            let status: UpdaterStatus?
            let starts: [Int]
            let isRunning: Bool
            let isInForeground: Bool
            let isActive: Bool
            let isSuspended: Bool
            let port: UInt16?
            let webViews: [WebViewView]
            let transfers: [Link.Transfer]
        }

        let waiting: [Waiting]
        let origin: Origin
        let urlExpiries: URLExpiries
        let faults: ActiveFaults
        let choices: RandomChoices
        let devices: [DeviceState]
        let scheduled: [TriggeredAction]

        /// Whether no process runs, so that equal states have equal futures.
        package var isComplete: Bool { devices.allSatisfy { !$0.isRunning } }
    }

    package var state: State {
        State(
            waiting: kernel.queue.entries.map { entry in
                var event = entry.payload
                event.cause = 0
                return State.Waiting(after: entry.at - now, event: event)
            },
            origin: origin, urlExpiries: urlExpiries, faults: faults, choices: choices,
            devices: devices.map(state),
            scheduled: armed.waiting)
    }

    private func state(of device: Device) -> State.DeviceState {
        State.DeviceState(
            disk: device.disk, build: device.build, edge: device.network.edge, network: device.network.state,
            settings: device.settings, lastDeath: device.lastDeath, screen: device.display.screen,
            status: device.display.status,
            starts: device.pages.starts, isRunning: device.isRunning,
            isInForeground: device.process.isInForeground, isActive: device.process.isActive,
            isSuspended: device.process.isSuspended, port: device.process.sockets.port,
            webViews: device.process.webViews.map(\.view.view), transfers: device.network.link.transfers)
    }
}
