import Core

/// One request for the manifest, from the request until the decision (U4).
struct CheckRun: Sendable {
    enum Purpose: Hashable, Sendable {
        /// Asks whether there is a version for this device.
        case offer
        /// U1: assets without a hash are accepted only if the origin still offers the version for which they
        /// were downloaded.
        case confirmation
    }

    var id: TransferID
    /// The request as it was last sent; a redirect changes its URL.
    var request: OriginRequest
    var redirects = 0
    /// URLs of the manifests for devices outside a rollout that this check has requested (U9).
    var manifests: [String] = []
    /// Versions that manifests of this check named without offering them to this device.
    var withheld: [VersionKey] = []
    /// Ids recalled by manifests that are not offered to this device.
    var withheldRecalls: [String] = []
    var reason: Updater.CheckReason
    var purpose: Purpose
    var status = 0
    var date: OriginTime?
    var retryAfter: TimeSpan?
    /// Length that the response announces; a body of another length is not the manifest.
    var announced: UntrustedInteger?
    var body: [UInt8] = []
    /// Signatures that the host verifies (U16), and the key of the one that is valid.
    var claims: [SignatureRequest.Claim] = []
    var signer: PublicKey?
    let sentAt: Instant
    var lastProgress: Instant

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) { lastProgress = lastProgress + span }
}

/// U8: a version that this device has left, offered again by an origin that can't state an order. It needs a
/// second check.
struct SecondCheck: Hashable, Sendable {
    var key: VersionKey
    var since: Instant
}
