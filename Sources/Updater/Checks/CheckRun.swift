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
    var reason: Updater.CheckReason
    var purpose: Purpose
    var status = 0
    var date: OriginTime?
    var retryAfter: TimeSpan?
    var body: [UInt8] = []
    var lastProgress: Instant
}

/// U8: a version that this device has left, offered again by an origin that can't state an order.
struct SecondLook: Hashable, Sendable {
    var key: VersionKey
    var since: Instant
}

/// 1, 2, 4 … 60 s ± 25 %; after eight tries without a new byte none by itself for 15 min (U5).
struct Backoff: Hashable, Sendable {
    private(set) var tries = 0
    static let sleep = TimeSpan.minutes(15)

    /// - Parameter jitter: any number; its remainder chooses the place between − 25 % and + 25 %.
    mutating func next(jitter: UInt64) -> TimeSpan {
        tries += 1
        guard tries <= 8 else { return Backoff.sleep }
        let base: Int64 = min(60_000, 1_000 << Int64(min(tries - 1, 6)))
        let part = Int64(jitter % 501) - 250
        return .milliseconds(base + base * part / 1_000)
    }

    var isSpent: Bool { tries > 8 }

    mutating func reset() { tries = 0 }
}
