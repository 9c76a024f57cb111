import Core
import ScenarioLanguage
import Updater

/// One start, as the trace shows it: from the first page load of a version in a process to its end.
package struct StartTrace: Hashable, Sendable {
    /// How a start ended.
    package enum End: Hashable, Sendable {
        case confirmed
        case failed
        case unclear
        case uncounted
    }

    package var key: VersionKey
    package var process: Int
    package var begunAt: Instant
    /// Page loads that belong to it.
    package var loads: [PageLoadToken]
    /// When the server first responded to a request of it.
    package var servedAt: Instant?
    /// Time in the foreground since then, up to ``countedAt``.
    package var inFront: TimeSpan
    package var countedAt: Instant
    /// Whether the user has touched a page of it.
    package var isTouched: Bool { touchedAt != nil }
    /// When that was first.
    package var touchedAt: Instant?
    /// When a page of it first called `startupDidComplete`, or was ready if the server confirms.
    package var signalledAt: Instant?
    /// Whether a page of it called `startupDidComplete`.
    package var hasCalled = false
    package var hasSignalled: Bool { signalledAt != nil }
    /// Whether a page of it called `startupDidFail`.
    package var hasReportedFailure = false
    /// Whether it did so before it signalled that it had started.
    package var hasFailedFirst = false
    package var webProcessDeaths = 0
    /// Actual cause of the end of its process.
    package var death: DeathCause?
    /// When its process ended.
    package var diedAt: Instant?
    /// Whether the app was in front and active when its process ended.
    package var endedInFront = false
    /// Boot of the device in which it began.
    package var bootID = 0
    /// Whether a good manifest answer arrived in this start or in the minute before it.
    package var isReachable = false
    /// End that the log has reported.
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
