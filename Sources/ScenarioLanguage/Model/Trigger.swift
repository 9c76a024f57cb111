import Core

/// When a step happens that does not happen in its turn. The steps after it do not wait for it.
package enum Trigger: Hashable, Sendable {
    /// That long after the story began.
    case at(Spanned<TimeSpan>)
    /// That long after its turn.
    case delay(Spanned<TimeSpan>)
    /// `when`: at the event, before its consequences.
    case when(Spanned<Condition>)
    /// `after`: as soon as the event has been dealt with.
    case after(Spanned<Condition>)
}

/// An event of the world that a trigger waits for, looked for from the step's turn on.
package enum Condition: Hashable, Sendable {
    /// That much of a route's file is on the device, in a partial download or whole.
    case stored(Amount, of: Spanned<String>)
    /// The `nth` request for a route (from 1; the manifest is "manifest").
    case asked(Spanned<String>, nth: Int64)
    /// A route's answer has arrived whole.
    case fetched(Spanned<String>)
    case pending(Spanned<String>)
    /// A version became what pages are loaded from.
    case running(Spanned<String>)
    /// The index of a version was served.
    case started(Spanned<String>)
    case confirmed(Spanned<String>)
    /// The shown progress reached a percentage.
    case progress(Int64)
}
