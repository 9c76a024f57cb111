import Updater

/// What a process that was cut off wrote into its record's log and never told.
///
/// Entries are told in the order in which they are written, and a crash swallows what the last event would
/// have told: it is the end of the log that was not heard. Older entries prove nothing: the log is bounded,
/// and a lost record began it anew.
enum UnreportedLogEntries {
    /// - Parameters:
    ///   - log: of a record that the process wrote.
    ///   - told: the updater's entries that this process told, oldest first.
    static func entries(of log: [LogEntry], told: [LogEntry]) -> ArraySlice<LogEntry> {
        if let begin = log.lastIndex(where: { $0.cause == .launched }) {
            let heard = told.lastIndex { $0.cause == .launched }.map { told.count - $0 } ?? 0
            return log[begin...].dropFirst(heard)
        }
        // So much happened that the begin has left the log: what was told ends somewhere in it.
        for untold in log.indices {
            let known = log.dropLast(untold)
            if told.suffix(known.count).elementsEqual(known) || (untold == 0 && contains(told, known)) {
                return log.suffix(untold)
            }
        }
        return log[...]
    }

    private static func contains(_ told: [LogEntry], _ run: ArraySlice<LogEntry>) -> Bool {
        guard told.count >= run.count else { return false }
        return (0...(told.count - run.count)).contains { told[$0..<($0 + run.count)].elementsEqual(run) }
    }
}
