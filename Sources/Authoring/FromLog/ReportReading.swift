import Core
import Updater

/// An error report in the documented line format, line by line, with what is wrong with it.
///
/// Guarantees: no input stops it; what can't be read is told with its line, and the rest is used.
/// Other updaters' reports with `log` lines alone are enough.
package struct ReportReading: Sendable {
    /// An entry of the log, as the report tells it.
    package struct Entry: Hashable, Sendable {
        /// Of the file, from 1.
        package var line: Int
        package var cause: LogCause
        package var version: String?
        package var facts: String
        /// Since its process began.
        package var after: TimeSpan?
    }

    /// Something that is wrong with the report and does not stop it from being used.
    package struct Note: Hashable, Sendable {
        /// From 1; nil: the whole report.
        package var line: Int?
        package var text: String
    }

    /// Why there is nothing to make a scenario of, and what to do.
    package struct Refusal: Error, Hashable, Sendable {
        package var line: Int
        package var message: String
        package var help: String
    }

    package private(set) var app: ReportLine?
    package private(set) var device: ReportLine?
    package private(set) var versions: [ReportLine] = []
    package private(set) var blacklist: [ReportLine] = []
    package private(set) var entries: [Entry] = []
    package private(set) var hostLines = 0
    package private(set) var notes: [Note] = []

    package static let mostBytes = 8 << 20

    package init(bytes: [UInt8]) throws(Refusal) {
        if bytes.count > ReportReading.mostBytes {
            throw Refusal(
                line: 1, message: "the report is \(bytes.count) bytes long",
                help: "a report holds 100 log lines; cut out the one that is meant")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            let good = ReportReading.linesBeforeDamage(bytes)
            throw Refusal(
                line: good + 1, message: "this is no text (UTF-8)",
                help: "was it packed, encrypted or copied from a screen? save it as it was sent")
        }
        let rows = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { row in
            String(decoding: row.last == 0x0D ? row.dropLast() : row, as: UTF8.self)
        }
        let first = rows.firstIndex { !$0.isEmpty && $0 != "\u{FEFF}" } ?? 0
        try ReportReading.checkHead(rows, first)
        var stated: Int?
        var count = 1
        var last = 0
        for (place, row) in rows.enumerated().dropFirst(first + 1) where !row.isEmpty {
            if stated != nil {
                note(place + 1, "text after the end of the report is left out")
                break
            }
            count += 1
            guard let line = ReportLine(text: row) else {
                note(place + 1, "not a line of a report, left out: \(ReportReading.shortened(row))")
                continue
            }
            if line.keyword == ReportKeyword.end.rawValue {
                stated = line["lines"].flatMap { Int($0) } ?? -1
                if stated != count - 1 {
                    note(place + 1, "\(count - 1) lines are here, \(line["lines"] ?? "?") were written")
                }
            } else {
                take(line, place + 1, last: &last)
            }
        }
        if stated == nil { note(nil, "the report was cut: its last line is missing, and maybe more") }
        if entries.isEmpty {
            throw Refusal(
                line: first + 1, message: "the report has no log line that could be told",
                help: "a line such as: log n=1 after=0ms cause=launched")
        }
    }

    private static func checkHead(_ rows: [String], _ first: Int) throws(Refusal) {
        let row = rows[first].hasPrefix("\u{FEFF}") ? String(rows[first].dropFirst()) : rows[first]
        let head = "otalab-report format=\(ErrorReport.format)"
        guard let line = ReportLine(text: row), line.keyword == ReportKeyword.report.rawValue else {
            let later = rows.firstIndex { $0.hasPrefix(ReportKeyword.report.rawValue + " ") }
            let isJSON = row.hasPrefix("{") || row.hasPrefix("[")
            throw Refusal(
                line: first + 1,
                message: rows.allSatisfy(\.isEmpty) ? "the report is empty" : "this is no error report",
                help: later.map { "one begins in line \($0 + 1): cut off what stands before it" }
                    ?? (isJSON ? "this looks like JSON; " : "")
                    + "a report begins with '\(head)', and a log of another updater can be written so: "
                    + "see ErrorReport in the updater's documentation")
        }
        guard line["format"] == String(ErrorReport.format) else {
            throw Refusal(
                line: first + 1, message: "a report of format \(line["format"] ?? "none")",
                help: "this program reads format \(ErrorReport.format); use the one that goes with the app")
        }
    }

    private mutating func take(_ line: ReportLine, _ number: Int, last: inout Int) {
        switch ReportKeyword(rawValue: line.keyword) {
        case .app: app = app ?? line
        case .device: device = device ?? line
        case .version: versions.append(line)
        case .blacklist: blacklist.append(line)
        case .host: hostLines += 1
        case .log: takeLog(line, number, last: &last)
        case .report: note(number, "a second report begins here: its lines are taken for the first one's")
        case .damaged, .end: break
        case nil: note(number, "a word that is not known, left out: \(ReportReading.shortened(line.keyword))")
        }
    }

    private mutating func takeLog(_ line: ReportLine, _ number: Int, last: inout Int) {
        guard let word = line["cause"] else { return note(number, "a log line without a cause, left out") }
        guard let cause = LogCause(rawValue: word) else {
            return note(
                number, "the cause '\(ReportReading.shortened(word))' is not one of ours, left out")
        }
        if let text = line["n"], let count = Int(text) {
            if count <= last { note(number, "n=\(count) after n=\(last): lines are out of order or doubled") }
            if last > 0, count > last + 1 {
                note(number, "between n=\(last) and n=\(count) lines are missing")
            }
            last = count
        }
        var after: TimeSpan?
        if let text = line["after"] {
            let digits = text.hasSuffix("ms") ? String(text.dropLast(2)) : text
            if let count = Int64(digits), (0...Int64(4e12)).contains(count) {
                after = .milliseconds(count)
            } else {
                note(number, "after=\(ReportReading.shortened(text)) is no time in ms")
            }
        }
        entries.append(
            Entry(
                line: number, cause: cause, version: line["version"].map(ReportReading.cleaned),
                facts: line["facts"] ?? "", after: after
            )
        )
    }

    private mutating func note(_ line: Int?, _ text: String) {
        // A file of another kind altogether does not need a thousand sentences.
        if notes.count < 20 { notes.append(Note(line: line, text: text)) }
    }

    private static func shortened(_ text: String) -> String {
        let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        return plain.count > 60 ? plain.prefix(60).joined() + "…" : plain.joined()
    }

    /// An id that an origin can publish.
    package static func cleaned(_ id: String) -> String {
        let kept = id.unicodeScalars.prefix(100).map { scalar -> Unicode.Scalar in
            let isPlain =
                ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            return isPlain || "._-+".unicodeScalars.contains(scalar) ? scalar : "-"
        }
        return String(String.UnicodeScalarView(kept))
    }

    private static func linesBeforeDamage(_ bytes: [UInt8]) -> Int {
        var good = 0
        for row in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard String(validating: row, as: UTF8.self) != nil else { return good }
            good += 1
        }
        return good
    }
}

extension ReportReading.Entry {
    /// `moment` of `moment=reload`.
    package func fact(_ name: String) -> String? {
        for part in facts.split(separator: " ") where part.hasPrefix(name + "=") {
            return String(part.dropFirst(name.count + 1))
        }
        return nil
    }
}
