#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Runs system calls that may block for seconds beside the loop, each on a thread that ends with them.
///
/// Not a Dispatch queue, because on Linux its thread pool wakes up every second after its first use.
package enum DetachedThread {
    /// - Returns: false when the system has no memory or no thread left; `body` is not called then.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let work = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        guard pthread_create(&thread, nil, DetachedThread.begin, work.toOpaque()) == 0 else {
            work.release()
            return false
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
        private static let begin: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run()
            return nil
        }
    #else
        private static let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            if let work = $0 { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
            return nil
        }
    #endif
}
