import Core

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// The system calls behind ``PosixDisk``, repeated when a signal interrupts them. A call returns the system's
/// result or throws a ``SystemError`` with `errno`.
enum SystemCalls {
    /// Opens a file without following a symlink in the last component and without blocking on a pipe; the
    /// descriptor is not inherited by child processes.
    /// - Parameter mode: access to a file that the call creates.
    static func openFile(at root: Int32, _ path: String, _ flags: Int32, _ mode: UInt32 = 0o600)
        throws(SystemError) -> Int32
    {
        let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return try answer { openat(root, path, all, mode_t(mode)) }
    }

    static func openDirectory(at root: Int32, _ path: String) throws(SystemError) -> Int32 {
        // The empty path is the root itself.
        let name = path.isEmpty ? "." : path
        return try answer { openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    /// Opens the root of a volume; its path may contain symlinks.
    static func openRoot(_ path: String) throws(SystemError) -> Int32 {
        try answer { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// A second descriptor of the same open file. It is not inherited by child processes.
    static func duplicate(_ descriptor: Int32) throws(SystemError) -> Int32 {
        try answer { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
    }

    /// Closes a descriptor. Not repeated after a signal, because Linux has closed the descriptor by then and
    /// its number may have been reused.
    static func closeFile(_ descriptor: Int32) throws(SystemError) {
        if close(descriptor) != 0 && errno != EINTR { throw SystemError(errorNumber: errno) }
    }

    /// Closes a descriptor without reporting errors, which matter only after writes.
    static func closeQuietly(_ descriptor: Int32) {
        do { try closeFile(descriptor) } catch {}
    }

    /// Reads until `buffer` is full or the file ends.
    static func readFully(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int)
        throws(SystemError) -> Int
    {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let position = off_t(offset + filled)
            let count = try answer { pread(descriptor, rest.baseAddress, rest.count, position) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    static func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int)
        throws(SystemError) -> Int
    {
        try answer { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    static func resize(_ descriptor: Int32, to size: Int) throws(SystemError) {
        _ = try answer { ftruncate(descriptor, off_t(size)) }
    }

    /// Writes a file's data to the storage medium. Apple's `fsync` stops at the drive's cache, so it is only
    /// used where the volume has no full sync. An error of the full sync is thrown, because a second try
    /// could hide it.
    static func syncFully(_ descriptor: Int32) throws(SystemError) {
        #if canImport(Darwin)
            do {
                _ = try answer { fcntl(descriptor, F_FULLFSYNC) }
                return
            } catch
                where error.errorNumber != ENOTSUP && error.errorNumber != EINVAL
                && error.errorNumber != ENOTTY
            {
                throw error
            } catch {}
        #endif
        _ = try answer { fsync(descriptor) }
    }

    static func status(of descriptor: Int32) throws(SystemError) -> FileStatus {
        var info = stat()
        _ = try answer { fstat(descriptor, &info) }
        return fileStatus(info)
    }

    static func status(at root: Int32, _ path: String) throws(SystemError) -> FileStatus {
        if path.isEmpty { return try status(of: root) }
        var info = stat()
        _ = try answer { fstatat(root, path, &info, AT_SYMLINK_NOFOLLOW) }
        return fileStatus(info)
    }

    private static func fileStatus(_ info: stat) -> FileStatus {
        switch info.st_mode & S_IFMT {
        case S_IFREG: FileStatus(kind: .file, size: Int(clamping: info.st_size))
        case S_IFDIR: FileStatus(kind: .directory, size: 0)
        default: FileStatus(kind: .other, size: 0)
        }
    }

    /// Names in a directory, in the system's order. Takes ownership of the descriptor and closes it.
    static func names(in descriptor: Int32) throws(SystemError) -> [String] {
        guard let stream = fdopendir(descriptor) else {
            let error = SystemError(errorNumber: errno)
            close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError(errorNumber: errno) }
                return names
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    String(validatingCString: $0)
                }
            }
            // A name that is not valid UTF-8 could not be opened.
            guard let name else { throw SystemError(errorNumber: EILSEQ) }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    static func makeDirectory(at root: Int32, _ path: String, _ mode: UInt32) throws(SystemError) {
        _ = try answer { mkdirat(root, path, mode_t(mode)) }
    }

    static func move(at root: Int32, _ source: String, _ target: String) throws(SystemError) {
        _ = try answer { renameat(root, source, root, target) }
    }

    static func unlinkFile(at root: Int32, _ path: String) throws(SystemError) {
        do {
            _ = try answer { unlinkat(root, path, 0) }
        } catch {
            // For a directory POSIX specifies EPERM, Linux returns EISDIR.
            if error.errorNumber == EPERM, try status(at: root, path).kind == .directory {
                throw SystemError(errorNumber: EISDIR)
            }
            throw error
        }
    }

    static func unlinkDirectory(at root: Int32, _ path: String) throws(SystemError) {
        _ = try answer { unlinkat(root, path, AT_REMOVEDIR) }
    }

    /// Takes an exclusive lock; fails at once when another process has it.
    static func lockNow(_ descriptor: Int32) throws(SystemError) {
        _ = try answer { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// A network or user-space file system may report any number of blocks and any size of one.
    static func freeBytes(_ descriptor: Int32) throws(SystemError) -> UntrustedInteger {
        var info = statvfs()
        _ = try answer { fstatvfs(descriptor, &info) }
        return freeBytes(info)
    }

    static func freeBytes(_ info: statvfs) -> UntrustedInteger {
        UntrustedInteger(info.f_bavail).multiplied(by: UntrustedInteger(info.f_frsize))
    }

    /// Result of a call, which is repeated when a signal interrupts it.
    static func answer<Number: SignedInteger>(_ call: () -> Number) throws(SystemError) -> Number {
        while true {
            let number = call()
            if number >= 0 { return number }
            let code = errno
            if code != EINTR { throw SystemError(errorNumber: code) }
        }
    }
}

/// Flags of `openat` for each way of opening a file.
enum FileFlags {
    static let read = O_RDONLY
    static let update = O_RDWR
    static let create = O_RDWR | O_CREAT | O_EXCL
    static let lock = O_RDWR | O_CREAT
}

/// The failure of a system call.
package struct SystemError: Error {
    /// `errno`.
    package let errorNumber: Int32

    static let isADirectory = SystemError(errorNumber: EISDIR)
    static let notAFile = SystemError(errorNumber: EINVAL)

    var code: DiskError.Code {
        switch errorNumber {
        case ENOENT: .notFound
        case EEXIST: .exists
        case ENOTDIR: .notADirectory
        case EISDIR: .isADirectory
        case ENOTEMPTY: .notEmpty
        case ENOSPC: .noSpace
        case EDQUOT: .quota
        case EIO: .inputOutput
        case EACCES, EPERM: .denied
        case EROFS: .readOnly
        case EXDEV: .crossDevice
        case EMFILE, ENFILE: .tooManyOpen
        case ENAMETOOLONG: .nameTooLong
        case EINTR: .interrupted
        case EAGAIN: .locked
        case EBADF: .badHandle
        case EINVAL, EILSEQ: .invalid
        case ENOMEM: .noMemory
        case EFBIG: .tooBig
        default: .other
        }
    }
}
