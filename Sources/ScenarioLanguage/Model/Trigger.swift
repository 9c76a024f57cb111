import Core

/// When a step happens that does not happen in order. The steps after it do not wait for it.
package enum Trigger: Hashable, Sendable {
    /// At this time after the beginning of the scenario.
    case at(Spanned<TimeSpan>)
    /// This long after its position in the steps.
    case delay(Spanned<TimeSpan>)
    /// `when`: at the event, before its consequences.
    case when(Spanned<TriggerCondition>)
    /// `after`: as soon as the event has been handled.
    case after(Spanned<TriggerCondition>)
}

/// An event of the world that a trigger waits for. Events before the step's position in the steps don't
/// count.
package enum TriggerCondition: Hashable, Sendable {
    /// This amount of a route's file is on the device, partially or completely downloaded.
    case stored(Amount, of: Spanned<String>)
    /// The `nth` matching request reaches the origin; `nth` is from 1.
    case asked(RequestSubject, nth: Int)
    /// A route's answer has arrived completely.
    case fetched(Spanned<String>)
    /// A version becomes pending.
    case pending(Spanned<String>)
    /// Pages are loaded from a version from now on.
    case running(Spanned<String>)
    /// A page load of a version begins.
    case started(Spanned<String>)
    /// A version is confirmed.
    case confirmed(Spanned<String>)
    /// The shown progress reaches a percentage.
    case progress(Int)
    /// A page gets this message without a request (rule T2): "newVersionReady v2".
    case notified(Spanned<String>)
}

/// The subject of a request to the origin.
package enum RequestSubject: Hashable, Sendable, ExpressibleByStringLiteral {
    case manifest
    /// Meteor's index, or the route that answers navigations.
    case index
    case outcomes
    /// Requests of pages that the local server forwards to the remote root (rule S7); for faults only.
    case api
    /// A route, or a template with `{hash}`.
    case route(String)

    /// Subjects of requests to the origin that have a keyword instead of a route.
    package static let named: [RequestSubject] = [.manifest, .index, .outcomes]
    /// Subjects of faults that have a keyword.
    package static let faulted: [RequestSubject] = named + [.api]

    /// Parses a keyword or a route.
    package init(_ text: String) {
        self = RequestSubject.faulted.first { $0.text == text } ?? .route(text)
    }

    package init(stringLiteral text: String) { self.init(text) }

    package var text: String {
        switch self {
        case .manifest: "manifest"
        case .index: "index"
        case .outcomes: "outcomes"
        case .api: "api"
        case .route(let route): route
        }
    }
}
