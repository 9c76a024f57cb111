import Core
import Updater

/// The entries that the host itself logs; the updater keeps its own.
///
/// Refusals are kept apart: clients without the key, and a page that repeats a message, can cause any number
/// of them, and must not displace the entries that explain a failure.
///
/// **Invariant.** At most 100 entries that are no refusals are kept, the newest.
struct HostLog: Sendable {
    private var entries: [LogEntry] = []
    private var requests = RefusalLog(.requestRefused)
    private var messages = RefusalLog(.bridgeMessageRefused)
    static let limit = 100

    /// - Returns: the entries to be logged now, in order.
    mutating func append(_ entry: LogEntry, at now: Instant) -> [LogEntry] {
        switch entry.cause {
        case .requestRefused: return requests.append(entry, at: now)
        case .bridgeMessageRefused: return messages.append(entry, at: now)
        default:
            entries.append(entry)
            if entries.count > HostLog.limit { entries.removeFirst() }
            return [entry]
        }
    }

    /// Lines of the error report (F4), numbered from 1: refusals come last.
    var reportLines: [ReportLine] {
        (entries + messages.counted + requests.counted).enumerated()
            .map { index, entry in ErrorReport.hostLine(index + 1, entry) }
    }
}

/// The refusals of one cause. Equal ones are one entry with their number.
///
/// **Invariants.**
/// - At most 20 entries are kept, those of the newest refusals; refusals whose entry has gone are counted.
/// - In a minute at most 20 refusals are logged at once, because a log that is not read fast enough would
///   stop the app; the others are counted.
struct RefusalLog: Sendable {
    private let cause: LogCause
    private var refusals: [(entry: LogEntry, count: Int)] = []
    private var forgotten = 0
    /// When the present minute began; nil: no refusal yet.
    private var minute: Instant?
    /// Refusals logged at once in the present minute.
    private var logged = 0
    /// Refusals since the last one that was logged at once.
    private var unlogged = 0
    static let limit = 20

    init(_ cause: LogCause) { self.cause = cause }

    /// - Returns: the entries to be logged now: the refusal, and before it the number of those that were not.
    mutating func append(_ entry: LogEntry, at now: Instant) -> [LogEntry] {
        keep(entry)
        if minute.map({ now - $0 >= .minutes(1) }) ?? true {
            minute = now
            logged = 0
        }
        guard logged < RefusalLog.limit else {
            unlogged += 1
            return []
        }
        logged += 1
        defer { unlogged = 0 }
        return unlogged == 0 ? [entry] : [LogEntry(cause, detail: "unlogged=\(unlogged)"), entry]
    }

    private mutating func keep(_ entry: LogEntry) {
        var count = 1
        if let index = refusals.firstIndex(where: { $0.entry == entry }) {
            count += refusals.remove(at: index).count
        }
        refusals.append((entry, count))
        if refusals.count > RefusalLog.limit { forgotten += refusals.removeFirst().count }
    }

    /// The entries, the oldest first, with `times=N` where there is more than one; then the number of those
    /// that have gone.
    var counted: [LogEntry] {
        var entries = refusals.map { refusal in
            var entry = refusal.entry
            if refusal.count > 1 { entry.detail += " times=\(refusal.count)" }
            return entry
        }
        if forgotten > 0 { entries.append(LogEntry(cause, detail: "earlier=\(forgotten)")) }
        return entries
    }
}
