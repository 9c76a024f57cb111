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
#if os(Linux) || os(Android)
    import LinuxSystem
#endif

/// Waits until one of many descriptors can be read or written: epoll on Linux and Android, kqueue on Apple's
/// systems. Level-triggered: what was not read is told again.
///
/// An idle poller costs nothing: it sleeps until something happens or the given time is over, and there is no
/// tick. What can go wrong is the system's `errno`. One thread at a time.
package final class Poller {
    package struct Ready {
        package var descriptor: Int32
        package var canRead: Bool
        package var canWrite: Bool
    }

    package struct Interest: OptionSet {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let reads = Interest(rawValue: 1)
        package static let writes = Interest(rawValue: 2)
    }

    private let queue: Int32
    /// Can be read itself when something is ready: one poller can wait for another.
    package var descriptor: Int32 { queue }
    private var interests: [Int32: Interest] = [:]
    /// Told of at one ``wait(_:)``.
    private static let most = 64

    package init() throws(SystemError) {
        #if canImport(Darwin)
            queue = kqueue()
        #else
            queue = epoll_create1(Int32(EPOLL_CLOEXEC))
        #endif
        guard queue >= 0 else { throw SystemError(number: errno) }
    }

    deinit { close(queue) }

    /// What is wanted of a descriptor from now on. With nothing wanted it stays known, and is not told of but
    /// for its failure.
    package func watch(_ descriptor: Int32, _ wanted: Interest) throws(SystemError) {
        let former = interests[descriptor]
        guard former != wanted else { return }
        #if canImport(Darwin)
            try change(descriptor, EVFILT_READ, .reads, former ?? [], wanted)
            try change(descriptor, EVFILT_WRITE, .writes, former ?? [], wanted)
        #else
            var event = epoll_event()
            event.data.fd = descriptor
            if wanted.contains(.reads) { event.events |= EPOLLIN.rawValue }
            if wanted.contains(.writes) { event.events |= EPOLLOUT.rawValue }
            let call = former == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            guard epoll_ctl(queue, call, descriptor, &event) == 0 else { throw SystemError(number: errno) }
        #endif
        interests[descriptor] = wanted
    }

    /// To be called before the descriptor is closed.
    package func forget(_ descriptor: Int32) {
        guard let former = interests.removeValue(forKey: descriptor) else { return }
        // An error says that the system has forgotten it already.
        #if canImport(Darwin)
            do {
                try change(descriptor, EVFILT_READ, .reads, former, [])
                try change(descriptor, EVFILT_WRITE, .writes, former, [])
            } catch {}
        #else
            _ = former
            _ = epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, nil)
        #endif
    }

    /// - Parameter time: at most so long, rounded up to the clock's grain; nil: until something happens.
    package func wait(_ time: TimeSpan?) throws(SystemError) -> [Ready] {
        #if canImport(Darwin)
            var events = [kevent](repeating: kevent(), count: Poller.most)
            var limit = timespec()
            if let time {
                limit.tv_sec = Int(max(time.microseconds, 0) / 1_000_000)
                limit.tv_nsec = Int(max(time.microseconds, 0) % 1_000_000) * 1_000
            }
            let count =
                time == nil
                ? kevent(queue, nil, 0, &events, Int32(Poller.most), nil)
                : kevent(queue, nil, 0, &events, Int32(Poller.most), &limit)
        #else
            var events = [epoll_event](repeating: epoll_event(), count: Poller.most)
            let milliseconds = time.map { Int32(clamping: (max($0.microseconds, 0) + 999) / 1_000) } ?? -1
            let count = epoll_wait(queue, &events, Int32(Poller.most), milliseconds)
        #endif
        guard count >= 0 else {
            if errno == EINTR { return [] }
            throw SystemError(number: errno)
        }
        return events.prefix(Int(count)).map(Poller.ready)
    }

    #if canImport(Darwin)
        private func change(
            _ descriptor: Int32, _ filter: Int, _ what: Interest, _ former: Interest, _ wanted: Interest
        ) throws(SystemError) {
            guard former.contains(what) != wanted.contains(what) else { return }
            var event = kevent(
                ident: UInt(descriptor), filter: Int16(filter),
                flags: UInt16(wanted.contains(what) ? EV_ADD : EV_DELETE), fflags: 0, data: 0, udata: nil)
            guard kevent(queue, &event, 1, nil, 0, nil) == 0 else { throw SystemError(number: errno) }
        }

        private static func ready(_ event: kevent) -> Ready {
            let isRead = Int32(event.filter) == EVFILT_READ
            return Ready(descriptor: Int32(event.ident), canRead: isRead, canWrite: !isRead)
        }
    #else
        /// A failed or hung-up descriptor counts as both: the next call on it says what is wrong.
        private static func ready(_ event: epoll_event) -> Ready {
            let failed = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
            return Ready(
                descriptor: event.data.fd, canRead: failed || event.events & EPOLLIN.rawValue != 0,
                canWrite: failed || event.events & EPOLLOUT.rawValue != 0)
        }
    #endif
}
