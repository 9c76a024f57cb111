import Foundation

/// Wall-clock microseconds between two calls of ``lap()``. Thread-safe.
final class ElapsedTime: @unchecked Sendable {
    private let lock = NSLock()
    private var last = Date()

    /// Processor time of all threads of this process so far.
    static var processorSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    func lap() -> Int64 {
        lock.withLock {
            let now = Date()
            defer { last = now }
            return Int64(now.timeIntervalSince(last) * 1_000_000)
        }
    }
}
