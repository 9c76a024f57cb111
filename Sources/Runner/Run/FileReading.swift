import Foundation
import ScenarioLanguage

/// Reads a file that people write, or says in a sentence why it can't be read.
///
/// Guarantees: it ends, and soon. No more is read than the reader takes, and one byte to see that
/// there is more: a device that never ends does not end the program. A pipe is read while somebody writes
/// into it (`otalab lint <(make-scenario)`) and given up when nothing comes for ``patience``.
package enum FileReading {
    package struct Fault: Error, Hashable, Sendable {
        /// One sentence without a full stop: "this is a folder".
        package var why: String
        /// What to do next; nil where nothing is to be said.
        package var help: String?
    }

    /// Milliseconds.
    package static let patience: Int32 = 2_000

    package static func bytes(at path: String) -> Result<[UInt8], Fault> {
        // A pipe nobody writes into would stop a plain open for ever.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return .failure(fault(errno, path)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return .failure(fault(errno, path)) }
        if status.st_mode & S_IFMT == S_IFDIR {
            return .failure(Fault(why: "this is a folder, not a file", help: "name a file in it"))
        }
        return read(file, path)
    }

    private static func read(_ file: Int32, _ path: String) -> Result<[UInt8], Fault> {
        let most = ScenarioReader.limits.maxBytes + 1
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < most {
            let count = piece.withUnsafeMutableBytes {
                Foundation.read(file, $0.baseAddress, min($0.count, most - bytes.count))
            }
            if count == 0 { break }
            if count > 0 {
                bytes += piece[..<count]
                continue
            }
            if errno == EINTR { continue }
            guard errno == EAGAIN else { return .failure(fault(errno, path)) }
            var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            if poll(&wait, 1, patience) == 0 {
                return .failure(Fault(why: "this is a pipe into which nobody writes", help: nil))
            }
        }
        return .success(bytes)
    }

    private static func fault(_ code: Int32, _ path: String) -> Fault {
        switch code {
        case ENOENT:
            var status = stat()
            let isLink = lstat(path, &status) == 0
            return Fault(why: isLink ? "this is a link to nothing" : "there is nothing there", help: nil)
        case EACCES, EPERM:
            return Fault(why: "may not be read", help: "look at its permissions: ls -l \(path)")
        default: return Fault(why: "can't be read (\(String(cString: strerror(code))))", help: nil)
        }
    }
}
