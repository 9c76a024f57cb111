import Core
import ScenarioLanguage

/// What became of a scheduled action, for whoever has to say why nothing happened.
package struct ArmedAction: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// Its trigger has not come.
        case waiting
        /// Its trigger has come; the app still has to deal with what stood before it.
        case come(Instant)
        case done(Instant)
        /// The story ended before it happened; the time is that of a trigger that came in vain, because the
        /// process that had to deal with something else first ended or stood still.
        case disarmed(cameAt: Instant?)
    }

    /// How far the event came that the trigger waits for.
    package enum Reach: Hashable, Sendable {
        case unknown
        /// Requests that fit.
        case requests(Int)
        /// Of a file, the most that the device had taken.
        case bytes(Int, of: Int)
    }

    /// The number of the step it belongs to.
    package var step: Int
    package var device: Int
    package var trigger: Trigger
    package var scheduledAt: Instant
    package var state = State.waiting
    package var reach = Reach.unknown

    package init(step: Int, device: Int, trigger: Trigger, scheduledAt: Instant) {
        self.step = step
        self.device = device
        self.trigger = trigger
        self.scheduledAt = scheduledAt
    }

    /// When the action happened.
    package var doneAt: Instant? {
        if case .done(let at) = state { return at }
        return nil
    }

    /// Its trigger has come and the action has not happened yet.
    package var isOnItsWay: Bool {
        if case .come = state { return true }
        return false
    }
}
