import Core

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

    /// Most descriptors that one ``wait(_:)`` returns: more than an app has open as a rule, so that all that
    /// are ready are known at once.
    package static let maxEvents = 512

    #if canImport(Darwin)
        private var system: KqueueWatch<SystemKqueue>
    #else
        private var system: EpollWatch
    #endif

    package init() throws(SystemError) {
        #if canImport(Darwin)
            system = KqueueWatch(try SystemKqueue())
        #else
            system = try EpollWatch()
        #endif
    }

    deinit { system.end() }

    /// Descriptor of the poller, readable when a watched one is ready, so that one poller can watch another.
    package var descriptor: Int32 { system.descriptor }

    /// Number of watched descriptors.
    package var count: Int { system.count }

    /// Replaces the interest in a descriptor. With an empty interest only its failure is reported, and by
    /// kqueue not even that.
    package func watch(_ descriptor: Int32, _ wanted: Interest) throws(SystemError) {
        try system.watch(descriptor, wanted)
    }

    /// Stops watching a descriptor; to be called before it is closed.
    package func forget(_ descriptor: Int32) { system.forget(descriptor) }

    /// Waits until a watched descriptor is ready.
    /// - Parameter time: longest wait; nil: no limit.
    /// - Returns: ready descriptors, at most 512; none when the time is over or a signal arrived.
    package func wait(_ time: TimeSpan?) throws(SystemError) -> [Ready] { try system.wait(time) }
}
