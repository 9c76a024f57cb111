import Backend
import Core
import ScenarioLanguage
import Updater

/// The simulated world as a backend.
extension World: Backend {
    package mutating func perform(_ action: StepAction) {
        if let trigger = action.trigger {
            schedule(TriggeredAction(trigger, action.namedAction, step: action.step), device: action.device)
        } else {
            perform(action.namedAction, step: action.step, device: action.device, order: action.order)
        }
    }

    package mutating func advance(to end: Instant) -> StepOutcome {
        guard let next = nextEventTime, next <= end else {
            run(until: end)
            return .reachedEnd
        }
        switch step() {
        case .happened: return .event
        case .diskStopped: return .diskStopped
        case .idle, .exhausted(.nothingLeft):
            run(until: end)
            return .reachedEnd
        case .exhausted(.noProgress(let events)):
            return .exhausted(.noProgress(events: events))
        case .exhausted(.tooManyEvents):
            return .exhausted(.events(setup.limits.events))
        case .exhausted(.tooMuchTime):
            return .exhausted(.virtualTime(setup.limits.virtualTime))
        }
    }

    package func diskRevision(of device: Int) -> Int? { revision(ofDisk: device) }

    package mutating func takeTouchedDevices() -> [Int]? { touched.take() }

    package var showsOpenFiles: Bool { true }

    package func withDisk<Result>(of device: Int, _ body: (SimulatedDisk) -> Result) -> Result? {
        body(devices[device].disk)
    }

    package func key(ofVersion index: Int) -> VersionKey? {
        library.keys.indices.contains(index) ? library.keys[index] : nil
    }

    package func files(ofVersion index: Int) -> [PublishedFile] {
        guard library.versions.indices.contains(index) else { return [] }
        return library.versions[index].files.map { library.published($0) }
    }

    package var armedActions: [ArmedAction] { armed.all }

    package mutating func disarm() {
        armed.disarm()
    }
}
