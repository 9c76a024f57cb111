import Foundation

/// Runs blocking work on a thread of its own: a run of a subject waits for sockets and processes most of the
/// time, and must not block a thread of the pool for tasks.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
