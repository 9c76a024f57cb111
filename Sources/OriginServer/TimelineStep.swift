import Core
import ScenarioLanguage

/// One step of a scenario, seen by its origin.
package struct TimelineStep: Sendable {
    /// Ordinal of the step in the file, from 1; steps in a `repeat` have the same one in each round.
    package var ordinal: Int
    /// Line of the step in the file, from 1.
    package var line: Int
    /// Source text of the step on one line.
    package var text: String
    /// Time of the step, since the scenario's beginning.
    package var at: TimeSpan
    package var operation: Operation

    /// What the origin does in a step.
    package enum Operation: Hashable, Sendable {
        /// Performs these actions at the time of the step.
        case origin([NamedAction])
        /// Arms these actions at the time of the step; each is performed when its trigger fires.
        case triggered([TriggeredAction])
        /// Nothing: the step is for the device, or an expectation.
        case device
    }
}

extension TimelineStep {
    /// The step with `name` as the name of its unnamed faults: a fault replaces another one of the same name,
    /// so faults of different requests need different names.
    func namingFaults(_ name: String) -> Self {
        func named(_ namedAction: NamedAction) -> NamedAction {
            guard case .fault = namedAction.action, namedAction.name == nil else { return namedAction }
            return NamedAction(namedAction.action, as: name)
        }
        var step = self
        switch operation {
        case .origin(let namedActions): step.operation = .origin(namedActions.map(named))
        case .triggered(let scheduled):
            step.operation = .triggered(
                scheduled.map { TriggeredAction($0.trigger, named($0.namedAction), step: $0.step) })
        case .device: break
        }
        return step
    }

    /// Whether the step does nothing but begin faults.
    package var isFault: Bool {
        func isFault(_ namedAction: NamedAction) -> Bool {
            if case .fault = namedAction.action { true } else { false }
        }
        return switch operation {
        case .origin(let namedActions): namedActions.allSatisfy(isFault)
        case .triggered(let scheduled): scheduled.allSatisfy { isFault($0.namedAction) }
        case .device: false
        }
    }
}
