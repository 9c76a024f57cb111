import Core
import Updater
import World

/// One start as it can be seen from outside: from the first page load of a version in a process to its end.
public struct StartTrace: Hashable, Sendable {
    public enum End: Hashable, Sendable {
        case confirmed
        case failed
        case unclear
        case uncounted
    }

    public var key: VersionKey
    public var process: Int
    public var begunAt: Instant
    public var loads: [PageLoadToken]
    /// When the first index of it was answered.
    public var servedAt: Instant?
    /// Time in front since then, up to `countedAt`.
    public var inFront: TimeSpan
    public var countedAt: Instant
    public var isTouched = false
    /// A page of it called `startupDidComplete`, or (confirmed by the server) was ready.
    public var hasSignalled = false
    public var hasReportedFailure = false
    public var webProcessDeaths = 0
    /// What really ended its process.
    public var death: DeathCause?
    /// A good manifest answer in this start or the minute before it.
    public var isReachable = false
    /// As the log told it.
    public var end: End?
    public var endedAt: Instant?

    init(key: VersionKey, process: Int, at now: Instant, load: PageLoadToken) {
        self.key = key
        self.process = process
        begunAt = now
        loads = [load]
        inFront = .zero
        countedAt = now
    }
}
