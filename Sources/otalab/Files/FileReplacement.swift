import Foundation

/// Replaces a file's content atomically.
///
/// Guarantees: a reader that opens the path sees the old content or the new one. Permissions stay. A symbolic
/// link stays; the file that it points to is replaced. After an error the old file is unchanged and no
/// temporary file is left. Deliberately not here: keeping the owner, if that is another user.
enum FileReplacement {
    struct Failure: Error {
        var why: String
    }

    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var status = stat()
        guard stat(target, &status) == 0 else { throw failure() }
        // A read-only file stays, although the permissions of its folder would allow to replace it.
        guard access(target, W_OK) == 0 else { throw failure() }
        let temporary = target + ".otalab-\(getpid())"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw failure() }
        var isDone = false
        defer {
            close(file)
            if !isDone { unlink(temporary) }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    Darwin.write(file, buffer.baseAddress, buffer.count)
                #else
                    Glibc.write(file, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            rest = rest.dropFirst(count)
        }
        guard fchmod(file, status.st_mode & 0o7777) == 0, fsync(file) == 0, rename(temporary, target) == 0
        else { throw failure() }
        isDone = true
    }

    private static func failure() -> Failure { Failure(why: String(cString: strerror(errno))) }
}
