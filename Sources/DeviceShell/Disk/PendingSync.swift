import Core

/// A sync of a file or directory that another thread can perform. It owns its file descriptor, so that a
/// closed file or a deallocated disk never leaves it with a descriptor that the system has reused.
///
/// For a file, this is a duplicate of the disk's descriptor (`F_DUPFD_CLOEXEC`); both belong to one open file
/// description. Linux reports a write-back error once for each description (since 4.13), so the duplicate
/// reports the errors of writes through the disk's descriptor. A file opened anew would not do: its
/// description begins after an error that was reported before, and the file may have another name by then.
/// A lock on the file (`flock`) belongs to the description too and is held until the sync has ended.
///
/// A directory is opened when the sync begins, as any other call of the disk opens one, so that a rename
/// before the sync is performed does not change what is made durable.
package final class PendingSync: Sendable {
    private let descriptor: Int32
    private let call: DiskCall
    /// Directory whose names are made durable; nil for a file.
    package let path: DiskPath?

    /// - Parameter descriptor: is closed with this object.
    init(owning descriptor: Int32, _ call: DiskCall, _ path: DiskPath? = nil) {
        self.descriptor = descriptor
        self.call = call
        self.path = path
    }

    deinit { SystemCalls.closeQuietly(descriptor) }

    /// Makes the content durable; blocks for as long as the storage medium takes.
    /// - Returns: why it failed; nil when everything that the sync covers is durable.
    package func perform() -> DiskError? {
        do throws(SystemError) {
            try SystemCalls.syncFully(descriptor)
            return nil
        } catch {
            return failure(error.code)
        }
    }

    func failure(_ code: DiskError.Code) -> DiskError { DiskError(code, call, path) }
}
