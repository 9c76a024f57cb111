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
/// systems. Level-triggered: unread data is reported again.
///
/// An idle poller uses no CPU: it sleeps until a descriptor is ready or the time limit is over, without a
/// tick. Time limits count the time in which the device sleeps, as ``MonotonicClock`` does: the limit of
/// `epoll_wait` and of `kevent` does not, and a deadline of the clock would be waited for too long by each
/// sleep. Errors are the system's `errno`. One thread at a time.
package final class Poller {
    /// A descriptor that can be read or written without blocking.
    package struct Ready {
        package var descriptor: Int32
        package var canRead: Bool
        package var canWrite: Bool
    }

    /// What a descriptor is watched for.
    package struct Interest: OptionSet {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let reads = Interest(rawValue: 1)
        package static let writes = Interest(rawValue: 2)
    }

    private let queue: Int32
    /// Descriptor of the poller, readable when a watched one is ready, so that one poller can watch another.
    package var descriptor: Int32 { queue }
    private var interests: [Int32: Interest] = [:]
    #if !canImport(Darwin)
        /// Timer of `CLOCK_BOOTTIME` that ends a wait.
        private let alarm: Int32
        private var isAlarmSet = false
    #endif
    /// Number of watched descriptors.
    package var count: Int { interests.count }
    /// Most descriptors that one ``wait(_:)`` returns: more than an app has open as a rule, so that all that
    /// are ready are known at once.
    package static let maxEvents = 512
    #if canImport(Darwin)
        private var events = [kevent](repeating: kevent(), count: Poller.maxEvents)
    #else
        private var events = [epoll_event](repeating: epoll_event(), count: Poller.maxEvents)
    #endif

    package init() throws(SystemError) {
        #if canImport(Darwin)
            queue = kqueue()
            guard queue >= 0 else { throw SystemError(errorNumber: errno) }
        #else
            queue = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard queue >= 0 else { throw SystemError(errorNumber: errno) }
            alarm = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
            var event = epoll_event()
            event.data.fd = alarm
            event.events = EPOLLIN.rawValue
            guard alarm >= 0, epoll_ctl(queue, EPOLL_CTL_ADD, alarm, &event) == 0 else {
                let code = errno
                close(queue)
                if alarm >= 0 { close(alarm) }
                throw SystemError(errorNumber: code)
            }
        #endif
    }

    deinit {
        close(queue)
        #if !canImport(Darwin)
            close(alarm)
        #endif
    }

    /// Replaces the interest in a descriptor. With an empty interest only its failure is reported.
    package func watch(_ descriptor: Int32, _ wanted: Interest) throws(SystemError) {
        let previous = interests[descriptor]
        guard previous != wanted else { return }
        #if canImport(Darwin)
            try change(descriptor, EVFILT_READ, .reads, previous ?? [], wanted)
            try change(descriptor, EVFILT_WRITE, .writes, previous ?? [], wanted)
        #else
            var event = epoll_event()
            event.data.fd = descriptor
            if wanted.contains(.reads) { event.events |= EPOLLIN.rawValue }
            if wanted.contains(.writes) { event.events |= EPOLLOUT.rawValue }
            let call = previous == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            guard epoll_ctl(queue, call, descriptor, &event) == 0 else {
                throw SystemError(errorNumber: errno)
            }
        #endif
        interests[descriptor] = wanted
    }

    /// Stops watching a descriptor; to be called before it is closed.
    package func forget(_ descriptor: Int32) {
        guard let previous = interests.removeValue(forKey: descriptor) else { return }
        // An error means that the system does not watch it any more.
        #if canImport(Darwin)
            do {
                try change(descriptor, EVFILT_READ, .reads, previous, [])
                try change(descriptor, EVFILT_WRITE, .writes, previous, [])
            } catch {}
        #else
            _ = previous
            _ = epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, nil)
        #endif
    }

    /// Waits until a watched descriptor is ready.
    /// - Parameter time: longest wait; nil: no limit.
    /// - Returns: ready descriptors, at most 512; none when the time is over or a signal arrived.
    package func wait(_ time: TimeSpan?) throws(SystemError) -> [Ready] {
        #if canImport(Darwin)
            try setAlarm(time)
            var none = timespec()
            let count =
                time.map { $0 > .zero } ?? true
                ? kevent(queue, nil, 0, &events, Int32(Poller.maxEvents), nil)
                : kevent(queue, nil, 0, &events, Int32(Poller.maxEvents), &none)
        #else
            try setAlarm(time)
            let milliseconds: Int32 = time.map { $0 > .zero } ?? true ? -1 : 0
            let count = epoll_wait(queue, &events, Int32(Poller.maxEvents), milliseconds)
        #endif
        guard count >= 0 else {
            if errno == EINTR { return [] }
            throw SystemError(errorNumber: errno)
        }
        return events.prefix(Int(count)).compactMap(ready)
    }

    #if canImport(Darwin)
        private func change(
            _ descriptor: Int32, _ filter: Int, _ what: Interest, _ previous: Interest, _ wanted: Interest
        ) throws(SystemError) {
            guard previous.contains(what) != wanted.contains(what) else { return }
            var event = kevent(
                ident: UInt(descriptor), filter: Int16(filter),
                flags: UInt16(wanted.contains(what) ? EV_ADD : EV_DELETE), fflags: 0, data: 0, udata: nil)
            guard kevent(queue, &event, 1, nil, 0, nil) == 0 else { throw SystemError(errorNumber: errno) }
        }

        /// Sets the timer that ends the next wait; it fires once. Without a limit none is left from before.
        private func setAlarm(_ time: TimeSpan?) throws(SystemError) {
            if let time, time <= .zero { return }
            let isSet = time != nil
            var event = kevent(
                ident: 0, filter: Int16(EVFILT_TIMER), flags: UInt16(isSet ? EV_ADD | EV_ONESHOT : EV_DELETE),
                fflags: UInt32(NOTE_USECONDS | NOTE_MACH_CONTINUOUS_TIME),
                data: Int(time?.microseconds ?? 0), udata: nil)
            // There is none to delete when the last one has fired.
            guard kevent(queue, &event, 1, nil, 0, nil) == 0 || !isSet else {
                throw SystemError(errorNumber: errno)
            }
        }

        private func ready(_ event: kevent) -> Ready? {
            guard Int32(event.filter) != EVFILT_TIMER else { return nil }
            let isRead = Int32(event.filter) == EVFILT_READ
            return Ready(descriptor: Int32(event.ident), canRead: isRead, canWrite: !isRead)
        }
    #else
        /// Sets the timer that ends the next wait; without a limit none is left from before.
        private func setAlarm(_ time: TimeSpan?) throws(SystemError) {
            if let time, time <= .zero { return }
            guard time != nil || isAlarmSet else { return }
            var span = itimerspec()
            if let time {
                span.it_value.tv_sec = Int(time.microseconds / 1_000_000)
                span.it_value.tv_nsec = Int(time.microseconds % 1_000_000) * 1_000
            }
            guard timerfd_settime(alarm, 0, &span, nil) == 0 else { throw SystemError(errorNumber: errno) }
            isAlarmSet = time != nil
        }

        /// A failed or hung-up descriptor counts as readable and writable; the next call on it returns the
        /// error.
        private func ready(_ event: epoll_event) -> Ready? {
            guard event.data.fd != alarm else {
                // Reading it makes it quiet until it is set again.
                var expirations: UInt64 = 0
                _ = read(alarm, &expirations, MemoryLayout<UInt64>.size)
                isAlarmSet = false
                return nil
            }
            let failed = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
            return Ready(
                descriptor: event.data.fd, canRead: failed || event.events & EPOLLIN.rawValue != 0,
                canWrite: failed || event.events & EPOLLOUT.rawValue != 0)
        }
    #endif
}
