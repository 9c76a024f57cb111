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
            guard let launch = reported.lastIndex(where: { $0.cause == .launched }) else {
                return log[begin...]
            }
            if reported[launch] != log[begin] { return entries(of: log[begin...], after: reported.last) }
            return log[begin...].dropFirst(reported.count - launch)
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

    /// The launch in the log is an earlier process's: this one could read the record only after its own
    /// launch, and went on with the log that it found. Where none of its entries is in it, the log proves
    /// nothing.
    private static func entries(of log: ArraySlice<LogEntry>, after last: LogEntry?) -> ArraySlice<LogEntry> {
        guard let index = log.lastIndex(where: { $0 == last }) else { return [] }
        return log[(index + 1)...]
    }

    private static func contains(_ reported: [LogEntry], _ run: ArraySlice<LogEntry>) -> Bool {
        guard reported.count >= run.count else { return false }
        return (0...(reported.count - run.count)).contains {
            reported[$0..<($0 + run.count)].elementsEqual(run)
        }
    }
}
