#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// A pipe to oneself: whoever rings wakes the thread that waits for its other end.
package final class WakeUp: Sendable {
    package let listening: Int32
    private let ringing: Int32

    package init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        listening = ends[0]
        ringing = ends[1]
    }

    deinit {
        close(listening)
        close(ringing)
    }

    /// From any thread, and from a signal handler. A full pipe has been rung often enough.
    package func ring() {
        var byte: UInt8 = 1
        _ = write(ringing, &byte, 1)
    }

    /// All rings so far are heard.
    package func hear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(listening, &bytes, bytes.count) > 0 {}
    }
}
