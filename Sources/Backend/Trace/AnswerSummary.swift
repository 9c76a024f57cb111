import Core
import Updater

/// Fields of an origin's answer that checkers need beside its status, as read from the wire.
package struct AnswerSummary: Hashable, Sendable {
    /// Serial of the publication in a manifest that arrived undamaged.
    package var serial: Int?
    /// Date of the publication, in a dialect whose manifests are ordered by date (U8).
    package var date: OriginTime?
    /// Serial of a publication that is not for the device that asked, because of its share (U9).
    package var withheldSerial: Int?
    /// Time for which the origin wants no further request (`Retry-After`).
    package var retryAfter: TimeSpan?
    /// Length of the whole file that a 416 states (RFC 9110 §15.5.17).
    package var unsatisfiedLength: Int?
    /// First byte of the part that a 206 says it has (RFC 9110 §14.4); nil: it states none.
    package var partFrom: Int?
    /// Its entity tag, as it is stated (RFC 9110 §8.8.3).
    package var tag: String?
    /// Whether the body has a content coding, which nothing here can decode (RFC 9110 §8.4).
    package var isCoded = false
    /// Whether the answer states no time (`Date`), or one that is more than a day from the origin's.
    package var isMisdated = false
    /// Whether the answer redirects to another URL.
    package var isRedirect = false
    /// What a manifest that arrived undamaged says of signatures (U16).
    package var signature = ManifestSignature()

    package init() {}
}
