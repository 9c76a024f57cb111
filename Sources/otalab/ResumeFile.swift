import Core
import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// What a sweep has finished (`--resume FILE`), so that the same call continues one that was stopped.
///
/// Promises: the reports of a scenario file are in it as a whole or not at all, also after a power cut. What
/// is taken from it equals what the sweep of the file would report. A scenario file whose text, used files or
/// selected scenarios have changed since is swept again, and so is one of which other cells are tried. A file
/// that another program wrote, or a sweep with another level, seed or set of profiles, is refused with the
/// difference: its reports don't belong to this sweep. Two calls never write to one file. Thread-safe.
///
/// What can go wrong: the file can't be opened, is none of this kind or is in use (``UsageError``, before
/// anything runs); its disk fails or is full later (``fault``, the sweep continues without it).
///
/// Deliberately not here: a part of a scenario file; a folder with a build that a scenario names, which is
/// taken as unchanged; searches that are not bound to files (`explore` is continued by other seeds, and
/// `otalab merge`).
final class ResumeFile: @unchecked Sendable {
    /// What reports of one sweep have in common, as the call names it: `level`, `every 31`.
    struct Setting: Hashable, Sendable {
        var name: String
        var value: String
    }

    private static let head = Array("otalab sweep, version 1\n".utf8)

    let path: String
    private let profiles: [String]
    private let descriptor: Int32
    private let lock = NSLock()
    /// Frames of reports by the key of their scenario file.
    private var known: [Digest256: Frame] = [:]
    /// Length of what is complete.
    private var length = 0
    private var firstFault: ReportError?

    /// Opens the file, or creates it.
    /// - Parameters:
    ///   - settings: those of this call.
    ///   - profiles: names of the device profiles.
    init(_ path: String, _ settings: [Setting], profiles: [String]) throws(UsageError) {
        (self.path, self.profiles) = (path, profiles)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ResumeFile.unusable(path, "can't be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw ResumeFile.unusable(path, "is in use by another call")
        }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw ResumeFile.unusable(path, "can't be read")
        }
        let bytes = [UInt8](content)
        if bytes.isEmpty || (bytes.count < ResumeFile.head.count && ResumeFile.head.starts(with: bytes)) {
            begin(settings)
        } else {
            try read(bytes, settings)
        }
    }

    deinit { close(descriptor) }

    private static func unusable(_ path: String, _ why: String) -> UsageError {
        UsageError(
            message: "\(path) \(why)",
            help: "--resume takes the file of a sweep that was stopped, or a new name")
    }

    // MARK: - Reading

    /// Number of scenario files that it has reports of.
    var count: Int { lock.withLock { known.count } }

    /// The first error of its disk.
    var fault: ReportError? { lock.withLock { firstFault } }

    /// The reports of the scenarios of one file; nil where they are to be swept.
    /// - Parameter cells: ids of those that the sweep tries; nil: all.
    func reports(of plans: [RunPlan], _ cells: Set<UInt64>?) -> [SweepReport]? {
        guard let frame = lock.withLock({ known[ResumeFile.key(of: plans, cells)] }) else { return nil }
        return try? WorkerMessage.swept(frame, of: plans, profiles: profiles)
    }

    private func read(_ bytes: [UInt8], _ settings: [Setting]) throws(UsageError) {
        guard bytes.starts(with: ResumeFile.head) else {
            throw ResumeFile.unusable(path, "was not written by otalab sweep --resume")
        }
        length = ResumeFile.head.count
        var first: Frame?
        while let (record, end) = ResumeFile.record(in: bytes, at: length) {
            length = end
            if first == nil {
                try compare(record, settings)
                first = record
            } else if record.parts.count == 2, let key = Digest256(hex: WorkerMessage.text(record.parts[0])),
                let reports = try? Frame(body: record.parts[1][...])
            {
                known[key] = reports
            }
        }
        if first == nil { return begin(settings) }
        // What follows was not written completely.
        ftruncate(descriptor, off_t(length))
    }

    private func compare(_ record: Frame, _ settings: [Setting]) throws(UsageError) {
        let texts = record.parts.map { WorkerMessage.text($0) }
        for (index, setting) in settings.enumerated() {
            let value = texts.indices.contains(2 * index + 1) ? texts[2 * index + 1] : ""
            guard texts.indices.contains(2 * index), texts[2 * index] == setting.name else {
                throw ResumeFile.unusable(path, "is of another version of otalab")
            }
            if value != setting.value {
                let difference =
                    setting.value.count > 40
                    ? "another \(setting.name)"
                    : "\(setting.name) \(value), this call has \(setting.value)"
                throw UsageError(
                    message: "\(path) is of a sweep with \(difference)",
                    help: "its reports don't belong to this sweep: call it as before, or name a new file")
            }
        }
    }

    /// The record at an offset, and the offset after it; nil where none is complete.
    private static func record(in bytes: [UInt8], at offset: Int) -> (Frame, Int)? {
        guard bytes.count - offset >= 4 else { return nil }
        let count = Frame.length(bytes[offset...])
        let end = offset + 4 + count
        guard count > 0, count <= Frame.maxBytes, end <= bytes.count,
            let sealed = try? Frame(body: bytes[(offset + 4)..<end]), sealed.parts.count == 2,
            SHA256.hash(of: sealed.parts[1]).hex == WorkerMessage.text(sealed.parts[0]),
            let record = try? Frame(body: sealed.parts[1][...])
        else { return nil }
        return (record, end)
    }

    // MARK: - Writing

    /// Keeps the reports of the scenarios of one file; nothing, after an error of the disk.
    func add(_ reports: [SweepReport], of plans: [RunPlan], _ cells: Set<UInt64>?) {
        let frame = WorkerMessage.swept(reports)
        let key = ResumeFile.key(of: plans, cells)
        lock.withLock {
            known[key] = frame
            append(Frame([Array(key.hex.utf8), frame.body]))
        }
    }

    private func begin(_ settings: [Setting]) {
        length = 0
        ftruncate(descriptor, 0)
        append(ResumeFile.head)
        append(Frame(settings.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }))
    }

    private func append(_ record: Frame) {
        let body = record.body
        append(Frame([Array(SHA256.hash(of: body).hex.utf8), body]).bytes)
    }

    /// Appends bytes as a whole, or notes the fault and leaves the file as it was.
    private func append(_ bytes: [UInt8]) {
        guard firstFault == nil else { return }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, off_t(length + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return failed() }
            written += count
        }
        guard fsync(descriptor) == 0 else { return failed() }
        length += bytes.count
    }

    private func failed() {
        firstFault = ReportError(path: path, why: String(cString: strerror(errno)))
        ftruncate(descriptor, off_t(length))
    }

    // MARK: - What it depends on

    /// Of the scenarios of one file: its path and text, those of the files that it uses, their names, and the
    /// cells.
    private static func key(of plans: [RunPlan], _ cells: Set<UInt64>?) -> Digest256 {
        let source = plans[0].scenario.source
        var parts = [Array(source.path.utf8), source.bytes]
        for used in source.included { parts += [Array(used.file.path.utf8), used.file.bytes] }
        parts += plans.map { Array($0.name.utf8) }
        if let cells { parts.append(Array(cells.sorted().map { String($0) }.joined(separator: " ").utf8)) }
        return SHA256.hash(of: Frame(parts).body)
    }

    /// Digest of the program that runs, and of the files of device profiles.
    static func programAndProfiles(_ profiles: ProfileSet) -> [Setting] {
        let program = FileManager.default.contents(atPath: WorkerPool.thisExecutable) ?? Data()
        let files = profiles.files.flatMap { [Array($0.path.utf8), $0.withBytes().bytes] }
        return [
            Setting(name: "program", value: SHA256.hash(of: [UInt8](program)).hex),
            Setting(name: "set of device profiles", value: SHA256.hash(of: Frame(files).body).hex),
        ]
    }
}
