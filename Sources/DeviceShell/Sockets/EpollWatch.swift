#if !canImport(Darwin)
    import Core

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Bionic)
        import Bionic
    #endif
    #if os(Linux) || os(Android)
        import LinuxSystem
    #endif

    /// What a ``Poller`` does with epoll, and a timer whose time continues while the device sleeps.
    struct EpollWatch {
        private let queue: Int32
        /// Readable when a watched descriptor is ready.
        var descriptor: Int32 { queue }
        private var interests: [Int32: Poller.Interest] = [:]
        /// Timer of `CLOCK_BOOTTIME` that ends a wait.
        private let alarm: Int32
        private var isAlarmSet = false
        /// Number of watched descriptors.
        var count: Int { interests.count }
        private var events = [epoll_event](repeating: epoll_event(), count: Poller.maxEvents)

        init() throws(SystemError) {
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
        }

        /// Returns the descriptors to the system.
        func end() {
            close(queue)
            close(alarm)
        }

        /// Replaces the interest in a descriptor. With an empty interest only its failure is reported.
        mutating func watch(_ descriptor: Int32, _ wanted: Poller.Interest) throws(SystemError) {
            let previous = interests[descriptor]
            guard previous != wanted else { return }
            var event = epoll_event()
            event.data.fd = descriptor
            if wanted.contains(.reads) { event.events |= EPOLLIN.rawValue }
            if wanted.contains(.writes) { event.events |= EPOLLOUT.rawValue }
            let call = previous == nil ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            guard epoll_ctl(queue, call, descriptor, &event) == 0 else {
                throw SystemError(errorNumber: errno)
            }
            interests[descriptor] = wanted
        }

        /// Stops watching a descriptor; to be called before it is closed.
        mutating func forget(_ descriptor: Int32) {
            guard interests.removeValue(forKey: descriptor) != nil else { return }
            // An error means that the system does not watch it any more.
            _ = epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, nil)
        }

        /// Waits until a watched descriptor is ready.
        /// - Parameter time: longest wait; nil: no limit.
        /// - Returns: ready descriptors, at most 512; none when the time is over or a signal arrived.
        mutating func wait(_ time: TimeSpan?) throws(SystemError) -> [Poller.Ready] {
            try setAlarm(time)
            let milliseconds: Int32 = time.map { $0 > .zero } ?? true ? -1 : 0
            let count = epoll_wait(queue, &events, Int32(Poller.maxEvents), milliseconds)
            guard count >= 0 else {
                if errno == EINTR { return [] }
                throw SystemError(errorNumber: errno)
            }
            var found: [Poller.Ready] = []
            for event in events.prefix(Int(count)) {
                if let ready = ready(event) { found.append(ready) }
            }
            return found
        }

        /// Sets the timer that ends the next wait; without a limit none is left from before.
        private mutating func setAlarm(_ time: TimeSpan?) throws(SystemError) {
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
        private mutating func ready(_ event: epoll_event) -> Poller.Ready? {
            guard event.data.fd != alarm else {
                // Reading it makes it quiet until it is set again.
                var expirations: UInt64 = 0
                _ = read(alarm, &expirations, MemoryLayout<UInt64>.size)
                isAlarmSet = false
                return nil
            }
            let failed = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
            return Poller.Ready(
                descriptor: event.data.fd, canRead: failed || event.events & EPOLLIN.rawValue != 0,
                canWrite: failed || event.events & EPOLLOUT.rawValue != 0)
        }
    }
#endif
