import Core
import Updater

/// An error report, parsed from the documented line format, with notes about its errors.
///
/// Guarantees: an unreadable line is noted with its line number, and the other lines are used. Reports of
/// other updaters that have only `log` lines are sufficient.
package struct ReportReading: Sendable {
    /// A log entry of the report.
    package struct Entry: Hashable, Sendable {
        /// Line of the report, from 1.
        package var line: Int
        package var cause: LogCause
        package var version: String?
        /// Details as `name=value` pairs, separated by spaces.
        package var details: String
        /// Time since the start of its process; nil when the report does not give it.
        package var after: TimeSpan?
    }

    /// An error in the report that does not prevent its use.
    package struct Note: Hashable, Sendable {
        /// Line of the error, from 1; nil: the whole report.
        package var line: Int?
        package var text: String
    }

    /// Reason why no scenario can be made from a report, and what to do about it.
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
    /// Number of lines of the host: server and bridge.
    package private(set) var hostLines = 0
    package private(set) var notes: [Note] = []

    package static let maxBytes = 8 << 20

    package init(bytes: [UInt8]) throws(Refusal) {
        if bytes.count > ReportReading.maxBytes {
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
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text in
            String(decoding: text.last == 0x0D ? text.dropLast() : text, as: UTF8.self)
        }
        let (first, mark) = ReportReading.head(of: lines)
        if !mark.isEmpty {
            lines = lines.map { $0.hasPrefix(mark) ? String($0.dropFirst(mark.count)) : $0 }
        }
        try ReportReading.checkHead(lines, first)
        if lines[..<first].contains(where: { !$0.isEmpty && $0 != "\u{FEFF}" }) {
            let before = first == 1 ? "line 1 stands" : "lines 1 to \(first) stand"
            note(1, "\(before) before the report and \(first == 1 ? "is" : "are") left out")
        }
        var stated: Int?
        var count = 1
        var last = 0
        for (index, text) in lines.enumerated().dropFirst(first + 1) where !text.isEmpty {
            if stated != nil {
                note(index + 1, "text after the end of the report is left out")
                break
            }
            count += 1
            guard let line = ReportLine(text: text) else {
                note(index + 1, "not a line of a report, left out: \(ReportReading.shortened(text))")
                continue
            }
            if line.keyword == ReportKeyword.end.rawValue {
                stated = line["lines"].flatMap { Int($0) } ?? -1
                if stated != count - 1 {
                    note(index + 1, "\(count - 1) lines are here, \(line["lines"] ?? "?") were written")
                }
            } else {
                take(line, index + 1, last: &last)
            }
        }
        if stated == nil { note(nil, "the report was cut: its last line is missing, and maybe more") }
        if entries.isEmpty {
            throw Refusal(
                line: first + 1, message: "the report has no log line that can be read",
                help: "a line such as: log n=1 after=0ms cause=launched")
        }
    }

    /// Finds the report in a pasted text.
    /// - Returns: the index of its first line, else of the first line with text; and what is before each of
    ///   its lines, such as the `> ` of a quotation.
    private static func head(of lines: [String]) -> (index: Int, mark: String) {
        for (index, line) in lines.enumerated() {
            let mark = line.prefix { " \t>|".contains($0) }
            if line.dropFirst(mark.count).hasPrefix(ReportKeyword.report.rawValue + " ") {
                return (index, String(mark))
            }
        }
        return (lines.firstIndex { !$0.isEmpty && $0 != "\u{FEFF}" } ?? 0, "")
    }

    private static func checkHead(_ lines: [String], _ first: Int) throws(Refusal) {
        let text = lines[first].hasPrefix("\u{FEFF}") ? String(lines[first].dropFirst()) : lines[first]
        let head = "otalab-report format=\(ErrorReport.format)"
        guard let line = ReportLine(text: text), line.keyword == ReportKeyword.report.rawValue else {
            let isJSON = text.hasPrefix("{") || text.hasPrefix("[")
            throw Refusal(
                line: first + 1,
                message: lines.allSatisfy(\.isEmpty) ? "the report is empty" : "this is no error report",
                help: (isJSON ? "this looks like JSON; " : "")
                    + "a report begins with '\(head)', and a log of another updater can be written so: "
                    + "see ErrorReport in the updater's documentation")
        }
        guard line["format"] == String(ErrorReport.format) else {
            throw Refusal(
                line: first + 1, message: "a report of format \(line["format"] ?? "none")",
                help: "this program reads format \(ErrorReport.format); use the one that goes with the app")
        }
    }

    private mutating func take(_ line: ReportLine, _ lineNumber: Int, last: inout Int) {
        switch ReportKeyword(rawValue: line.keyword) {
        case .app: app = app ?? line
        case .device: device = device ?? line
        case .version: versions.append(line)
        case .blacklist: blacklist.append(line)
        case .host: hostLines += 1
        case .log: takeLog(line, lineNumber, last: &last)
        case .report: note(lineNumber, "a second report begins here: its lines are taken for the first one's")
        case .damaged, .end: break
        case nil:
            note(lineNumber, "a word that is not known, left out: \(ReportReading.shortened(line.keyword))")
        }
    }

    private mutating func takeLog(_ line: ReportLine, _ lineNumber: Int, last: inout Int) {
        guard let causeText = line["cause"] else {
            return note(lineNumber, "a log line without a cause, left out")
        }
        guard let cause = LogCause(rawValue: causeText) else {
            return note(
                lineNumber, "the cause '\(ReportReading.shortened(causeText))' is not one of ours, left out")
        }
        if let text = line["n"], let count = Int(text) {
            if count <= last {
                note(lineNumber, "n=\(count) after n=\(last): lines are out of order or doubled")
            }
            if last > 0, count > last + 1 {
                note(lineNumber, "between n=\(last) and n=\(count) lines are missing")
            }
            last = count
        }
        var after: TimeSpan?
        if let text = line["after"] {
            let digits = text.hasSuffix("ms") ? String(text.dropLast(2)) : text
            if let count = Int64(digits), (0...Int64(4e12)).contains(count) {
                after = .milliseconds(count)
            } else {
                note(lineNumber, "after=\(ReportReading.shortened(text)) is no time in ms")
            }
        }
        entries.append(
            Entry(
                line: lineNumber, cause: cause, version: line["version"].map(ReportReading.cleaned),
                details: line["facts"] ?? "", after: after
            )
        )
    }

    private mutating func note(_ line: Int?, _ text: String) {
        // A file of another format would give a note for each of its lines.
        if notes.count < 20 { notes.append(Note(line: line, text: text)) }
    }

    private static func shortened(_ text: String) -> String {
        let plain = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        return plain.count > 60 ? plain.prefix(60).joined() + "…" : plain.joined()
    }

    /// The id with each character that an origin can't publish replaced by `-`, and at most 100 characters.
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
        for text in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard String(validating: text, as: UTF8.self) != nil else { return good }
            good += 1
        }
        return good
    }
}

extension ReportReading.Entry {
    /// Moment of a switch; nil for other entries, and for reports that don't give it.
    package var moment: String? { cause == .switched ? detail("moment") : nil }

    /// Value of a detail: `reload` for `moment` of `moment=reload`.
    package func detail(_ name: String) -> String? {
        for part in details.split(separator: " ") where part.hasPrefix(name + "=") {
            return String(part.dropFirst(name.count + 1))
        }
        return nil
    }
}
