import Foundation

/// Puts new bytes in the place of a file's old ones, whole or not at all.
///
/// VerificationSummary: whoever opens the path sees the old file or the new one; permissions stay; a link
/// still leads to the file, whose content it is that changes. What can go wrong leaves the old file and no
/// other one beside it. Deliberately not here: the owner, where that is another user.
enum FileReplacement {
    struct Failure: Error {
        var why: String
    }

    static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var status = stat()
        guard stat(target, &status) == 0 else { throw failure() }
        // A file that may not be written stays, although its folder would let it be replaced.
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
