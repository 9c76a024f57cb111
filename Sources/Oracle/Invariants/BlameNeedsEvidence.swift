import Backend
import Core
import Updater

/// R4: the updater blames a version only on recorded evidence.
///
/// For each start that the log calls failed, the trace must contain the evidence that the entry names: the
/// page's report, two deaths of its web process, an exit record that this device profile gives for the actual
/// death of the process, or a startup timeout that elapsed in the foreground while the origin was reachable
/// and the page untouched. A version is blacklisted only after two failed starts, the second of them at its
/// second chance, or when it would be parked for the third time.
///
/// An end in front (R3) is no blame, but it costs the user the newer version: the log may say so only if the
/// process did end while the app was in front and active, in this boot, the platform has a boot id, and its
/// record does not explain the end. A swipe is no such end where the profile says that the app leaves the
/// front first.
///
/// Silent about: an end in front of a process that could not write its note of having left the front, or
/// may not have been able to, because the disk failed or was full; failures and parkings before the native
/// build that is installed. A store update that leaves the build as it was, or that another one takes back
/// before the app is launched or could write, ends nothing.
struct BlameNeedsEvidence: RuleChecker {
    let rule = "R4"
    var decided = 0

    /// What the running process could learn about the end of the previous one.
    private var exitRecord: ExitRecord?
    private let profile: DeviceProfile?
    private var failures = VersionCounts()
    private var parkings = VersionCounts()
    /// The last process in which a fault of the disk was active.
    private var processOfFault: Int?
    private var builds = BuildChanges()
    private var beforeUpdate = BeforeStoreUpdate<(failures: VersionCounts, parkings: VersionCounts)>()

    init(profile: DeviceProfile? = nil) { self.profile = profile }

    /// Leaves out the exit record, because the next launch reads it again.
    func hashMemory(into hasher: inout Hasher) {
        for counts in [failures, parkings] { counts.combine(into: &hasher) }
        hasher.combine(processOfFault)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .faultBegan: noteFault(observed)
        case .launched:
            noteFault(observed)
            let profile = profile ?? observed.profile
            exitRecord = observed.lastDeath.flatMap { profile.exitRecord(after: $0) }
            if builds.hasChanged(observed) {
                let known = beforeUpdate.changed((failures, parkings), observed)
                (failures, parkings) = known ?? (VersionCounts(), VersionCounts())
            }
        case .log(let entry): return evaluate(entry, observed)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ entry: LogEntry, _ observed: ObservedState) -> Violation? {
        guard let id = entry.version else { return nil }
        switch entry.cause {
        case .startFailedByPage, .startFailedByCrash, .startFailedNotResponding, .startFailedWebProcess,
            .startFailedByClock:
            failures.add(key(of: id, observed))
            return evaluateFailure(entry, id, observed)
        case .startEndedInFront: return evaluateEndInFront(id, observed)
        case .parked: parkings.add(key(of: id, observed))
        case .blacklistEntry: return evaluateBlame(entry, id, observed)
        default: break
        }
        return nil
    }

    /// Id and content of the version that an entry names: the one that was started last with this id.
    private func key(of id: String, _ observed: ObservedState) -> VersionKey? {
        observed.starts.last { $0.key.id == id }?.key
    }

    private mutating func evaluateBlame(_ entry: LogEntry, _ id: String, _ observed: ObservedState)
        -> Violation?
    {
        decided += 1
        let key = key(of: id, observed)
        let failed = failures.count(of: key)
        let parked = parkings.count(of: key)
        if failed >= 2 || parked >= 2 { return nil }
        return Violation(
            "\(version: observed.names.name(ofID: id)) was blacklisted without evidence",
            expected: "a failed start and a failed second chance, or a third parking",
            actual: "\(failed) failed starts, \(parked) parkings: \(entry.detail)")
    }

    private mutating func evaluateEndInFront(_ id: String, _ observed: ObservedState) -> Violation? {
        decided += 1
        let profile = profile ?? observed.profile
        let earlier = observed.starts.filter { $0.key.id == id && $0.process < observed.process }
        // A start that could not be recorded may have reached the disk nevertheless (R2): its end or that of
        // the one before it is meant.
        let start = earlier.last { !observed.isUnmarked($0) }
        let meant = [start, earlier.last].compactMap(\.self)
        let wasInFront = meant.contains { $0.endedInFront && $0.bootID == observed.bootID }
        if wasInFront, profile.providesBootID, exitRecord == nil { return nil }
        if start.map({ isNoteStale($0, observed) }) ?? false { return nil }
        let death = (start ?? earlier.last).map { $0.death?.rawValue ?? "nothing" }
        return Violation(
            "The end of a start of \(version: observed.names.name(ofID: id)) was called one in front",
            expected: "a process that ended in front, in this boot, without an exit record",
            actual: death.map { ViolationText("its process ended by \($0)") } ?? "no start")
    }

    private mutating func noteFault(_ observed: ObservedState) {
        if !observed.diskFaults.isEmpty { processOfFault = observed.process }
    }

    /// Whether the app could not note in the process of a start that it had left the front.
    private func isNoteStale(_ start: StartTrace, _ observed: ObservedState) -> Bool {
        processOfFault == start.process
            || observed.logged.contains {
                $0.process == start.process && $0.entry.cause == .diskFailed
                    && $0.entry.detail.hasPrefix("starts:")
            }
    }

    private mutating func evaluateFailure(_ entry: LogEntry, _ id: String, _ observed: ObservedState)
        -> Violation?
    {
        decided += 1
        guard let start = observed.starts.last(where: { $0.key.id == id }) else {
            return Violation(
                "A start was called failed that never was",
                expected: "a start of \(version: id) in the trace",
                actual: ViolationText(entry.cause.rawValue))
        }
        guard let missing = missingEvidence(entry.cause, start, observed) else { return nil }
        return Violation(
            "A start of \(version: observed.name(start.key)) was called failed without evidence",
            expected: ViolationText(missing), actual: "\(entry.cause.rawValue) \(entry.detail)")
    }

    /// Whether the process ended before the version could have run in it (R2). What is noted right before the
    /// index is served counts.
    private func hasSurelyEndedUnserved(_ start: StartTrace, _ observed: ObservedState) -> Bool {
        guard start.servedAt == nil, let diedAt = start.diedAt, observed.diskDelays.isEmpty else {
            return false
        }
        return diedAt - start.begunAt > .milliseconds(200)
    }

    private func missingEvidence(_ cause: LogCause, _ start: StartTrace, _ observed: ObservedState) -> String?
    {
        switch cause {
        case .startFailedByPage:
            return start.hasReportedFailure ? nil : "the page's own report of a failure"
        case .startFailedByCrash:
            guard exitRecord == .crash else { return "an exit record that says crash" }
            return hasSurelyEndedUnserved(start, observed) ? "a crash after its index was served" : nil
        case .startFailedNotResponding:
            guard exitRecord == .notResponding else { return "an exit record that says not responding" }
            return hasSurelyEndedUnserved(start, observed) ? "an end after its index was served" : nil
        case .startFailedWebProcess:
            return start.webProcessDeaths >= 2 ? nil : "two deaths of the web process"
        case .startFailedByClock:
            // A touch in the very moment in which the clock runs out comes too late.
            if let touched = start.touchedAt, observed.now - touched > .milliseconds(50) {
                return "a page that nobody had touched"
            }
            if !start.isReachable { return "a good manifest answer in this start or the minute before" }
            let least = max(.seconds(5), observed.leastStartupTimeout)
            // The app learns of each return and each leaving a moment later than they are.
            let counted = start.inFront + .milliseconds(50)
            return counted >= least ? nil : "\(least.microseconds / 1_000_000) s in front"
        default: return nil
        }
    }
}

/// How often something happened to each version.
private struct VersionCounts {
    private var counts: [(key: VersionKey, count: Int)] = []

    mutating func add(_ key: VersionKey?) {
        guard let key else { return }
        if let index = counts.firstIndex(where: { $0.key == key }) {
            counts[index].count += 1
        } else {
            counts.append((key, 1))
        }
    }

    func count(of key: VersionKey?) -> Int { counts.first { $0.key == key }?.count ?? 0 }

    func combine(into hasher: inout Hasher) {
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
            hasher.combine(key)
            hasher.combine(count)
        }
        hasher.combine(counts.count)
    }
}
