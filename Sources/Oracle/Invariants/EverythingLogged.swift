import Backend
import Core
import Updater

/// T1: every refusal, failure, rescue, blame and skipped update leaves a log entry with a cause.
///
/// Each such event that is visible from outside requires an entry with a matching cause, at most one
/// second before it or ten seconds after it: a file that a page could not get, a disk call that failed,
/// and an answer that can't be used, because it has a content coding or another part than was asked for,
/// among them. The entry may come later as long as the process could not read the store yet, or if the
/// scenario has made the disk slow: there each change of the store begins the ten seconds anew. An entry
/// about blame must also be in the log that the record contains, from the next time that the record is
/// written.
///
/// Silent about: events whose process ends, or is suspended, before the ten seconds are over. For a process
/// that resumes the time begins again, because it learns only then what has happened; if it learns then that
/// its download has ended with the origin line, the entry about that is enough. A repeated order to leave all
/// downloaded versions, which changes nothing if no version is embedded.
struct EverythingLogged: RuleChecker {
    let rule = "T1"
    var decided = 0
    /// Virtual time within which an entry must follow.
    static let deadline = TimeSpan.seconds(10)

    private struct RequiredEntry {
        /// The event, for the report.
        var what: ViolationText
        /// Causes that match.
        var causes: [LogCause]
        var version: String?
        var due: Instant
        var process: Int
        /// Whether it is about a redirect, which needs no entry if it is followed.
        var isRedirect = false
    }

    private var required: [RequiredEntry] = []
    private var generation: UInt64 = 0
    /// Changes of the record's live slots so far, and when those that are not durable yet began.
    private var liveCommits = 0
    private var writeBegan: Instant?
    /// Whether the process is stopped, before the event that is being checked.
    private var isStopped = false
    /// Whether the process could not read the store yet.
    private var isUnread = false

    /// Leaves out required entries and the write in progress, because they end with their process, and the
    /// count, because it is compared with that of the same store.
    func hashMemory(into hasher: inout Hasher) { hasher.combine(generation) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .resumed: postpone(to: observed.now + EverythingLogged.deadline)
        // What a process finds when it can read the store at last, it can say only then.
        case .log(let entry) where entry.cause == .storeUnavailable:
            isUnread = !observed.hasLoggedInProcess(.launched)
        case .log(let entry) where entry.cause == .launched:
            isUnread = false
            postpone(to: observed.now + EverythingLogged.deadline)
        // A process that has not read the record yet will not know that a start was open.
        case .damaged: required.removeAll { $0.causes.contains(.recordLost) }
        default: break
        }
        if !isStopped, !isUnread, let violation = overdue(observed) { return violation }
        isStopped = observed.isSuspended
        switch event.kind {
        case .log(let entry): removeRequired(by: entry)
        case .processEnded, .powerCut:
            required.removeAll()
            isUnread = false
        case .suspended: required.removeAll()
        case .launched:
            writeBegan = nil
            requireEntry(forOpenStartsOf: observed)
        case .requestSent(let request) where request.kind == .manifest:
            required.removeAll(where: \.isRedirect)
        case .answerHead(let id, let status, _, let summary):
            requireEntryForHead(id, status, summary, event, observed)
        case .transferEnded(let id, _, _): requireEntryForAnswer(id, event, observed)
        case .transferFailed(let id, _, _): requireEntryForFailure(id, event, observed)
        case .transferCancelled(let id, _):
            requireEntryForCancelledCheck(id, event, observed)
        case .pageReceived(let request, let answer): requireEntryForServing(request, answer, observed)
        case .faultApplied(let id) where observed.diskFaults.contains(id):
            requireEntry("a disk call failed", LogCause.ofDisk, observed)
        case .status(let status): return evaluate(status, observed)
        case .pageLoad(_, _, let key): return evaluateRescue(to: key, observed)
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        isStopped || isUnread ? nil : overdue(observed)
    }

    // MARK: - Required entries

    /// A redirect is followed by another request.
    private mutating func requireEntryForCancelledCheck(
        _ id: TransferID, _ event: TraceEvent, _ observed: ObservedState
    ) {
        guard let transfer = observed.transfer(id, ofProcess: event.process), transfer.isManifest,
            !(300..<400).contains(transfer.status ?? 0)
        else { return }
        requireEntry("a check was cancelled", LogCause.endsOfCheck, observed)
    }

    private mutating func requireEntry(
        _ what: ViolationText, _ causes: [LogCause], _ observed: ObservedState, version: String? = nil,
        isRedirect: Bool = false
    ) {
        decided += 1
        if observed.logged(
            causes, version: version, since: max(observed.now - .seconds(1), observed.processBegan))
            != nil
        {
            return
        }
        required.append(
            RequiredEntry(
                what: what, causes: causes, version: version, due: observed.now + EverythingLogged.deadline,
                process: observed.process, isRedirect: isRedirect))
    }

    private mutating func removeRequired(by entry: LogEntry) {
        required.removeAll {
            $0.causes.contains(entry.cause) && ($0.version == nil || $0.version == entry.version)
        }
    }

    private mutating func postpone(to due: Instant) {
        for index in required.indices { required[index].due = due }
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard
            let missing = required.first(where: {
                $0.due + observed.diskDelay < observed.now && $0.process == observed.process
            })
        else { return nil }
        required.removeAll()
        return Violation(
            "Nothing in the log tells of this: \(missing.what)",
            expected: ViolationText(missing.causes.prefix(6).map(\.rawValue).joined(separator: ", ")),
            actual: "no entry")
    }

    // MARK: - Requests

    /// An answer that can't be used is refused by its head (U3, U11). A part of a manifest is refused by its
    /// status, whatever else it says.
    private mutating func requireEntryForHead(
        _ id: TransferID, _ status: Int, _ summary: AnswerSummary, _ event: TraceEvent,
        _ observed: ObservedState
    ) {
        guard let request = observed.transfer(id, ofProcess: event.process)?.request,
            request.kind != .outcomes, status == 200 || status == 206 && request.kind != .manifest
        else { return }
        if summary.isCoded {
            requireEntry(
                "the answer from \(request.url) has a content coding", [.codingRefused] + LogCause.ofHead,
                observed)
        } else if status == 206, summary.partFrom != request.from || request.from ?? 0 == 0 {
            requireEntry(
                "\(request.url) answered with another part", [.rangeRefused] + LogCause.ofHead, observed)
        }
    }

    private mutating func requireEntryForAnswer(
        _ id: TransferID, _ event: TraceEvent, _ observed: ObservedState
    ) {
        let transfer = observed.transfer(id, ofProcess: event.process)
        guard let transfer, let status = transfer.status else { return }
        if transfer.isManifest {
            if isRepeatedOrderForNothing(transfer, observed) { return }
            let isRedirect = [301, 302, 303, 307, 308].contains(status)
            let newest = observed.transfers.last { $0.isManifest }
            if isRedirect, newest?.request.transfer != id { return }
            requireEntry(
                "the origin answered a check with status \(status)", LogCause.endsOfCheck, observed,
                isRedirect: isRedirect)
        } else if status >= 400, transfer.route != nil, !transfer.isComplete {
            requireEntry(
                "the origin refused \(transfer.request.url) with status \(status)",
                LogCause.ofNetwork + [.lineChanged], observed)
        }
    }

    /// Whether an answer repeats a publication that offers no version, and none is embedded that it could
    /// mean: the order was logged when it came first, and equal publications change nothing (U8).
    private func isRepeatedOrderForNothing(_ transfer: TransferTrace, _ observed: ObservedState) -> Bool {
        guard transfer.status == 200, transfer.offered == nil, let serial = transfer.serial,
            observed.status?.embedded == nil
        else { return false }
        return observed.transfers.contains {
            $0.isGoodManifestAnswer && $0.serial == serial && $0.offered == nil && $0.sentAt < transfer.sentAt
        }
    }

    private mutating func requireEntryForFailure(
        _ id: TransferID, _ event: TraceEvent, _ observed: ObservedState
    ) {
        let transfer = observed.transfer(id, ofProcess: event.process)
        // A 304 has no body: it is complete with its head, however the transfer ends.
        guard let transfer, transfer.request.kind != .outcomes, transfer.status != 304 else { return }
        requireEntry(
            "the transfer of \(transfer.request.url) failed",
            LogCause.ofNetwork + [.lineChanged, .waitsForNetwork, .updatesOff]
                + (transfer.isManifest ? [.checkDropped] : []), observed)
    }

    /// A file that a page refers to could not be served.
    private mutating func requireEntryForServing(
        _ request: PageRequest, _ answer: PageAnswer, _ observed: ObservedState
    ) {
        switch request.destination {
        case .script, .style, .image, .font: break
        case .document, .frame, .fetch, .other: return
        }
        guard answer.status >= 500 else { return }
        requireEntry(
            "a page got status \(answer.status) for \(request.path)", [.diskFailed, .requestRefused],
            observed)
    }

    // MARK: - Starts

    /// The start that was open when the previous process ended requires an entry that says how it ended.
    private mutating func requireEntry(forOpenStartsOf observed: ObservedState) {
        let previous = observed.starts.last { $0.process == observed.process - 1 }
        guard let previous, previous.servedAt != nil, previous.end == nil, !observed.isProven(previous.key),
            observed.buildsSeen.count == 1, !observed.isMediumDamaged,
            // A start without a record (R2) has no end.
            !observed.isUnmarked(previous), !wasLeft(previous, observed)
        else { return }
        requireEntry(
            "the start of \(version: observed.name(previous.key)) ended with its process",
            LogCause.endsOfStart
                + [.recordLost, .storeUpdate, .previousBuildDropped, .storeInUse, .storeUnavailable], observed
        )
    }

    /// Whether the device has changed to another version in the start's own process: that is its end. A page
    /// load of a start that has ended, whose rescue was put off, is none of its own.
    private func wasLeft(_ start: StartTrace, _ observed: ObservedState) -> Bool {
        observed.logged.contains {
            $0.process == start.process && $0.at >= start.begunAt
                && [.switched, .rescued].contains($0.entry.cause)
                && $0.entry.version.map { $0 != start.key.id } ?? false
        }
    }

    private mutating func evaluateRescue(to key: VersionKey, _ observed: ObservedState) -> Violation? {
        let earlier = observed.starts.last { $0.key != key || $0.process != observed.process }
        guard let previous = earlier, previous.process == observed.process, previous.key != key,
            previous.end != .confirmed, previous.servedAt != nil, observed.previousStatus?.pending != key
        else { return nil }
        decided += 1
        let causes: [LogCause] =
            [.rescued, .webProcessGaveUp, .nothingToRescueTo, .recalled, .contentDamaged, .switched]
            + LogCause.endsOfStart
        if observed.logged(causes, since: previous.begunAt) != nil { return nil }
        let (left, started) = (observed.name(previous.key), observed.name(key))
        return Violation(
            "Nothing in the log tells of the rescue from \(version: left) to \(version: started)",
            expected: "rescued", actual: "no entry")
    }

    // MARK: - Blame

    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        guard let previous = observed.previousStatus else { return nil }
        for key in status.blacklist where !previous.blacklist.contains(key) {
            decided += 1
            if observed.logged([.blacklistEntry], version: key.id) == nil {
                return missingEntry("the blacklist entry of \(version: observed.name(key))", .blacklistEntry)
            }
        }
        for key in status.parked where !previous.parked.contains(key) {
            decided += 1
            if observed.logged([.parked], version: key.id) == nil {
                return missingEntry("the parking of \(version: observed.name(key))", .parked)
            }
        }
        if let pending = previous.pending, status.pending != pending, status.current != pending {
            decided += 1
            if observed.logged(LogCause.leavesPending, since: observed.processBegan) != nil { return nil }
            return missingEntry("\(version: observed.name(pending)) is not pending any more", .pendingDropped)
        }
        return nil
    }

    private func missingEntry(_ what: ViolationText, _ cause: LogCause) -> Violation {
        Violation(
            "Nothing in the log tells of this: \(what)", expected: ViolationText(cause.rawValue),
            actual: "no entry")
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        // Each piece of a file is such a change. The answer of a check waits for those that came before it.
        if observed.diskDelay > .zero { postpone(to: observed.now + EverythingLogged.deadline) }
        if store.live.commits != liveCommits, writeBegan == nil { writeBegan = observed.now }
        liveCommits = store.live.commits
        guard store.durable.generation ?? 0 > generation, let record = store.durable.record else {
            return nil
        }
        generation = record.generation
        let began = writeBegan ?? observed.now
        writeBegan = nil
        // The log is bounded, so only the newest entries must be in it: those before the record was written.
        let reported = observed.loggedInProcess.suffix(60).filter {
            $0.at < began && LogCause.blames.contains($0.entry.cause)
        }
        for logged in reported.suffix(8) {
            decided += 1
            if record.log.contains(where: {
                $0.cause == logged.entry.cause && $0.version == logged.entry.version
            }) {
                continue
            }
            return Violation(
                "The record was written without an entry that was reported before",
                expected: "\(logged.entry.cause.rawValue) of \(version: logged.entry.version ?? "the app")",
                actual: "the log of generation \(record.generation) does not have it")
        }
        return nil
    }
}
