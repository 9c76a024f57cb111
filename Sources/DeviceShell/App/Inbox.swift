import AppHost
import Core
import Dispatch
import LocalServer
import Synchronization
import Updater

/// Thread-safe queue into a running ``AppLoop``. The loop handles the items in the order of the calls, on its
/// own thread.
public final class Inbox: Sendable {
    enum InboxItem: Sendable {
        case event(AppHost.Event)
        case resolved(TransferID, [SocketAddress])
        case resolvedUpstream(UpstreamID, [SocketAddress])
        case stop
    }

    private struct State {
        var items: [InboxItem] = []
        /// Total size of the items enqueued with ``enqueueBlocking(_:bytes:)``.
        var bytes = 0
        /// Threads that wait for space.
        var waiting: [DispatchSemaphore] = []
        var isClosed = false
    }

    /// Most bytes in the queue; beyond them ``enqueueBlocking(_:bytes:)`` waits.
    static let maxBytes = 1 << 20

    let wakeUp: WakeUp
    private let state = Mutex(State())

    init(_ wakeUp: WakeUp) { self.wakeUp = wakeUp }

    /// Enqueues an event for the host. Never blocks; may be called from any thread.
    public func enqueue(_ event: AppHost.Event) { enqueue(item: .event(event)) }

    /// Enqueues an event, and blocks the calling thread while more than 1 MiB would be in the queue, so that
    /// a sender faster than the loop is slowed down. Must not be called from the loop's own thread. After the
    /// loop has ended it returns at once and drops the event.
    /// - Parameter bytes: size of the event's content.
    public func enqueueBlocking(_ event: AppHost.Event, bytes: Int) {
        while true {
            let turn = DispatchSemaphore(value: 0)
            let isDone = state.withLock { state in
                if state.isClosed { return true }
                guard state.bytes == 0 || state.bytes + bytes <= Inbox.maxBytes else {
                    state.waiting.append(turn)
                    return false
                }
                state.items.append(.event(event))
                state.bytes += bytes
                return true
            }
            if isDone { return wakeUp.signal() }
            turn.wait()
        }
    }

    /// Shuts the loop down in order; ``AppLoop/run(_:)`` returns then.
    public func stop() { enqueue(item: .stop) }

    func enqueue(item: InboxItem) {
        state.withLock { $0.items.append(item) }
        wakeUp.signal()
    }

    /// Removes and returns all items.
    func drain() -> [InboxItem] {
        wakeUp.drain()
        return takeAll { _ in }
    }

    /// Drops all items, now and later, and lets blocked threads continue.
    func close() { _ = takeAll { $0.isClosed = true } }

    private func takeAll(_ change: (inout State) -> Void) -> [InboxItem] {
        let (items, waiting) = state.withLock { state in
            change(&state)
            let taken = (state.items, state.waiting)
            state.items = []
            state.waiting = []
            state.bytes = 0
            return taken
        }
        for turn in waiting { turn.signal() }
        return items
    }
}
