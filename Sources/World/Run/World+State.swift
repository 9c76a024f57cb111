import Backend
import AppHost
import Core
import ScenarioLanguage
import Updater

extension World {
    /// What a search compares: all that the surroundings of the app are. Times are relative to now, and
    /// numbers that only count (facts, events, sequence) are left out. The inner state of app and pages is
    /// theirs: equal surroundings with a process that runs are no proof that the process is the same.
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
            let isSuspended: Bool
            let port: UInt16?
            let webViews: [WebViewView]
            let transfers: [Link.Transfer]
        }

        let waiting: [Waiting]
        let origin: Origin
        let faults: FaultBoard
        let choices: Choices
        let devices: [DeviceState]
        let scheduled: [TriggeredAction]

        /// No process runs: equal states go on alike.
        package var isComplete: Bool { devices.allSatisfy { !$0.isRunning } }
    }

    package var state: State {
        State(
            waiting: kernel.queue.entries.map { entry in
                var event = entry.payload
                event.cause = 0
                return State.Waiting(after: entry.at - now, event: event)
            },
            origin: origin, faults: faults, choices: choices, devices: devices.map(state),
            scheduled: armed.waiting)
    }

    private func state(of device: Device) -> State.DeviceState {
        State.DeviceState(
            disk: device.disk, build: device.build, edge: device.network.edge, network: device.network.state,
            settings: device.settings, lastDeath: device.lastDeath, screen: device.display.screen,
            status: device.display.status,
            starts: device.pages.starts, isRunning: device.isRunning,
            isInForeground: device.process.isInForeground,
            isSuspended: device.process.isSuspended, port: device.process.sockets.port,
            webViews: device.process.webViews.map(\.view.view), transfers: device.network.link.transfers)
    }
}
