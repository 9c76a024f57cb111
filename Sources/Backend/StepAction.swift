import ScenarioLanguage

/// An action of a scenario's step, and when to perform it.
package struct StepAction: Hashable, Sendable {
    package var namedAction: NamedAction
    /// The trigger that the action waits for; nil: it happens now.
    package var trigger: Trigger?
    /// Index of the step, in the order of the file; negative for actions of no step.
    package var step: Int
    /// Index of the device.
    package var device: Int
    /// The order to enforce in the race that this action begins; empty: none.
    package var order: [RacingEvent]

    /// ``step`` of an action of no step.
    package static let ofNoStep = -1

    package init(
        _ namedAction: NamedAction, trigger: Trigger? = nil, step: Int = ofNoStep, device: Int = 0,
        order: [RacingEvent] = []
    ) {
        self.namedAction = namedAction
        self.trigger = trigger
        self.step = step
        self.device = device
        self.order = order
    }
}
