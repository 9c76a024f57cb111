import AppHost
import Core
import Dispatch
import LocalServer
import Updater

/// Thread-safe queue into a running ``AppLoop``. The loop handles the items of one lane
/// (`AppHost.Event.lane`) in the order of the calls, on its own thread.
public final class Inbox: Sendable {
    enum InboxItem: Sendable {
        case event(AppHost.Event)
        /// Result of a sync.
        case synced(SyncTicket, DiskError?)
        case resolved(TransferID, [SocketAddress])
        case resolvedUpstream(UpstreamID, [SocketAddress])
        case stop

        var lane: WorkLane {
            switch self {
            case .event(let event): event.lane
            case .synced, .resolved, .resolvedUpstream, .stop: .urgent
            }
        }
    }

    private struct QueuedItem {
        var item: InboxItem
        /// Size of its content, if it was enqueued with ``enqueueBlocking(_:bytes:)``.
        var bytes = 0
    }

    private struct State {
        var items: [QueuedItem] = []
        /// Total size of the items.
        var bytes = 0
        /// Threads that wait for space.
        var waiting: [DispatchSemaphore] = []
        var isClosed = false
    }

    /// Most bytes in the queue; beyond them ``enqueueBlocking(_:bytes:)`` waits.
    static let maxBytes = 1 << 20

    let wakeUp: WakeUp
    private let state = Guarded(State())

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
                state.items.append(QueuedItem(item: .event(event), bytes: bytes))
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
        state.withLock { if !$0.isClosed { $0.items.append(QueuedItem(item: item)) } }
        wakeUp.signal()
    }

    /// Removes and returns the items that the loop takes now.
    /// - Parameter takesBackground: whether those of the background lane are taken. Otherwise they stay, and
    ///   so do the threads that wait for space; the wake-up stays signalled.
    func drain(takesBackground: Bool) -> [InboxItem] {
        wakeUp.drain()
        let (taken, hasMore) = state.withLock { state in
            var taken: [QueuedItem] = []
            swap(&taken, &state.items)
            if !takesBackground {
                state.items = taken.filter { $0.item.lane == .background }
                taken.removeAll { $0.item.lane == .background }
            }
            return (taken, !state.items.isEmpty)
        }
        release(taken)
        if hasMore { wakeUp.signal() }
        return taken.map(\.item)
    }

    /// Drops all items, now and later, and lets blocked threads continue.
    func close() {
        let items = state.withLock { state in
            defer { state.items = [] }
            state.isClosed = true
            return state.items
        }
        release(items)
    }

    /// Lets the threads continue that wait for the space of these items, which were removed.
    private func release(_ items: [QueuedItem]) {
        let waiting = state.withLock { state in
            var waiting: [DispatchSemaphore] = []
            swap(&waiting, &state.waiting)
            for item in items { state.bytes -= item.bytes }
            return waiting
        }
        for turn in waiting { turn.signal() }
    }
}
