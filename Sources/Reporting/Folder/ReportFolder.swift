import Core
import Foundation
import Runner

/// `Reports/<run>/` with every format, `Reports/latest` that names the newest, and what `--failed` reads.
///
/// Promises: a folder of reports is there whole or not at all, and is never added to. What can go wrong:
/// the folder can't be written (``ReportError`` with the place); the verdict has been printed by then.
package struct ReportFolder {
    let root: String

    package init(_ path: String) { root = path }

    /// - Parameter startedAt: names the folder, also where the results don't tell times.
    /// - Returns: the path of the HTML page.
    package func write(_ results: RunResults, startedAt: Int64) throws(ReportError) -> String {
        var name = ReportFolder.name(startedAt: startedAt, seed: results.seed)
        if let shard = results.shard { name += "-shard-\(shard.number)-of-\(shard.count)" }
        try ReportFolder.write(results, to: root + "/" + name)
        try link(name)
        try remember(results)
        return root + "/latest/report.html"
    }

    /// Every format in this folder, which is replaced if it is there.
    package static func write(_ results: RunResults, to folder: String) throws(ReportError) {
        let files = FileManager.default
        let bare = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let half = bare + ".unfinished"
        try? files.removeItem(atPath: half)
        do throws(ReportError) {
            try PlainFile.makeFolder(half)
            for format in ReportFormat.all {
                guard let file = format.file else { continue }
                try PlainFile.write(format.bytes(results), to: half + "/" + file)
            }
            try? files.removeItem(atPath: bare)
            try PlainFile.move(half, to: bare)
        } catch {
            try? files.removeItem(atPath: half)
            throw ReportError(place: bare, why: error.why)
        }
    }

    /// One format to a file; folders on the way are made.
    package static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
        try PlainFile.write(bytes, to: path)
    }

    private func remember(_ results: RunResults) throws(ReportError) {
        var last = (try? LastRun.read(root)) ?? LastRun()
        last.take(results)
        let path = root + "/" + LastRun.file
        try PlainFile.write(last.bytes, to: path + ".unfinished")
        try PlainFile.move(path + ".unfinished", to: path)
    }

    /// A link; where the system has none, a text file with the name.
    private func link(_ name: String) throws(ReportError) {
        let latest = root + "/latest"
        let files = FileManager.default
        try? files.removeItem(atPath: latest)
        if symlink(name, latest) != 0 { try PlainFile.write(Array((name + "\n").utf8), to: latest) }
    }

    /// `2026-11-20T23-19-28Z-42`, of the wall clock and the seed.
    static func name(startedAt: Int64, seed: UInt64) -> String {
        UTC.text(startedAt).replacingOccurrences(of: ":", with: "-") + "-\(seed)"
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

/// `2026-11-20T23:19:28Z`, by hand: no locale, no time zone.
enum UTC {
    static func text(_ seconds: Int64) -> String {
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - days * 86_400
        // Howard Hinnant's days_to_civil: eras of 400 years that begin on the first of March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let turned = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * turned + 2) / 5 + 1
        let month = turned < 10 ? turned + 3 : turned - 9
        let civil = year + era * 400 + (month <= 2 ? 1 : 0)
        return "\(pad(civil, 4))-\(pad(month, 2))-\(pad(day, 2))T"
            + "\(pad(rest / 3_600, 2)):\(pad(rest / 60 % 60, 2)):\(pad(rest % 60, 2))Z"
    }

    private static func pad(_ number: Int64, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
