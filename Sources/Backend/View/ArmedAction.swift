import Core
import ScenarioLanguage

/// An action with a trigger, and what became of it: a report says by it why an action did not happen.
package struct ArmedAction: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// The trigger has not fired.
        case waiting
        /// The trigger fired at this time; the app still has earlier inputs to handle.
        case triggered(Instant)
        case done(Instant)
        /// The scenario ended before the action happened. The time is nil unless the trigger had fired in
        /// vain, because the process ended or was suspended before it had handled its earlier inputs.
        case disarmed(triggeredAt: Instant?)
    }

    /// How near the trigger came to firing.
    package enum Progress: Hashable, Sendable {
        case unknown
        /// Number of requests that matched.
        case requests(Int)
        /// The most bytes of the file that the device had received, and the file's size.
        case bytes(Int, of: Int)
    }

    /// Index of the action's step.
    package var step: Int
    /// Index of the device.
    package var device: Int
    package var trigger: Trigger
    /// Time at which the action was armed.
    package var scheduledAt: Instant
    package var state = State.waiting
    package var progress = Progress.unknown

    package init(step: Int, device: Int, trigger: Trigger, scheduledAt: Instant) {
        self.step = step
        self.device = device
        self.trigger = trigger
        self.scheduledAt = scheduledAt
    }

    /// Time at which the action happened.
    package var doneAt: Instant? {
        if case .done(let at) = state { return at }
        return nil
    }

    /// Whether the trigger has fired and the action has not happened yet.
    package var isTriggered: Bool {
        if case .triggered = state { return true }
        return false
    }
}
