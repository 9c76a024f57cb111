import AppHost
import Core
import Dispatch
import LocalServer
import Synchronization
import Updater

/// The way into a running ``AppLoop`` from other threads. What is said here reaches the host in the order in
/// which it was said, on the loop's own thread.
public final class Inbox: Sendable {
    enum InboxItem: Sendable {
        case event(AppHost.Event)
        case resolved(TransferID, [SocketAddress])
        case resolvedUpstream(UpstreamID, [SocketAddress])
        case stop
    }

    private struct State {
        var knocks: [InboxItem] = []
        /// Of the knocks that were handed over with a size.
        var bytes = 0
        /// Threads that wait for room.
        var waiting: [DispatchSemaphore] = []
        var isClosed = false
    }

    /// Handed over and not yet heard; beyond it ``hand(_:bytes:)`` waits.
    static let mostBytes = 1 << 20

    let wakeUp: WakeUp
    private let state = Mutex(State())

    init(_ wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// The host is told this, in the order of the calls.
    public func tell(_ event: AppHost.Event) { knock(.event(event)) }

    /// The same from a thread that may wait, and does while 1 MiB lies unheard inside: what comes faster than
    /// the loop takes it stays where it comes from. Never from the loop's own thread. Once the loop has ended
    /// it comes back at once, and nobody hears it.
    public func hand(_ event: AppHost.Event, bytes: Int) {
        while true {
            let turn = DispatchSemaphore(value: 0)
            let isIn = state.withLock { state in
                if state.isClosed { return true }
                guard state.bytes == 0 || state.bytes + bytes <= Inbox.mostBytes else {
                    state.waiting.append(turn)
                    return false
                }
                state.knocks.append(.event(event))
                state.bytes += bytes
                return true
            }
            if isIn { return wakeUp.ring() }
            turn.wait()
        }
    }

    /// Ends the loop in order.
    public func stop() { knock(.stop) }

    func knock(_ knock: InboxItem) {
        state.withLock { $0.knocks.append(knock) }
        wakeUp.ring()
    }

    /// All that was said since the last time.
    func open() -> [InboxItem] {
        wakeUp.hear()
        return taken { _ in }
    }

    /// Nobody hears any more: whoever waits goes on.
    func close() { _ = taken { $0.isClosed = true } }

    private func taken(_ change: (inout State) -> Void) -> [InboxItem] {
        let (knocks, waiting) = state.withLock { state in
            change(&state)
            let taken = (state.knocks, state.waiting)
            state.knocks = []
            state.waiting = []
            state.bytes = 0
            return taken
        }
        for turn in waiting { turn.signal() }
        return knocks
    }
}
