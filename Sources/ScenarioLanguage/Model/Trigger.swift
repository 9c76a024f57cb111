import Core

/// When a step happens that does not happen in its turn. The steps after it do not wait for it.
package enum Trigger: Hashable, Sendable {
    /// That long after the story began.
    case at(Spanned<TimeSpan>)
    /// That long after its turn.
    case delay(Spanned<TimeSpan>)
    /// `when`: at the event, before its consequences.
    case when(Spanned<TriggerCondition>)
    /// `after`: as soon as the event has been dealt with.
    case after(Spanned<TriggerCondition>)
}

/// An event of the world that a trigger waits for, looked for from the step's turn on.
package enum TriggerCondition: Hashable, Sendable {
    /// That much of a route's file is on the device, in a partial download or whole.
    case stored(Amount, of: Spanned<String>)
    /// The `nth` such request, counted from 1.
    case asked(RequestSubject, nth: Int)
    /// A route's answer has arrived whole.
    case fetched(Spanned<String>)
    case pending(Spanned<String>)
    /// A version became what pages are loaded from.
    case running(Spanned<String>)
    /// A page load of the version began.
    case started(Spanned<String>)
    case confirmed(Spanned<String>)
    /// The shown progress reached a percentage.
    case progress(Int)
}

/// What a request to the origin is for.
package enum RequestSubject: Hashable, Sendable, ExpressibleByStringLiteral {
    case manifest
    /// Meteor's index, or the route that answers navigations.
    case index
    case outcomes
    /// A route, or a template with `{hash}`.
    case route(String)

    /// Those that have a word instead of a route.
    package static let named: [RequestSubject] = [.manifest, .index, .outcomes]

    /// As a file says it.
    package init(_ text: String) {
        self = RequestSubject.named.first { $0.text == text } ?? .route(text)
    }

    package init(stringLiteral text: String) { self.init(text) }

    package var text: String {
        switch self {
        case .manifest: "manifest"
        case .index: "index"
        case .outcomes: "outcomes"
        case .route(let route): route
        }
    }
}
