import Backend
import Core
import Updater

/// R4: blame rests on recorded evidence only, and the entry names it.
///
/// Each start that the log calls failed must have what it says in the trace: the page's own report, two
/// deaths of its web process, an exit record that this device profile gives for how the process really
/// ended, or a clock that ran out in front, reachable and untouched. A blacklist entry needs such a
/// failure before it, and another at the second chance, or three parkings.
struct JustBlame: Checker {
    let rule = "R4"

    /// What the process that runs was told of the end of the one before.
    private var told: ExitRecord?
    private let profile: DeviceProfile?
    private var failures: [(id: String, count: Int)] = []
    private var parkings: [(id: String, count: Int)] = []

    init(profile: DeviceProfile? = nil) { self.profile = profile }

    /// What was told of the last end is told anew at the launch.
    func remember(in sum: inout Hasher) {
        for rows in [failures, parkings] {
            for row in rows.sorted(by: { $0.id < $1.id }) {
                sum.combine(row.id)
                sum.combine(row.count)
            }
            sum.combine(rows.count)
        }
    }

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch fact.kind {
        case .launched:
            let profile = profile ?? observed.profile
            told = observed.lastDeath.flatMap { profile.exitRecord(after: $0) }
        case .installed:
            failures.removeAll()
            parkings.removeAll()
        case .log(let entry): return judge(entry, observed)
        default: break
        }
        return nil
    }

    private mutating func judge(_ entry: LogEntry, _ observed: ObservedState) -> Violation? {
        guard let id = entry.version else { return nil }
        switch entry.cause {
        case .startFailedByPage, .startFailedByCrash, .startFailedNotResponding, .startFailedWebProcess,
            .startFailedByClock:
            JustBlame.add(id, to: &failures)
            return judgeFailure(entry, id, observed)
        case .parked: JustBlame.add(id, to: &parkings)
        case .blacklistEntry: return judgeBlame(entry, id, observed)
        default: break
        }
        return nil
    }

    private func judgeBlame(_ entry: LogEntry, _ id: String, _ observed: ObservedState) -> Violation? {
        let failed = JustBlame.count(id, failures)
        let parked = JustBlame.count(id, parkings)
        if failed >= 2 || parked >= 2 { return nil }
        return Violation(
            "\(observed.names.name(ofID: id)) was blacklisted without evidence",
            expected: "a failed start and a failed second chance, or a third parking",
            actual: "\(failed) failed starts, \(parked) parkings: \(entry.detail)")
    }

    private func judgeFailure(_ entry: LogEntry, _ id: String, _ observed: ObservedState) -> Violation? {
        guard let start = observed.starts.last(where: { $0.key.id == id }) else {
            return Violation(
                "A start was called failed that never was", expected: "a start of \(id) in the trace",
                actual: entry.cause.rawValue)
        }
        guard let missing = missingEvidence(entry.cause, start, observed) else { return nil }
        return Violation(
            "A start of \(observed.name(start.key)) was called failed without evidence",
            expected: missing, actual: "\(entry.cause.rawValue) \(entry.detail)")
    }

    private func missingEvidence(_ cause: LogCause, _ start: StartTrace, _ observed: ObservedState) -> String?
    {
        switch cause {
        case .startFailedByPage:
            return start.hasReportedFailure ? nil : "the page's own report of a failure"
        case .startFailedByCrash:
            return told == .crash ? nil : "an exit record that says crash"
        case .startFailedNotResponding:
            return told == .notResponding ? nil : "an exit record that says not responding"
        case .startFailedWebProcess:
            return start.webProcessDeaths >= 2 ? nil : "two deaths of the web process"
        case .startFailedByClock:
            if start.isTouched { return "a page that nobody had touched" }
            if !start.isReachable { return "a good manifest answer in this start or the minute before" }
            let least = max(.seconds(5), observed.leastStartupTimeout)
            return start.inFront >= least ? nil : "\(least.microseconds / 1_000_000) s in front"
        default: return nil
        }
    }

    private static func add(_ id: String, to rows: inout [(id: String, count: Int)]) {
        if let place = rows.firstIndex(where: { $0.id == id }) {
            rows[place].count += 1
        } else {
            rows.append((id, 1))
        }
    }

    private static func count(_ id: String, _ rows: [(id: String, count: Int)]) -> Int {
        rows.first { $0.id == id }?.count ?? 0
    }
}
