import Core
import Foundation
import Runner

/// Writes `Reports/<run>/` with every format, the link `Reports/latest` to the newest one, and ``LastRun``.
///
/// Guarantees: a folder of reports is complete or does not exist, and is never changed later. Every run has a
/// separate folder, even when several runs begin in the same second or write at the same time. `latest`
/// always names a complete report, and ``LastRun`` has the results of all runs that were written. When the
/// folder can't be written, ``ReportError`` has the path; the verdict has been printed by then.
package struct ReportFolder {
    let root: String

    package init(_ path: String) { root = path }

    /// - Parameters:
    ///   - passed: results of scenarios that passed, of which `results` has only a summary.
    ///   - startedAt: seconds since 1970 that name the folder, even when the results have no times.
    /// - Returns: the path of the HTML page.
    package func write(
        _ results: RunResults, passed: ResultSpool? = nil, startedAt: Int64
    ) throws(ReportError) -> String {
        var name = ReportFolder.name(startedAt: startedAt, seed: results.seed)
        if let shard = results.shard { name += "-shard-\(shard.ordinal)-of-\(shard.count)" }
        let temporary = PlainFile.temporary(root + "/" + name)
        try ReportFolder.fill(temporary, results, passed, target: root + "/" + name)
        do throws(ReportError) {
            try link(claim(temporary, name))
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
        try updateLastRun(results)
        return root + "/latest/report.html"
    }

    /// Renames the folder to `name`, with a number appended when another run has that name.
    private func claim(_ temporary: String, _ name: String) throws(ReportError) -> String {
        for number in 1...9_999 {
            let free = number == 1 ? name : "\(name)-\(number)"
            if try PlainFile.claim(temporary, as: root + "/" + free) { return free }
        }
        throw ReportError(path: root + "/" + name, why: "the name is taken, and so are all behind it")
    }

    /// Writes every format to a folder, which is replaced if it exists.
    package static func write(_ results: RunResults, to folder: String) throws(ReportError) {
        let files = FileManager.default
        let bare = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let temporary = PlainFile.temporary(bare)
        try fill(temporary, results, nil, target: bare)
        do throws(ReportError) {
            for _ in 0..<100 {
                try? files.removeItem(atPath: bare)
                if try PlainFile.claim(temporary, as: bare) { return }
            }
            throw ReportError(path: bare, why: "others write there")
        } catch {
            try? files.removeItem(atPath: temporary)
            throw error
        }
    }

    /// Writes every format to a new folder; removes the folder on failure.
    ///
    /// - Parameter target: final path of the folder, for errors.
    private static func fill(
        _ folder: String, _ results: RunResults, _ passed: ResultSpool?, target: String
    ) throws(ReportError) {
        do throws(ReportError) {
            try PlainFile.makeFolder(folder)
            for format in ReportFormat.all {
                guard let file = format.file else { continue }
                try PlainFile.write(to: folder + "/" + file) { (sink) throws(ReportError) in
                    try format.write(results, passed: passed, to: sink)
                }
            }
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw ReportError(path: target, why: error.why)
        }
    }

    /// Writes one file, which is complete or not there; creates missing parent folders.
    package static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
        try PlainFile.replace(path) { (sink) throws(ReportError) in try sink(bytes) }
    }

    /// Writes one format to a file, which is complete or not there.
    package static func write(
        _ results: RunResults, passed: ResultSpool? = nil, as format: ReportFormat, to path: String
    ) throws(ReportError) {
        try PlainFile.replace(path) { (sink) throws(ReportError) in
            try format.write(results, passed: passed, to: sink)
        }
    }

    /// Updates ``LastRun`` under a lock, because concurrent runs would lose each other's results.
    private func updateLastRun(_ results: RunResults) throws(ReportError) {
        try PlainFile.withLock(root) { () throws(ReportError) in
            var last = (try? LastRun.read(root)) ?? LastRun()
            last.update(with: results)
            try replace(LastRun.file, last.bytes)
        }
    }

    private func replace(_ name: String, _ bytes: [UInt8]) throws(ReportError) {
        let temporary = PlainFile.temporary(root + "/" + name)
        do throws(ReportError) {
            try PlainFile.write(bytes, to: temporary)
            try PlainFile.move(temporary, to: root + "/" + name)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Replaces the link `latest` atomically; a text file with the name where the system has no links.
    private func link(_ name: String) throws(ReportError) {
        let latest = root + "/latest"
        // `latest` is a folder where the artifacts of a CI job were unpacked.
        if PlainFile.isFolder(latest), !PlainFile.isLink(latest) {
            try? FileManager.default.removeItem(atPath: latest)
        }
        let temporary = PlainFile.temporary(latest)
        guard symlink(name, temporary) == 0 else { return try replace("latest", Array((name + "\n").utf8)) }
        do throws(ReportError) {
            try PlainFile.move(temporary, to: latest)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// `2026-11-20T23-19-28Z-42`, from the wall clock and the seed.
    static func name(startedAt: Int64, seed: UInt64) -> String {
        ISODate.text(OriginTime(seconds: startedAt)).replacingOccurrences(of: ":", with: "-") + "-\(seed)"
    }
}

/// A report that could not be written or read.
package struct ReportError: Error {
    /// Path of the file or folder.
    package var path: String
    /// Reason as part of a sentence.
    package var why: String

    package init(path: String, why: String) {
        self.path = path
        self.why = why
    }
}
