import Core
import Updater
import World

/// The simulated world as what a story runs in.
extension World: Backend {

    package var simulated: World? { self }

    package mutating func replace(with world: World) { self = world }

    package mutating func next() -> StepOutcome {
        switch step() {
        case .happened: .event
        case .diskStopped: .diskStopped
        case .idle: .nothingLeft
        case .exhausted(.nothingLeft): .nothingLeft
        case .exhausted(.noProgress(let events)): .exhausted(.other("\(events) events without progress"))
        case .exhausted(.tooManyEvents): .exhausted(.limit("\(setup.limits.events) events"))
        case .exhausted(.tooMuchTime): .exhausted(.limit("\(setup.limits.virtualTime.shown) of virtual time"))
        }
    }

    package mutating func pass(to instant: Instant) { _ = run(until: instant) }

    package func diskMark(of device: Int) -> Int? { changeMark(ofDisk: device) }

    package func disk(of device: Int) -> SimulatedDisk? {
        let disk: SimulatedDisk = disk(of: device)
        return disk
    }

    package func key(ofVersion place: Int) -> VersionKey? {
        library.keys.indices.contains(place) ? library.keys[place] : nil
    }
}
