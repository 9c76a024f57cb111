import Core
import Foundation

/// Records the system calls of a subject's processes with `strace`, and when the steps were performed.
///
/// Promises: one file for each process, whole when ``ended(_:_:)`` has returned; `strace` is not in the
/// process group of the subject, so that a SIGKILL ends the subject alone.
///
/// Throws ``UnavailableRecorder`` where `strace` is not installed. Deliberately not here: what calls mean.
package final class CallRecorder: @unchecked Sendable {
    package struct UnavailableRecorder: Error {
        package let text = "strace is not installed, which records the subject's system calls"
        package let help = "apt-get install strace; other systems than Linux can't record them"
    }

    /// Bytes of one call that are recorded.
    static let largestWrite = 64 << 20

    let program: String
    let folder: String
    /// The recording of one process.
    struct Log {
        let path: String
        /// What state folder and app package had when the process had ended.
        var image: StateImage?
        var package: StateImage?
    }

    /// The real paths of state folder and app package.
    private(set) var root = ""
    private(set) var packageRoot = ""
    private(set) var logs: [Log] = []
    /// The steps that were performed, in order, each with the microseconds since 1970.
    private(set) var steps: [(at: Int64, step: Int)] = []

    package init() throws {
        guard let found = ProgramSearch.path(of: "strace") else { throw UnavailableRecorder() }
        program = found
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent(
                "otalab-recording-\(UUID().uuidString)"
            ).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The program and the arguments that come before the next process's command.
    func nextTracer() -> [String] {
        let path = "\(folder)/\(logs.count + 1)"
        logs.append(Log(path: path))
        return [
            program, "-DD", "-f", "--seccomp-bpf", "-ttt", "-xx", "-y", "-s", "\(CallRecorder.largestWrite)",
            "-e", "signal=none", "-e", "raw=read,readv", "-e",
            "trace=" + RecordedDisk.calls.map { "?" + $0 }.joined(separator: ","), "-o", path,
        ]
    }

    func performed(_ step: Int) {
        steps.append((Int64(Date().timeIntervalSince1970 * 1_000_000), step))
    }

    /// The process has ended: waits until its recording is whole, at most three seconds, and keeps what its
    /// folders have.
    /// - Throws: an error of the file system.
    func ended(_ process: Int32, _ folder: SubjectFolder) throws {
        guard let log = logs.last, log.image == nil else { return }
        waitForEnd(of: process, log.path)
        root = SubjectFolder.realPath(folder.state) ?? folder.state
        packageRoot = SubjectFolder.realPath(folder.package) ?? folder.package
        logs[logs.count - 1].image = try StateImage(folder: folder.state)
        logs[logs.count - 1].package = try StateImage(folder: folder.package)
    }

    private func waitForEnd(of process: Int32, _ log: String) {
        // The first thread ends last, so that its line is among the last ones.
        let end = "\(process) "
        for _ in 0..<600 {
            if CallRecorder.lastLines(of: log).contains(where: { $0.hasPrefix(end) && $0.contains("+++ ") }) {
                return
            }
            usleep(5_000)
        }
    }

    private static func lastLines(of path: String) -> [Substring] {
        guard let file = Foundation.FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? file.close() }
        let size = (try? file.seekToEnd()) ?? 0
        try? file.seek(toOffset: size > 4_096 ? size - 4_096 : 0)
        let bytes = (try? file.readToEnd()) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
