import Core

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// A kqueue of the system, or a test's.
protocol KernelQueue {
    /// Applies the changes in order, then returns events: `kevent(2)`.
    ///
    /// Answers to changes come first: one for each change with a receipt, and one for each other that failed.
    /// Events are returned beside answers only if those leave space.
    /// - Parameters:
    ///   - limit: most events that are returned, answers included; at least the number of changes.
    ///   - waits: whether the call waits for the first event; false: it returns what there is.
    /// - Throws: the system's `errno`; `EINTR` where a signal ended the wait, after the changes were applied.
    mutating func exchange(_ changes: [KernelEvent], limit: Int, waits: Bool) throws(SystemError)
        -> [KernelEvent]

    /// Returns the queue to the system.
    func end()

    /// Readable when an event is there.
    var descriptor: Int32 { get }
}

/// What a ``Poller`` does on a kqueue: interests become changes of filters, events become ready descriptors.
///
/// **Invariant.** `interests` has, for each watched descriptor, exactly the filters that the kqueue has: a
/// change that the kqueue refused is not in it.
///
/// With an empty interest a descriptor has no filter, and nothing is reported of it before it is watched for
/// something again. epoll reports its failure in between.
struct KqueueWatch<Queue: KernelQueue> {
    private var queue: Queue
    /// Readable when a watched descriptor is ready.
    var descriptor: Int32 { queue.descriptor }
    private var interests: [Int32: Poller.Interest] = [:]
    /// Whether the kqueue has a timer.
    private var isAlarmSet = false

    init(_ queue: Queue) { self.queue = queue }

    /// Returns the kqueue to the system.
    func end() { queue.end() }

    /// Number of watched descriptors.
    var count: Int { interests.count }

    private static var filters: [(filter: KernelEvent.Filter, interest: Poller.Interest)] {
        [(.read, .reads), (.write, .writes)]
    }

    /// Replaces the interest in a descriptor.
    /// - Throws: the first failure; the other filter is changed all the same.
    mutating func watch(_ descriptor: Int32, _ wanted: Poller.Interest) throws(SystemError) {
        let previous = interests[descriptor] ?? []
        let changed = Self.filters.filter { previous.contains($0.interest) != wanted.contains($0.interest) }
        guard !changed.isEmpty else {
            interests[descriptor] = wanted
            return
        }
        let changes = changed.map {
            KernelEvent.change(descriptor, $0.filter, isAdded: wanted.contains($0.interest))
        }
        let answers = try queue.exchange(changes, limit: changes.count, waits: false)
        var current = previous
        var failure: SystemError?
        for (filter, interest) in changed {
            let isAdded = wanted.contains(interest)
            switch Self.errorNumber(of: filter, in: answers) {
            case 0 where isAdded: current.insert(interest)
            // A filter that is not there need not be deleted: the system drops those of a closed descriptor.
            case 0,
                ENOENT where !isAdded:
                current.remove(interest)
            case let number: failure = failure ?? SystemError(errorNumber: number)
            }
        }
        if failure == nil || interests[descriptor] != nil || !current.isEmpty {
            interests[descriptor] = current
        }
        if let failure { throw failure }
    }

    /// `errno` of the change of this filter; 0: it succeeded.
    private static func errorNumber(of filter: KernelEvent.Filter, in answers: [KernelEvent]) -> Int32 {
        guard let answer = answers.first(where: { $0.filter == filter && $0.flags.contains(.error) }) else {
            return 0
        }
        return Int32(truncatingIfNeeded: answer.data)
    }

    /// Stops watching a descriptor.
    mutating func forget(_ descriptor: Int32) {
        // An error means that the system does not watch it any more.
        do { try watch(descriptor, []) } catch {}
        interests[descriptor] = nil
    }

    /// Waits until a watched descriptor is ready.
    /// - Parameter time: longest wait; nil: no limit; not above zero: returns what there is.
    /// - Returns: ready descriptors, each once; none when the time is over or a signal arrived.
    mutating func wait(_ time: TimeSpan?) throws(SystemError) -> [Poller.Ready] {
        let waits = time.map { $0 > .zero } ?? true
        var changes: [KernelEvent] = []
        // Without a limit no timer is left from before.
        if waits, time != nil || isAlarmSet {
            changes = [.alarm(after: time)]
            isAlarmSet = time != nil
        }
        let events: [KernelEvent]
        do throws(SystemError) {
            events = try queue.exchange(changes, limit: Poller.maxEvents, waits: waits)
        } catch {
            if error.errorNumber == EINTR { return [] }
            throw error
        }
        for event in events where event.filter == .timer {
            if event.flags.contains(.error), isAlarmSet {
                isAlarmSet = false
                throw SystemError(errorNumber: Int32(truncatingIfNeeded: event.data))
            }
            isAlarmSet = false
        }
        return Self.ready(events)
    }

    /// A descriptor that has failed counts as readable and writable; the next call on it returns the error.
    ///
    /// The end of what a peer sends is `EV_EOF` of the read filter, without an error: the descriptor can be
    /// read, whether data is left (`data`) or not, and nothing is said about writing.
    private static func ready(_ events: [KernelEvent]) -> [Poller.Ready] {
        var ready: [Poller.Ready] = []
        var indices: [Int32: Int] = [:]
        for event in events where event.filter != .timer {
            let hasFailed =
                event.flags.contains(.error) || (event.flags.contains(.endOfFile) && event.filterFlags != 0)
            let descriptor = Int32(truncatingIfNeeded: event.ident)
            let index = indices[descriptor] ?? ready.count
            if index == ready.count {
                indices[descriptor] = index
                ready.append(Poller.Ready(descriptor: descriptor, canRead: false, canWrite: false))
            }
            if hasFailed || event.filter == .read { ready[index].canRead = true }
            if hasFailed || event.filter == .write { ready[index].canWrite = true }
        }
        return ready
    }
}
