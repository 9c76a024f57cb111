import Core
import Foundation
import Runner

/// Serialized results of scenarios that passed, in a file without a name, from the end of each run until
/// `results.json` is written. A run of many scenarios then keeps little of each in memory, and a process that
/// is killed leaves no file behind.
///
/// Guarantees: a result that can't be written is reported as such, so that the caller keeps it. May be called
/// from many threads.
package final class ResultSpool: @unchecked Sendable {
    private let lock = NSLock()
    private let file: Int32
    /// Whether wall-clock times are written as zero.
    private let leavesOutTimes: Bool
    private var size: Int64 = 0
    /// Position and length in bytes of each result, by ``ScenarioResult/selectionIndex``.
    private var parts: [Int: (offset: Int64, count: Int)] = [:]

    /// Nil if the folder for temporary files can't be written.
    package init?(leavesOutTimes: Bool) {
        self.leavesOutTimes = leavesOutTimes
        let path = PlainFile.temporary(FileManager.default.temporaryDirectory.path + "/otalab-results")
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file < 0 { return nil }
        unlink(path)
    }

    deinit { close(file) }

    /// - Returns: whether the result was written.
    package func add(_ result: ScenarioResult) -> Bool {
        var result = result
        if leavesOutTimes { result.wall = WallTimes() }
        let bytes = ResultsJSON.element(result)
        return lock.withLock {
            guard write(bytes, at: size) else { return false }
            parts[result.selectionIndex] = (size, bytes.count)
            size += Int64(bytes.count)
            return true
        }
    }

    /// The serialized result; nil if it was not added.
    func bytes(of result: ScenarioResult) throws(ReportError) -> [UInt8]? {
        guard let part = lock.withLock({ parts[result.selectionIndex] }) else { return nil }
        var bytes = [UInt8](repeating: 0, count: part.count)
        var filled = 0
        while filled < part.count {
            let offset = off_t(part.offset) + off_t(filled)
            let count = bytes[filled...].withUnsafeMutableBytes {
                pread(file, $0.baseAddress, $0.count, offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw ReportError(
                    path: "results.json", why: "the result of \(result.name) can't be read back")
            }
            filled += count
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], at offset: Int64) -> Bool {
        var written = 0
        while written < bytes.count {
            let position = off_t(offset) + off_t(written)
            let count = bytes[written...].withUnsafeBytes {
                pwrite(file, $0.baseAddress, $0.count, position)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }
}
