import Foundation

/// Calls a closure on SIGINT or SIGTERM, on a separate thread that sleeps until then.
///
/// Not a dispatch source, because on Linux the library that waits for it wakes up every second, and an idle
/// app should never wake up.
enum StopSignals {
    /// The pipe that the signal handler writes to; little else is async-signal-safe.
    private static let ends: (reading: Int32, writing: Int32) = {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }()

    /// Installs the handlers. The first signal calls the closure; a second one ends the process, because its
    /// default action is restored.
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
        // The parent process may have blocked them, and this one inherits that.
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
