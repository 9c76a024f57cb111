import Core

/// How fast a request's body comes. One that drips would keep a connection here and one at the remote root
/// for as long as it likes (slowloris, CVE-2007-6750), and no time without a byte would ever be long.
///
/// Counted over whole minutes in which the page is read: while what it sent waits to go up it is the remote
/// root that is slow.
struct BodyThroughput: Equatable, Sendable {
    static let window = TimeSpan.seconds(60)

    private var since: Instant
    private var bytes = 0

    init(since: Instant) { self.since = since }

    /// The page was not read for a while.
    mutating func restart(at now: Instant) {
        since = now
        bytes = 0
    }

    /// - Returns: false: the minute is over and too little came.
    mutating func took(_ count: Int, at now: Instant, atLeast bytesPerSecond: Int) -> Bool {
        bytes += count
        guard now - since >= BodyThroughput.window else { return true }
        let seconds = (now - since).microseconds / 1_000_000
        let isFast = Int64(bytes) >= seconds * Int64(bytesPerSecond)
        restart(at: now)
        return isFast
    }
}
