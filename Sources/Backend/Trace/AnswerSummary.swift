import Core
import Updater

/// Fields of an origin's answer that checkers need beside its status, as read from the wire.
package struct AnswerSummary: Hashable, Sendable {
    /// Serial of the publication in a manifest that arrived undamaged.
    package var serial: Int?
    /// Time for which the origin wants no further request (`Retry-After`).
    package var retryAfter: TimeSpan?
    /// Whether the answer redirects to another URL.
    package var isRedirect = false

    package init() {}
}
