import Backend
import Core
import Updater

/// R2: before the index of a version that is not proven is served, the record of its start is durable.
///
/// The start record names version, native build, boot id and page-load token. The index is served when the
/// server first responds for a page load.
///
/// Silent about: embedded and proven versions; starts that have ended in this process; versions that were
/// confirmed before, if the log reports that the start record could not be written; a process whose record
/// the scenario damages; a device that could not write its record and whose counts of starts it damages. The
/// page load that a mark names may be one that its web view has given up before it was answered.
struct StartRecordBeforeIndex: RuleChecker {
    let rule = "R2"
    var decided = 0

    /// Page loads that the server has responded to.
    private var answered: [PageLoadToken] = []
    /// Whether a document has been requested that has no page load yet.
    private var isRequested = false
    /// Whether one was given up before it had a page load.
    private var isGivenUp = false
    private var isRecordDamaged = false
    /// Whether the scenario has damaged the counts of starts, which say that names of the record are perhaps
    /// not durable (ST-3): the next process does not know it.
    private var areCountsDamaged = false

    /// Leaves out page loads, which end with their process.
    func hashMemory(into hasher: inout Hasher) { hasher.combine(areCountsDamaged) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched:
            answered.removeAll()
            isRecordDamaged = false
            isRequested = false
            isGivenUp = false
        case .pageRequested(let request):
            guard request.destination == .document, request.load == nil else { return nil }
            isGivenUp = isGivenUp || isRequested
            isRequested = true
        case .pageLoad: isRequested = false
        case .committed:
            isGivenUp = isGivenUp || isRequested
            isRequested = false
        case .damaged(let path):
            if StoredFile(DiskPath(.data, path)).isRecord { isRecordDamaged = true }
            if DiskPath(.data, path) == StorePaths.starts { areCountsDamaged = true }
        case .answered(let answer):
            guard let token = answer.load, answer.status == 200 || answer.status == 304,
                !answered.contains(token), let load = observed.load(token)
            else { return nil }
            answered.append(token)
            return evaluate(load, observed, store)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ load: LoadTrace, _ observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        let key = load.version
        if areCountsDamaged, observed.logged.contains(where: { $0.entry.cause == .recordNotWritten }) {
            return nil
        }
        if isRecordDamaged || observed.isProven(key) || observed.start(of: key)?.end != nil { return nil }
        let isExempt =
            observed.confirmedProcesses(of: key) > 0
            && observed.logged([.startNotMarked], since: observed.processBegan) != nil
        if isExempt { return nil }
        decided += 1
        let name = observed.name(key)
        guard let record = store.durable.record?.openStart else {
            return Violation(
                "The index of \(version: name) was served before the mark of its start was durable",
                expected: "a mark for \(version: name) on the medium", actual: "no mark")
        }
        let start = observed.start(of: key)
        guard record.key == key, record.native == observed.buildNumber,
            record.boot != nil || !observed.profile.providesBootID,
            start?.loads.contains(record.token) ?? (record.token == load.token)
                || isGivenUp && observed.load(record.token) == nil
        else {
            let recorded = observed.name(record.key)
            return Violation(
                "The mark on the medium is not that of the start whose index was served",
                expected: "\(version: name) on build \(observed.buildNumber), page load \(load.token.text)",
                actual:
                    "\(version: recorded) on build \(record.native), page load \(record.token.text)"
            )
        }
        return nil
    }
}
