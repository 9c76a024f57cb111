/// Why a disk call failed, which call it was, and where. Codes follow POSIX `errno` names.
public struct DiskError: Error, Hashable, Sendable {
    /// The `errno` of the call, with its POSIX name as raw value.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        case notFound = "ENOENT"
        case exists = "EEXIST"
        case notADirectory = "ENOTDIR"
        case isADirectory = "EISDIR"
        case notEmpty = "ENOTEMPTY"
        case noSpace = "ENOSPC"
        case quota = "EDQUOT"
        case inputOutput = "EIO"
        case denied = "EACCES"
        case readOnly = "EROFS"
        case crossDevice = "EXDEV"
        case tooManyOpen = "EMFILE"
        case nameTooLong = "ENAMETOOLONG"
        case interrupted = "EINTR"
        case locked = "EAGAIN"
        case badHandle = "EBADF"
        case invalid = "EINVAL"
        case noMemory = "ENOMEM"
        case tooBig = "EFBIG"
        /// Any other `errno`.
        case other = "errno"
    }

    public var code: Code
    /// The call that failed.
    public var call: DiskCall
    /// Path of the call; nil for calls on a handle.
    public var path: DiskPath?

    public init(_ code: Code, _ call: DiskCall, _ path: DiskPath? = nil) {
        self.code = code
        self.call = call
        self.path = path
    }
}

extension DiskError: CustomStringConvertible {
    public var description: String {
        guard let path else { return "\(code.rawValue) in \(call.rawValue)" }
        return "\(code.rawValue) in \(call.rawValue) of \(path)"
    }
}

/// The calls of ``Disk``, as faults, costs and logs name them.
public enum DiskCall: String, Hashable, Sendable, CaseIterable {
    case open, close, read, write, truncate, size, sync, syncDirectory, status, list, makeDirectory
    case rename, remove, removeDirectory, lock, freeSpace
}
