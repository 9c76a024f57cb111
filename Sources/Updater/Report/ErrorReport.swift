import Core

/// The error report (T1, F4): a text that a user can send and that a program can turn into a scenario. It
/// contains nothing personal: no user, no cohort, no page content.
package struct ErrorReport: Hashable, Sendable {
    /// Lines between the first and the last.
    package var lines: [ReportLine]

    package static let format = 1

    package init(_ lines: [ReportLine]) { self.lines = lines }

    package var text: String {
        let first = ReportLine(
            ReportKeyword.report.rawValue,
            [.init("format", String(ErrorReport.format)), .init("writer", "otalab")])
        let last = ReportLine(ReportKeyword.end.rawValue, [.init("lines", String(lines.count + 1))])
        return ([first] + lines + [last]).map(\.text).joined(separator: "\n") + "\n"
    }
}

extension Updater {
    /// The updater's part of the report; the app adds its entries as `host` lines.
    package func report() -> ErrorReport {
        var lines: [ReportLine] = []
        if let launch { lines += [appLine(launch), deviceLine(launch)] }
        lines += reportedVersions.map { versionLine($0) }
        lines += record.blacklist.map { blacklistLine($0) }
        lines += record.damaged.map { line(.damaged, [("content", $0.hex)]) }
        for (index, entry) in record.log.enumerated() { lines.append(logLine(index + 1, entry)) }
        return ErrorReport(lines)
    }

    private func line(_ keyword: ReportKeyword, _ fields: [(String, String?)]) -> ReportLine {
        ReportLine(
            keyword.rawValue, fields.compactMap { name, value in value.map { ReportLine.Field(name, $0) } })
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
                ("front", String(environment.inForeground)), ("network", environment.network.rawValue),
                ("origin-time", record.originTime.map { String($0.seconds) }),
                ("running-since", record.currentSince.map { String($0.seconds) }),
                ("data-schema", record.data.map { "\($0.schema)" }),
            ])
    }

    /// All versions that the record names, once each.
    private var reportedVersions: [VersionKey] {
        var keys: [VersionKey] = []
        let named =
            [record.embedded, record.current, record.pending, record.download] + versions.all.map(\.key)
            + record.versions.map(\.key) + record.startHistories.map(\.key)
        for key in named.compactMap({ $0 }) where !keys.contains(key) { keys.append(key) }
        return keys
    }

    private func versionLine(_ key: VersionKey) -> ReportLine {
        let history = record.startHistory(of: key)
        let stored = version(key)
        let counts: [(String, Int)] = [
            ("confirmations", record.entry(key)?.confirmations ?? 0), ("failures", history.failures),
            ("unclear", history.unclear), ("uncounted", history.uncounted), ("parkings", history.parkings),
        ]
        var fields: [(String, String?)] = [
            ("id", key.id), ("digest", key.digest.hex), ("state", state(of: key).rawValue),
            ("roles", roles(of: key).isEmpty ? nil : roles(of: key).joined(separator: ",")),
        ]
        fields += counts.map { name, count in (name, count == 0 ? nil : String(count)) }
        fields.append(("verified", stored?.verification.rawValue))
        if case .serial(let serial)? = stored?.table.metadata.order {
            fields.append(("serial", "\(serial)"))
        }
        return line(.version, fields)
    }

    private func roles(of key: VersionKey) -> [String] {
        let roles: [(String, VersionKey?)] = [
            ("embedded", record.embedded), ("current", record.current), ("pending", record.pending),
            ("last-known-good", record.lastKnownGood), ("good-before", record.previousGood),
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

    private func logLine(_ index: Int, _ entry: LogEntry) -> ReportLine {
        line(
            .log,
            [
                ("n", String(index)), ("after", entry.after.map { ErrorReport.milliseconds($0) }),
                ("cause", entry.cause.rawValue), ("version", entry.version),
                ("facts", entry.detail.isEmpty ? nil : entry.detail),
            ])
    }
}

extension ErrorReport {
    static func milliseconds(_ span: TimeSpan) -> String { "\(span.microseconds / 1_000)ms" }

    /// Line for a log entry of the app.
    package static func hostLine(_ index: Int, _ entry: LogEntry) -> ReportLine {
        var fields: [ReportLine.Field] = [
            .init("n", String(index)), .init("cause", entry.cause.rawValue),
        ]
        if !entry.detail.isEmpty { fields.append(.init("facts", entry.detail)) }
        return ReportLine(ReportKeyword.host.rawValue, fields)
    }
}
