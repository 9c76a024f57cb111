import AppHost
import Core
import DeviceShell
import LocalServer
import Updater
import World

/// An ``AppLoop`` whose turns and clock are controlled by the caller. It has the same code, sockets and disk;
/// the laboratory's clock jumps over time in which nothing happens.
///
/// Guarantees: nothing happens between two turns but syncs that the app has begun; their results wait for the
/// next turn. Deallocation has the effect of a killed process: the sockets and files are closed, and the app
/// gets no event. A sync that has begun ends later.
package final class SteppedApp {
    private let loop: AppLoop

    /// The unchanged host; each effect is reported before it is carried out, and its connections to the
    /// remote root lead to the laboratory, as an entry for the root's name in a table of hosts would do it.
    private struct ObservedApp: HostedApp {
        var host = AppHost()
        let observe: @Sendable (AppHost.Effect) -> Void
        let received: @Sendable (TransferID, Int) -> Void
        let remoteRoot: @Sendable (UpstreamID) -> RemoteRoot?

        mutating func handle(_ event: AppHost.Event, at now: Instant, disk: inout some Disk)
            -> [AppHost.Effect]
        {
            if case .transfer(let id, .bytes(let bytes)) = event { received(id, bytes.count) }
            var effects = host.handle(event, at: now, disk: &disk)
            for index in effects.indices {
                observe(effects[index])
                if case .upstream(let id, .open) = effects[index], let root = remoteRoot(id) {
                    effects[index] = .upstream(id, .open(root))
                }
            }
            return effects
        }
    }

    /// Wraps a closure, which is called only on the loop's thread, for a value that must be `Sendable`.
    private struct ThreadConfined: @unchecked Sendable {
        let observe: (AppHost.Effect) -> Void
        let received: (TransferID, Int) -> Void
        let remoteRoot: (UpstreamID) -> RemoteRoot?
    }

    /// - Parameters:
    ///   - eventsBeforeLaunch: events that the app gets before the launch.
    ///   - clock: a clock that never goes back.
    ///   - observe: called with each effect before it is carried out, on the thread that calls ``turn()``.
    ///   - received: called with the transfer and the number of body bytes that the app takes in.
    ///   - remoteRoot: where a connection to the remote root leads; nil: to its own address.
    package init(
        _ disk: PosixDisk, _ launch: AppHost.Launch, eventsBeforeLaunch: [AppHost.Event] = [],
        clock: any DeviceClock,
        observe: @escaping (AppHost.Effect) -> Void,
        received: @escaping (TransferID, Int) -> Void = { _, _ in },
        remoteRoot: @escaping (UpstreamID) -> RemoteRoot? = { _ in nil }
    ) throws(AppLoopError) {
        let relay = ThreadConfined(observe: observe, received: received, remoteRoot: remoteRoot)
        let app = ObservedApp(
            observe: { relay.observe($0) }, received: { relay.received($0, $1) },
            remoteRoot: { relay.remoteRoot($0) })
        loop = try AppLoop(disk, app, clock: clock, verifier: StandInSignatures())
        for event in eventsBeforeLaunch { loop.take(event) }
        loop.begin(launch)
    }

    deinit { loop.closeAll() }

    /// Processes the waiting events and the ready descriptors.
    /// - Returns: their number, and that of the events that wait for the next turn; 0: the app is idle.
    package func turn() throws(AppLoopError) -> Int {
        do throws(SystemError) {
            // The turn has put the events of due timers into the inbox.
            return try loop.turn(waiting: .zero) + loop.inbox.count
        } catch {
            throw AppLoopError(error)
        }
    }

    package func enqueue(_ event: AppHost.Event) { loop.take(event) }

    /// Closes all sockets, as the system does with those of a suspended process.
    package func loseSockets() {
        loop.closeAll()
        loop.take(.listener(.lost))
    }

    /// Time of the next timer or connection timeout.
    package var nextDeadline: Instant? { loop.nextDeadline }

    /// Whether events wait, a sync has begun, or a connection to the origin is being opened, so that one of
    /// the next turns has work without time passing.
    package var isBusy: Bool { loop.isBusy }

    /// Whether the result of a sync is outstanding.
    package var isSyncing: Bool { loop.isSyncing }

    /// Number of requests to the origin that have not ended.
    package var openRequests: Int { loop.origin.openCount }

    /// Descriptor that is readable when there is work for a turn.
    package var descriptor: Int32 { loop.poller.descriptor }
}
