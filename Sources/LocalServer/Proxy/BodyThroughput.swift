import Core

/// How fast a request's body comes. One that drips would keep a connection here and one at the remote root
/// for as long as it likes (slowloris, CVE-2007-6750), although no time without a byte would be long.
///
/// Counted over whole minutes in which the page is read: while what it sent waits for the remote root, that
/// is the slow side.
struct BodyThroughput: Equatable, Sendable {
    static let window = TimeSpan.seconds(60)

    /// Beginning of the window.
    private var since: Instant
    /// Bytes received in the window so far.
    private var bytes = 0

    init(since: Instant) { self.since = since }

    /// Begins a new window, because the page was not read for a while.
    mutating func restart(at now: Instant) {
        since = now
        bytes = 0
    }

    /// Counts received bytes.
    /// - Returns: false where the window is over and too few bytes came in it.
    mutating func add(_ count: Int, at now: Instant, atLeast bytesPerSecond: Int) -> Bool {
        bytes += count
        guard now - since >= BodyThroughput.window else { return true }
        let seconds = UntrustedInteger((now - since).microseconds / 1_000_000)
        let minimum = seconds.multiplied(by: UntrustedInteger(bytesPerSecond))
        let isFastEnough = UntrustedInteger(bytes) >= minimum
        restart(at: now)
        return isFastEnough
    }
}
