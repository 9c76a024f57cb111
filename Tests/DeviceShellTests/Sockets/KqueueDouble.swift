#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@testable import DeviceShell

/// A kqueue with sockets, in memory: changes, receipts and events as `kevent(2)` of Apple's systems describes
/// them. Not compared with such a system. No time passes: a wait without an event ends at once, by the timer if
/// there is one.
final class KqueueDouble: KernelQueue {
    struct Socket {
        /// Bytes that can be read.
        var unread = 0
        /// Space for bytes that can be written.
        var space = 0
        /// The peer sends nothing more.
        var hasPeerFinished = false
        /// Nothing can be written any more.
        var isShutForWriting = false
        /// `so_error`.
        var errorNumber: Int32 = 0
    }

    struct Filter: Hashable {
        var ident: UInt
        var filter: KernelEvent.Filter
    }

    var sockets: [Int32: Socket] = [:]
    private(set) var filters: [Filter] = []
    /// Time of the timer in microseconds; nil: none is set.
    private(set) var timer: Int?
    /// Changes that the kernel refuses, whatever they are.
    var refusals: [Filter: Int32] = [:]
    /// Whether a signal ends the next wait.
    var isInterrupted = false
    private(set) var isEnded = false
    private(set) var calls = 0
    /// Waits that would never have ended.
    private(set) var endlessWaits = 0
    /// The changes of the last call.
    private(set) var changes: [KernelEvent] = []

    let descriptor: Int32 = 3

    func end() { isEnded = true }

    /// The system drops the filters of a closed descriptor.
    func close(_ descriptor: Int32) {
        sockets[descriptor] = nil
        filters.removeAll { $0.ident == UInt(descriptor) && $0.filter != .timer }
    }

    func exchange(_ changes: [KernelEvent], limit: Int, waits: Bool) throws(SystemError) -> [KernelEvent] {
        calls += 1
        self.changes = changes
        var answers: [KernelEvent] = []
        for change in changes {
            let number = apply(change)
            guard number != 0 || change.flags.contains(.receipt) else { continue }
            guard answers.count < limit else { throw SystemError(errorNumber: number) }
            var answer = change
            answer.flags.insert(.error)
            answer.data = Int(number)
            answers.append(answer)
        }
        let events = filters.compactMap(event).prefix(limit - answers.count)
        if answers.isEmpty, events.isEmpty, waits { return try wait() }
        return answers + events
    }

    private func wait() throws(SystemError) -> [KernelEvent] {
        if isInterrupted {
            isInterrupted = false
            throw SystemError(errorNumber: EINTR)
        }
        guard timer != nil else {
            endlessWaits += 1
            return []
        }
        timer = nil
        return [KernelEvent(ident: 0, filter: .timer, flags: .once, data: 1)]
    }

    /// - Returns: `errno`; 0: applied.
    private func apply(_ change: KernelEvent) -> Int32 {
        let filter = Filter(ident: change.ident, filter: change.filter)
        if let number = refusals[filter] { return number }
        if change.filter == .timer {
            guard change.flags.contains(.delete) else {
                timer = change.data
                return 0
            }
            defer { timer = nil }
            return timer == nil ? ENOENT : 0
        }
        guard sockets[Int32(truncatingIfNeeded: change.ident)] != nil else { return EBADF }
        if change.flags.contains(.add) {
            if !filters.contains(filter) { filters.append(filter) }
            return 0
        }
        guard let index = filters.firstIndex(of: filter) else { return ENOENT }
        filters.remove(at: index)
        return 0
    }

    private func event(of filter: Filter) -> KernelEvent? {
        guard let socket = sockets[Int32(truncatingIfNeeded: filter.ident)] else { return nil }
        var event = KernelEvent(ident: filter.ident, filter: filter.filter, flags: .add)
        let isAtEnd = filter.filter == .read ? socket.hasPeerFinished : socket.isShutForWriting
        event.data = filter.filter == .read ? socket.unread : socket.space
        if isAtEnd {
            event.flags.insert(.endOfFile)
            event.filterFlags = UInt32(socket.errorNumber)
        }
        return isAtEnd || event.data > 0 || socket.errorNumber != 0 ? event : nil
    }
}
