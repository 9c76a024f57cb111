import AppHost
import Core
import DeviceShell

/// An ``AppLoop`` that is given its turns and its time from outside: the same loop, its sockets and its disk,
/// for a laboratory that lets the clock jump over time in which nothing happens.
///
/// What it promises: nothing happens between two turns; letting go of it is the end of a killed process: its
/// sockets and files are closed by the system, and the app hears nothing of it.
final class SteppedApp {
    private let loop: AppLoop

    /// The host as it is, heard: each step's effects are told before they are carried out.
    private struct HeardApp: HostedApp {
        var host = AppHost()
        let heeds: @Sendable (AppHost.Effect) -> Void

        mutating func handle(_ event: AppHost.Event, at now: Instant, disk: inout some Disk)
            -> [AppHost.Effect]
        {
            let effects = host.handle(event, at: now, disk: &disk)
            for effect in effects { heeds(effect) }
            return effects
        }
    }

    /// Carries a closure that stays on the loop's thread into a value that may leave it.
    private struct OneThread: @unchecked Sendable {
        let heeds: (AppHost.Effect) -> Void
    }

    /// - Parameters:
    ///   - early: told before the launch.
    ///   - clock: must not go back.
    ///   - heeds: told of each effect before it is carried out, on the thread that gives the turns.
    init(
        _ disk: PosixDisk, _ launch: AppHost.Launch, early: [AppHost.Event] = [], clock: any DeviceClock,
        heeds: @escaping (AppHost.Effect) -> Void
    ) throws(AppLoopError) {
        let relay = OneThread(heeds: heeds)
        loop = try AppLoop(disk, HeardApp(heeds: { relay.heeds($0) }), clock: clock)
        for event in early { loop.take(event) }
        loop.begin(launch)
    }

    deinit { loop.closeAll() }

    /// - Returns: how many events and descriptors had their turn; 0: nothing was to be done.
    func turn() throws(AppLoopError) -> Int {
        do throws(SystemError) {
            // A timer that was due waits in the inbox now.
            return try loop.turn(waiting: .zero) + loop.inbox.count
        } catch {
            throw AppLoopError(error)
        }
    }

    func tell(_ event: AppHost.Event) { loop.take(event) }

    /// The system took the sockets of a process that stood still.
    func loseSockets() {
        loop.closeAll()
        loop.take(.listener(.lost))
    }

    /// When a timer is due, or a connection is given up.
    var nextDeadline: Instant? { loop.nextDeadline }

    /// Events wait, or a connection to the origin is being made: more comes without time passing.
    var isBusy: Bool { !loop.inbox.isEmpty || loop.origin.isConnecting }

    /// Requests to the origin that have not ended.
    var openRequests: Int { loop.origin.openCount }

    /// Can be read when something waits for a turn.
    var descriptor: Int32 { loop.poller.descriptor }
}
