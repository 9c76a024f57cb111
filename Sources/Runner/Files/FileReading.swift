import Foundation
import ScenarioLanguage

/// Reads a file that a user wrote, or explains in one sentence why it can't be read.
///
/// Guarantees: reading ends soon. At most one byte more is read than a scenario file may have, so that an
/// endless device file does not fill the memory. A pipe is read to its end (`otalab lint <(make-scenario)`),
/// unless no bytes arrive for ``pipeTimeout``.
package enum FileReading {
    package struct Fault: Error, Hashable, Sendable {
        /// Reason as one sentence without a full stop: "this is a folder".
        package var why: String
        /// What to do about it, if anything.
        package var help: String?
    }

    /// Milliseconds to wait for bytes of a pipe.
    package static let pipeTimeout: Int32 = 2_000

    package static func bytes(at path: String) -> Result<[UInt8], Fault> {
        // Without O_NONBLOCK, open would wait forever for a pipe that has no writer.
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
            if poll(&wait, 1, pipeTimeout) == 0 {
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
