import Updater

/// Finds the entries that a process wrote into its record's log and did not report before it was cut off.
///
/// Entries are reported in the order in which they are written, and a crash loses the reports of the last
/// event. So the unreported entries are the end of the log. Older entries prove nothing, because the log is
/// bounded and starts again after a lost record.
enum UnreportedLogEntries {
    /// - Parameters:
    ///   - log: log of a record that the process wrote.
    ///   - reported: entries that this process reported, oldest first.
    static func entries(of log: [LogEntry], reported: [LogEntry]) -> ArraySlice<LogEntry> {
        if let begin = log.lastIndex(where: { $0.cause == .launched }) {
            let reportedCount = reported.lastIndex { $0.cause == .launched }.map { reported.count - $0 } ?? 0
            return log[begin...].dropFirst(reportedCount)
        }
        // The bounded log no longer has the launch, so the last reported entry is somewhere in it.
        for unreported in log.indices {
            let known = log.dropLast(unreported)
            if reported.suffix(known.count).elementsEqual(known)
                || (unreported == 0 && contains(reported, known))
            {
                return log.suffix(unreported)
            }
        }
        return log[...]
    }

    private static func contains(_ reported: [LogEntry], _ run: ArraySlice<LogEntry>) -> Bool {
        guard reported.count >= run.count else { return false }
        return (0...(reported.count - run.count)).contains {
            reported[$0..<($0 + run.count)].elementsEqual(run)
        }
    }
}
