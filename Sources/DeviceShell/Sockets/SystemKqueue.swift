#if canImport(Darwin)
    import Darwin

    /// The system's kqueue. Whoever made it calls ``end()``.
    struct SystemKqueue: KernelQueue {
        let descriptor: Int32
        private var events: [kevent] = Array(repeating: kevent(), count: Poller.maxEvents)

        /// - Throws: the system's `errno`.
        init() throws(SystemError) {
            descriptor = kqueue()
            guard descriptor >= 0 else { throw SystemError(errorNumber: errno) }
        }

        /// Returns the descriptor to the system.
        func end() { close(descriptor) }

        mutating func exchange(_ changes: [KernelEvent], limit: Int, waits: Bool) throws(SystemError)
            -> [KernelEvent]
        {
            let list = changes.map { change in
                kevent(
                    ident: change.ident, filter: change.filter.rawValue, flags: change.flags.rawValue,
                    fflags: change.filterFlags, data: change.data, udata: nil)
            }
            var none = timespec()
            let room = Int32(min(limit, events.count))
            let count =
                waits
                ? kevent(descriptor, list, Int32(list.count), &events, room, nil)
                : kevent(descriptor, list, Int32(list.count), &events, room, &none)
            guard count >= 0 else { throw SystemError(errorNumber: errno) }
            return events.prefix(Int(count)).map { event in
                KernelEvent(
                    ident: event.ident, filter: KernelEvent.Filter(rawValue: event.filter),
                    flags: KernelEvent.Flags(rawValue: event.flags), filterFlags: event.fflags,
                    data: event.data)
            }
        }
    }
#endif
