import Foundation

/// SIGINT and SIGTERM as a call on a thread of its own, which sleeps until one comes.
///
/// Not by a dispatch source: on Linux the library that waits for it wakes up every second, and an idle app is
/// to wake up never.
enum StopSignals {
    /// Written to by the handler, which may do little else.
    private static let ends: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// From now on; the first one calls, a second one ends the process as if nobody listened.
    static func onFirst(_ stop: @escaping @Sendable () -> Void) {
        let reading = ends.reading
        guard reading >= 0 else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(StopSignals.ends.writing, &byte, 1)
                signal(number, SIG_DFL)
            }
        }
        // Whoever started us may have blocked them, and a child inherits that.
        var both = sigset_t()
        sigemptyset(&both)
        sigaddset(&both, SIGINT)
        sigaddset(&both, SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &both, nil)
        let thread = Thread {
            var byte: UInt8 = 0
            while true {
                let count = read(reading, &byte, 1)
                if count < 0, errno == EINTR { continue }
                if count == 1 { stop() }
                return
            }
        }
        thread.name = "signals"
        thread.start()
    }
}
