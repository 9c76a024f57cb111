import Core
import Foundation
import Runner

/// `Reports/<run>/` with every format, `Reports/latest` that names the newest, and what `--failed` reads.
///
/// VerificationSummary: a folder of reports is there whole or not at all, and is never added to; every run
/// has one that no other run has, also where several begin in one second or write at once. `latest` names a
/// whole report at every moment, and what `--failed` reads has the results of all runs that were written.
/// What can go wrong: the folder can't be written (``ReportError`` with the place); the verdict has been
/// printed by then.
package struct ReportFolder {
    let root: String

    package init(_ path: String) { root = path }

    /// - Parameter startedAt: names the folder, also where the results don't tell times.
    /// - Returns: the path of the HTML page.
    package func write(_ results: RunResults, startedAt: Int64) throws(ReportError) -> String {
        var name = ReportFolder.name(startedAt: startedAt, seed: results.seed)
        if let shard = results.shard { name += "-shard-\(shard.number)-of-\(shard.count)" }
        let half = PlainFile.unfinished(root + "/" + name)
        try ReportFolder.fill(half, results, told: root + "/" + name)
        do throws(ReportError) {
            try link(claim(half, name))
        } catch {
            try? FileManager.default.removeItem(atPath: half)
            throw error
        }
        try remember(results)
        return root + "/latest/report.html"
    }

    /// The name itself, or with a number behind it where another run has it.
    private func claim(_ half: String, _ name: String) throws(ReportError) -> String {
        for number in 1...9_999 {
            let free = number == 1 ? name : "\(name)-\(number)"
            if try PlainFile.claim(half, as: root + "/" + free) { return free }
        }
        throw ReportError(place: root + "/" + name, why: "the name is taken, and so are all behind it")
    }

    /// Every format in this folder, which is replaced if it is there.
    package static func write(_ results: RunResults, to folder: String) throws(ReportError) {
        let files = FileManager.default
        let bare = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let half = PlainFile.unfinished(bare)
        try fill(half, results, told: bare)
        do throws(ReportError) {
            for _ in 0..<100 {
                try? files.removeItem(atPath: bare)
                if try PlainFile.claim(half, as: bare) { return }
            }
            throw ReportError(place: bare, why: "others write there")
        } catch {
            try? files.removeItem(atPath: half)
            throw error
        }
    }

    /// Every format in a new folder, or none.
    ///
    /// - Parameter told: the place that an error names.
    private static func fill(
        _ folder: String, _ results: RunResults, told: String
    ) throws(ReportError) {
        do throws(ReportError) {
            try PlainFile.makeFolder(folder)
            for format in ReportFormat.all {
                guard let file = format.file else { continue }
                try PlainFile.write(format.bytes(results), to: folder + "/" + file)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw ReportError(place: told, why: error.why)
        }
    }

    /// One format to a file; folders on the way are made.
    package static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
        try PlainFile.write(bytes, to: path)
    }

    /// What is there is read and written by one run at a time, or the results of the others were lost.
    private func remember(_ results: RunResults) throws(ReportError) {
        try PlainFile.alone(root) { () throws(ReportError) in
            var last = (try? LastRun.read(root)) ?? LastRun()
            last.take(results)
            try replace(LastRun.file, last.bytes)
        }
    }

    private func replace(_ name: String, _ bytes: [UInt8]) throws(ReportError) {
        let half = PlainFile.unfinished(root + "/" + name)
        do throws(ReportError) {
            try PlainFile.write(bytes, to: half)
            try PlainFile.move(half, to: root + "/" + name)
        } catch {
            unlink(half)
            throw error
        }
    }

    /// A link; where the system has none, a text file with the name. It is replaced in one moment.
    private func link(_ name: String) throws(ReportError) {
        let latest = root + "/latest"
        // A copy of a report, as artifacts of a CI are unpacked.
        if PlainFile.isFolder(latest), !PlainFile.isLink(latest) {
            try? FileManager.default.removeItem(atPath: latest)
        }
        let half = PlainFile.unfinished(latest)
        guard symlink(name, half) == 0 else { return try replace("latest", Array((name + "\n").utf8)) }
        do throws(ReportError) {
            try PlainFile.move(half, to: latest)
        } catch {
            unlink(half)
            throw error
        }
    }

    /// `2026-11-20T23-19-28Z-42`, of the wall clock and the seed.
    static func name(startedAt: Int64, seed: UInt64) -> String {
        ISODate.text(OriginTime(seconds: startedAt)).replacingOccurrences(of: ":", with: "-") + "-\(seed)"
    }
}

package struct ReportError: Error {
    package var place: String
    package var why: String

    package init(place: String, why: String) {
        self.place = place
        self.why = why
    }
}
