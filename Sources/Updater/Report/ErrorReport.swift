import Core

/// The error report (T1, F4): one text that a user could send, and that a program can turn into a scenario.
/// Nothing personal is in it: no user, no cohort, no page content.
public struct ErrorReport: Hashable, Sendable {
    /// Without the first and the last line.
    public var lines: [ReportLine]
    /// The last line is there and counts right.
    public var isWhole = true
    /// Numbers of the lines (from 1) that are none of the format: to be told, not to be hidden.
    public var strange: [Int] = []

    public static let format = 1

    public init(_ lines: [ReportLine]) { self.lines = lines }

    public var text: String {
        let first = ReportLine(
            ReportWord.report.rawValue,
            [.init("format", String(ErrorReport.format)), .init("writer", "otalab")])
        let last = ReportLine(ReportWord.end.rawValue, [.init("lines", String(lines.count + 1))])
        return ([first] + lines + [last]).map(\.text).joined(separator: "\n") + "\n"
    }

    /// Reads what ``text`` or another updater wrote. Lines with an unknown word and unknown fields are kept.
    /// - Returns: nil when the first line is not that of a report of this format.
    public init?(text: String) {
        let rows = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).map { row in
            String(Substring(row.last == 0x0d ? row.dropLast() : row))
        }
        guard let first = rows.first.flatMap({ ReportLine(text: $0) }),
            first.word == ReportWord.report.rawValue, first["format"] == String(ErrorReport.format)
        else { return nil }
        lines = []
        var stated: Int?
        for (number, row) in rows.enumerated().dropFirst() where !row.isEmpty {
            guard let line = ReportLine(text: row) else {
                strange.append(number + 1)
                continue
            }
            if line.word == ReportWord.end.rawValue {
                stated = line["lines"].flatMap { Int($0) }
            } else {
                lines.append(line)
            }
        }
        isWhole = stated == lines.count + strange.count + 1
    }

    public func lines(_ word: ReportWord) -> [ReportLine] { lines.filter { $0.word == word.rawValue } }
}

extension Updater {
    /// The updater's part of the report; the app adds its own entries as `host` lines.
    public func report() -> ErrorReport {
        var lines: [ReportLine] = []
        if let launch { lines += [appLine(launch), deviceLine(launch)] }
        lines += reportedVersions.map { versionLine($0) }
        lines += record.blacklist.map { blacklistLine($0) }
        lines += record.damaged.map { line(.damaged, [("content", $0.hex)]) }
        for (number, entry) in record.log.enumerated() { lines.append(logLine(number + 1, entry)) }
        return ErrorReport(lines)
    }

    private func line(_ word: ReportWord, _ fields: [(String, String?)]) -> ReportLine {
        ReportLine(
            word.rawValue, fields.compactMap { name, value in value.map { ReportLine.Field(name, $0) } })
    }

    private func appLine(_ launch: Launch) -> ReportLine {
        line(
            .app,
            [
                ("id", settings.app), ("native", launch.native.text), ("platform", launch.platform),
                ("dialect", settings.dialect.rawValue), ("root", OriginURL.root(settings.origin)),
                ("channel", settings.channel), ("updates", settings.updates.rawValue),
                ("confirmation", settings.confirmation.rawValue),
                ("startup-timeout", ErrorReport.milliseconds(settings.startupTimeout)),
            ])
    }

    private func deviceLine(_ launch: Launch) -> ReportLine {
        line(
            .device,
            [
                ("id", record.device.isEmpty ? nil : record.device), ("boot", launch.bootID),
                ("front", String(inForeground)), ("network", network.rawValue),
                ("origin-time", record.originTime.map { String($0.seconds) }),
                ("data-schema", record.data.map { String($0.number) }),
            ])
    }

    /// Everything the record names, once each.
    private var reportedVersions: [VersionKey] {
        var keys: [VersionKey] = []
        let named =
            [record.embedded, record.current, record.pending, record.download] + versions.map(\.key)
            + record.versions.map(\.key) + record.marks.map(\.key)
        for key in named.compactMap({ $0 }) where !keys.contains(key) { keys.append(key) }
        return keys
    }

    private func versionLine(_ key: VersionKey) -> ReportLine {
        let marks = record.marks(key)
        let stored = version(key)
        let counts: [(String, Int)] = [
            ("confirmations", record.entry(key)?.confirmations ?? 0), ("failures", marks.failures),
            ("unclear", marks.unclear), ("uncounted", marks.uncounted), ("parkings", marks.parkings),
        ]
        var fields: [(String, String?)] = [
            ("id", key.id), ("digest", key.digest.hex), ("state", state(of: key).rawValue),
            ("roles", roles(of: key).isEmpty ? nil : roles(of: key).joined(separator: ",")),
        ]
        fields += counts.map { name, count in (name, count == 0 ? nil : String(count)) }
        fields.append(("verified", stored?.verification.rawValue))
        if case .serial(let serial)? = stored?.table.facts.order { fields.append(("serial", String(serial))) }
        return line(.version, fields)
    }

    private func roles(of key: VersionKey) -> [String] {
        let roles: [(String, VersionKey?)] = [
            ("embedded", record.embedded), ("current", record.current), ("pending", record.pending),
            ("last-known-good", record.lastKnownGood), ("good-before", record.goodBefore),
            ("parked", record.parked?.key), ("download", record.download), ("forced", record.forced),
        ]
        return roles.filter { $0.1 == key }.map(\.0)
    }

    private func blacklistLine(_ entry: BlacklistEntry) -> ReportLine {
        line(
            .blacklist,
            [
                ("id", entry.key.id), ("digest", entry.key.digest.hex), ("native", entry.native),
                ("cause", entry.cause.rawValue), ("count", String(entry.count)),
                ("ended", String(entry.hasEnded)), ("since", entry.since.map { String($0.seconds) }),
                ("evidence", entry.evidence),
            ])
    }

    private func logLine(_ number: Int, _ entry: LogEntry) -> ReportLine {
        line(
            .log,
            [
                ("n", String(number)), ("after", entry.after.map { ErrorReport.milliseconds($0) }),
                ("cause", entry.cause.rawValue), ("version", entry.version),
                ("facts", entry.detail.isEmpty ? nil : entry.detail),
            ])
    }
}

extension ErrorReport {
    static func milliseconds(_ span: TimeSpan) -> String { "\(span.microseconds / 1_000)ms" }

    /// An entry of the app around the updater.
    public static func hostLine(_ number: Int, _ entry: LogEntry) -> ReportLine {
        var fields: [ReportLine.Field] = [
            .init("n", String(number)), .init("cause", entry.cause.rawValue),
        ]
        if !entry.detail.isEmpty { fields.append(.init("facts", entry.detail)) }
        return ReportLine(ReportWord.host.rawValue, fields)
    }
}
