import AppHost
import Core

/// An ``AppLoop`` that somebody else gives its turns and its time: the same loop, its sockets and its disk,
/// for a laboratory that lets the clock jump over time in which nothing happens.
///
/// VerificationSummary: nothing happens between two turns; letting go of it is the end of a killed process:
/// its sockets and files are closed by the system, nobody is told. Not for an app: it runs the loop
/// (``AppLoop/run(_:)``).
package final class SteppedApp {
    private let loop: AppLoop

    /// - Parameters:
    ///   - early: told before the launch.
    ///   - clock: must not go back.
    ///   - heeds: told of each effect before it is carried out.
    package init(
        _ disk: PosixDisk, _ launch: AppHost.Launch, early: [AppHost.Event] = [],
        clock: @escaping @Sendable () -> Instant,
        heeds: @escaping (AppHost.Effect) -> Void
    ) throws(AppLoopError) {
        loop = try AppLoop(disk, clock: MonotonicClock(reading: clock))
        loop.heeds = heeds
        loop.inbox += early
        loop.begin(launch)
    }

    deinit { loop.closeAll() }

    /// - Returns: how many events and descriptors had their turn; 0: nothing was to be done.
    package func turn() throws(AppLoopError) -> Int {
        do throws(SystemError) {
            // A timer that was due waits in the inbox now.
            return try loop.turn(waiting: .zero) + loop.inbox.count
        } catch {
            throw AppLoopError(error)
        }
    }

    package func tell(_ event: AppHost.Event) {
        if case .settings(let changed) = event { loop.origin.connectTime = changed.connectTimeout }
        loop.inbox.append(event)
    }

    /// The system took the sockets of a process that stood still.
    package func loseSockets() {
        loop.closeAll()
        loop.inbox.append(.listener(.lost))
    }

    /// When a timer is due, or a connection is given up.
    package var nextDeadline: Instant? { loop.nextDeadline }

    /// Events wait, or a connection to the origin is being made: more comes without time passing.
    package var isBusy: Bool { !loop.inbox.isEmpty || loop.origin.isConnecting }

    /// Requests to the origin that have not ended.
    package var openRequests: Int { loop.origin.openCount }

    /// Can be read when something waits for a turn.
    package var descriptor: Int32 { loop.poller.descriptor }
}
