import Updater

/// The entries that the host itself logs; the updater keeps its own.
///
/// **Invariant.** At most 100 are kept, the newest.
struct HostLog: Sendable {
    private var entries: [LogEntry] = []
    static let limit = 100

    mutating func append(_ entry: LogEntry) {
        entries.append(entry)
        if entries.count > HostLog.limit { entries.removeFirst() }
    }

    /// Lines of the error report (F4), numbered from 1.
    var reportLines: [ReportLine] {
        entries.enumerated().map { index, entry in ErrorReport.hostLine(index + 1, entry) }
    }
}
