import Core
import Updater

/// What the head of an origin's answer says beside its status, as somebody on the wire would read it.
package struct AnswerSummary: Hashable, Sendable {
    /// The number of the publication that a manifest states, where it came undamaged.
    package var serial: Int?
    /// Seconds that the origin wants to be left alone.
    package var retryAfter: TimeSpan?
    /// It sends the request on to another place.
    package var isRedirect = false

    package init() {}
}
