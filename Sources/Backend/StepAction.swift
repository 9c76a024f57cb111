import ScenarioLanguage

/// An action as a step of a scenario has it performed.
package struct StepAction: Hashable, Sendable {
    package var namedAction: NamedAction
    /// nil: now.
    package var trigger: Trigger?
    /// Index of the step, in the order of the file; negative for actions of no step.
    package var step: Int
    /// Index of the device.
    package var device: Int
    /// The order in which the events of the race happen that this action begins; empty: as they come.
    package var order: [RacingEvent]

    package init(
        _ namedAction: NamedAction, trigger: Trigger? = nil, step: Int = -1, device: Int = 0,
        order: [RacingEvent] = []
    ) {
        self.namedAction = namedAction
        self.trigger = trigger
        self.step = step
        self.device = device
        self.order = order
    }
}
