import Core
import ScenarioLanguage
import Updater

/// One start as it can be seen from outside: from the first page load of a version in a process to its end.
package struct StartTrace: Hashable, Sendable {
    package enum End: Hashable, Sendable {
        case confirmed
        case failed
        case unclear
        case uncounted
    }

    package var key: VersionKey
    package var process: Int
    package var begunAt: Instant
    package var loads: [PageLoadToken]
    /// When the first index of it was answered.
    package var servedAt: Instant?
    /// Time in front since then, up to `countedAt`.
    package var inFront: TimeSpan
    package var countedAt: Instant
    package var isTouched = false
    /// A page of it called `startupDidComplete`, or (confirmed by the server) was ready.
    package var hasSignalled = false
    package var hasReportedFailure = false
    package var webProcessDeaths = 0
    /// What really ended its process.
    package var death: DeathCause?
    /// A good manifest answer in this start or the minute before it.
    package var isReachable = false
    /// As the log told it.
    package var end: End?
    package var endedAt: Instant?

    package init(key: VersionKey, process: Int, at now: Instant, load: PageLoadToken) {
        self.key = key
        self.process = process
        begunAt = now
        loads = [load]
        inFront = .zero
        countedAt = now
    }
}
