import Core

/// Performs the syncs of a loop beside it, because a sync takes as long as the storage medium does, which can
/// be seconds.
///
/// Guarantees
/// - Each sync that was submitted ends with one call of `deliver`, on another thread, unless ``end()`` is
///   called before. Its descriptor is closed by then.
/// - Urgent syncs begin before all background ones that have not begun; those of one lane in the order of
///   their submission. A sync that has begun is not interrupted.
/// - ``end()`` drops the syncs that have not begun. The one that has begun ends after the loop: it owns what
///   it uses (``PendingSync``), and its result is dropped.
/// - There is a thread only while there are syncs, so that none has to be woken up or ended.
///
/// One thread for all syncs, because those of one file system wait for each other anyway: ext4 commits one
/// journal transaction at a time, `F_FULLFSYNC` empties the cache of the whole drive. Several threads could
/// only put more background syncs before an urgent one.
///
/// Errors: the ``DiskError`` of a sync. A sync that can't be accepted has not begun: `noMemory` when the
/// system has no thread left, `tooManyOpen` when more than ``maxWaiting`` wait, each with an open descriptor.
/// Deliberately not here: repeating a failed sync, which could hide the error.
final class SyncWorker: Sendable {
    /// Performs one sync, on the worker's thread.
    typealias Performer = @Sendable (PendingSync) -> DiskError?
    /// Receives the result of one sync, on the worker's thread.
    typealias Deliver = @Sendable (SyncTicket, DiskError?) -> Void

    private struct Job {
        let ticket: SyncTicket
        let sync: PendingSync
    }

    private struct State {
        var urgent: [Job] = []
        var background: [Job] = []
        /// Whether there is a thread that takes the next job.
        var isRunning = false
        /// Receives the results; nil after the end.
        var deliver: Deliver?

        mutating func takeNext() -> Job? {
            if !urgent.isEmpty { return urgent.removeFirst() }
            return background.isEmpty ? nil : background.removeFirst()
        }
    }

    /// Most syncs that wait; a host has at most four outstanding (`AppHost.Effect.sync`).
    static let maxWaiting = 16

    private let perform: Performer
    /// Begins a thread, as ``DetachedThread/start(_:)`` does.
    private let startThread: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state: Guarded<State>

    init(
        _ perform: @escaping Performer = { $0.perform() },
        startThread: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = {
            DetachedThread.start($0)
        },
        deliver: @escaping Deliver
    ) {
        self.perform = perform
        self.startThread = startThread
        state = Guarded(State(deliver: deliver))
    }

    /// Accepts a sync, unless it throws. To be called on one thread.
    func submit(_ ticket: SyncTicket, _ sync: PendingSync, _ lane: WorkLane) throws(DiskError) {
        let job = Job(ticket: ticket, sync: sync)
        let (isAccepted, needsThread) = state.withLock { state in
            guard state.urgent.count + state.background.count < SyncWorker.maxWaiting else {
                return (false, false)
            }
            switch lane {
            case .urgent: state.urgent.append(job)
            case .background: state.background.append(job)
            }
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        guard isAccepted else { throw sync.failure(.tooManyOpen) }
        guard needsThread, !startThread({ self.performAll() }) else { return }
        // Nothing waits but this sync, because the one before it has ended.
        state.withLock { state in
            state.isRunning = false
            state.urgent = []
            state.background = []
        }
        throw sync.failure(.noMemory)
    }

    /// Drops the syncs that have not begun, and all results from now on. Never blocks.
    func end() {
        state.withLock { $0 = State(isRunning: $0.isRunning) }
    }

    private func performAll() {
        while let (ticket, failure) = performNext() {
            let deliver = state.withLock { $0.deliver }
            deliver?(ticket, failure)
        }
    }

    /// - Returns: the result of the next sync, whose descriptor is closed; nil when none waits.
    private func performNext() -> (SyncTicket, DiskError?)? {
        let next = state.withLock { state in
            let next = state.takeNext()
            state.isRunning = next != nil
            return next
        }
        guard let next else { return nil }
        return (next.ticket, perform(next.sync))
    }
}
