import Core

/// When an action happens that does not happen in its turn.
package enum Trigger: Hashable, Sendable {
    /// That long after the world began.
    case at(TimeSpan)
    /// That long after it was scheduled.
    case delay(TimeSpan)
    /// At the event, before its consequences.
    case when(Condition)
    /// As soon as the event has been dealt with.
    case after(Condition)
}

/// An event of the world that a trigger waits for, looked for from the time it was scheduled.
package enum Condition: Hashable, Sendable {
    /// That much of a route's file has been taken by the device, in one transfer or several.
    case stored(Amount, of: String)
    /// The nth request to the origin for a route (from 1; the manifest is "manifest").
    case asked(String, nth: Int)
    /// A route's answer has arrived whole.
    case fetched(String)
    case pending(String)
    /// A version became what pages are loaded from.
    case running(String)
    /// A page load of the version began.
    case started(String)
    case confirmed(String)
    /// The shown progress reached a percentage.
    case progress(Int)
}

/// An action that waits for its trigger.
package struct Scheduled: Hashable, Sendable {
    package var trigger: Trigger
    package var action: Action
    /// The number of the step it belongs to, for facts.
    package var step: Int

    package init(_ trigger: Trigger, _ action: Action, step: Int = 0) {
        self.trigger = trigger
        self.action = action
        self.step = step
    }
}

/// Events of a race whose order a step sets.
package enum RacingEvent: String, Hashable, Sendable, CaseIterable {
    /// The platform tells the host that a page load begins.
    case navigationStarts = "navigation starts"
    /// The index's request reaches the server.
    case indexRequested = "index requested"
    /// The page's switch call reaches the host: the updater takes up what is pending.
    case switchApplied = "switch applied"
    /// The page's confirmation reaches the host.
    case confirmationArrives = "confirmation arrives"
}
