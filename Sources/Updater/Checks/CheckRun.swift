import Core

/// One request for the manifest, from its sending to its decision (U4).
struct CheckRun: Sendable {
    enum Purpose: Hashable, Sendable {
        /// Is there a version for this device?
        case offer
        /// U1: rows without a hash are taken only when the origin still offers the version they were fetched
        /// for.
        case confirmation
    }

    var id: TransferID
    /// As it was sent last; a redirect changes its URL.
    var request: OriginRequest
    var redirects = 0
    var reason: Updater.CheckReason
    var purpose: Purpose
    var status = 0
    var date: OriginTime?
    var retryAfter: TimeSpan?
    /// As the answer says; a body of another length is not the manifest.
    var announced: Int?
    var body: [UInt8] = []
    var lastProgress: Instant
}

/// U8: a version that this device has left, offered again by an origin that can't state an order.
struct SecondLook: Hashable, Sendable {
    var key: VersionKey
    var since: Instant
}
