import Backend
import Core
import Updater

/// T1: every refusal, failure, rescue, blame and skipped update leaves an entry with a cause.
///
/// Each thing of that kind that can be seen from outside opens a debt: a log entry with a fitting cause
/// must stand before it in the same second or follow within ten, while the process lives and runs: what
/// happened to one that stood still it learns of when it goes on. What
/// is blamed must also stand in the log that the record carries, with the record's next write.
struct EverythingLogged: Checker {
    let rule = "T1"
    /// How long an entry may take, in virtual time.
    static let patience = TimeSpan.seconds(10)

    private struct Debt {
        var what: String
        var causes: [LogCause]
        var version: String?
        var due: Instant
        var process: Int
    }

    private var debts: [Debt] = []
    private var generation: UInt64 = 0

    /// Debts end with their process.
    func remember(in sum: inout Hasher) { sum.combine(generation) }

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if case .resumed = fact.kind { postpone(to: observed.now + EverythingLogged.patience) }
        if let violation = overdue(observed) { return violation }
        switch fact.kind {
        case .log(let entry): settle(entry)
        case .processEnded, .powerCut, .suspended: debts.removeAll()
        case .launched: owe(forOpenStartsOf: observed)
        case .transferEnded(let id, _, _): oweForAnswer(id, fact, observed)
        case .transferFailed(let id, _, _): oweForFailure(id, fact, observed)
        case .status(let status): return judge(status, observed)
        case .pageLoad(_, _, let key): return judgeRescue(to: key, observed)
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    // MARK: - Debts

    private mutating func owe(
        _ what: String, _ causes: [LogCause], _ observed: ObservedState, version: String? = nil
    ) {
        if observed.logged(
            causes, version: version, since: max(observed.now - .seconds(1), observed.processBegan))
            != nil
        {
            return
        }
        debts.append(
            Debt(
                what: what, causes: causes, version: version, due: observed.now + EverythingLogged.patience,
                process: observed.process))
    }

    private mutating func settle(_ entry: LogEntry) {
        debts.removeAll { debt in
            debt.causes.contains(entry.cause) && (debt.version == nil || debt.version == entry.version)
        }
    }

    private mutating func postpone(to due: Instant) {
        for place in debts.indices { debts[place].due = due }
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard !observed.isSuspended,
            let debt = debts.first(where: { $0.due < observed.now && $0.process == observed.process })
        else { return nil }
        debts.removeAll()
        return Violation(
            "Nothing in the log tells of this: \(debt.what)",
            expected: debt.causes.prefix(6).map(\.rawValue).joined(separator: ", "), actual: "no entry")
    }

    // MARK: - Requests

    private mutating func oweForAnswer(_ id: TransferID, _ fact: TraceEvent, _ observed: ObservedState) {
        let row = observed.transfers.last { $0.request.transfer == id && $0.process == fact.process }
        guard let row, let status = row.status else { return }
        if row.isManifest {
            owe("the origin answered a check with status \(status)", LogCause.endsOfCheck, observed)
        } else if status >= 400, row.route != nil {
            owe("the origin refused \(row.request.url) with status \(status)", LogCause.ofNetwork, observed)
        }
    }

    private mutating func oweForFailure(_ id: TransferID, _ fact: TraceEvent, _ observed: ObservedState) {
        let row = observed.transfers.last { $0.request.transfer == id && $0.process == fact.process }
        guard let row, row.request.kind != .outcomes else { return }
        owe("the transfer of \(row.request.url) failed", LogCause.ofNetwork, observed)
    }

    // MARK: - Starts

    /// A start of the process before that had not ended has an end by now.
    private mutating func owe(forOpenStartsOf observed: ObservedState) {
        let former = observed.starts.last { $0.process == observed.process - 1 }
        guard let former, former.servedAt != nil, former.end == nil, !observed.isProven(former.key),
            observed.buildsSeen.count == 1, !observed.isMediumDamaged
        else { return }
        owe(
            "the start of \(observed.name(former.key)) ended with its process",
            LogCause.endsOfStart + [.recordLost, .storeUpdate, .previousBuildDropped], observed)
    }

    private func judgeRescue(to key: VersionKey, _ observed: ObservedState) -> Violation? {
        let earlier = observed.starts.last { $0.key != key || $0.process != observed.process }
        guard let former = earlier, former.process == observed.process, former.key != key,
            former.end != .confirmed, former.servedAt != nil, observed.formerStatus?.pending != key
        else { return nil }
        let causes: [LogCause] =
            [.rescued, .webProcessGaveUp, .nothingToRescueTo, .recalled, .contentDamaged, .switched]
            + LogCause.endsOfStart
        if observed.logged(causes, since: former.begunAt) != nil { return nil }
        return Violation(
            "Nothing in the log tells of the rescue from \(observed.name(former.key)) to \(observed.name(key))",
            expected: "rescued", actual: "no entry")
    }

    // MARK: - Blame

    private func judge(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        guard let former = observed.formerStatus else { return nil }
        for key in status.blacklist where !former.blacklist.contains(key) {
            if observed.logged([.blacklistEntry], version: key.id) == nil {
                return untold("the blacklist entry of \(observed.name(key))", .blacklistEntry)
            }
        }
        for key in status.parked where !former.parked.contains(key) {
            if observed.logged([.parked], version: key.id) == nil {
                return untold("the parking of \(observed.name(key))", .parked)
            }
        }
        if let pending = former.pending, status.pending != pending, status.current != pending,
            observed.logged(LogCause.leavesPending, since: observed.processBegan) == nil
        {
            return untold("\(observed.name(pending)) is not pending any more", .pendingDropped)
        }
        return nil
    }

    private func untold(_ what: String, _ cause: LogCause) -> Violation {
        Violation(
            "Nothing in the log tells of this: \(what)", expected: cause.rawValue, actual: "no entry")
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        guard store.durable.generation ?? 0 > generation, let record = store.durable.record else {
            return nil
        }
        generation = record.generation
        let told = observed.logged.filter {
            $0.process == observed.process && $0.at < observed.now && LogCause.blames.contains($0.entry.cause)
        }
        // The log is bounded: only what is among the newest can be missed.
        for row in told.suffix(8) where observed.logged.suffix(60).contains(where: { $0.fact == row.fact }) {
            if record.log.contains(where: {
                $0.cause == row.entry.cause && $0.version == row.entry.version
            }) {
                continue
            }
            return Violation(
                "The record was written without an entry that was told before",
                expected: "\(row.entry.cause.rawValue) of \(row.entry.version ?? "the app")",
                actual: "the log of generation \(record.generation) does not have it")
        }
        return nil
    }
}

extension LogCause {
    /// How a check, an offer or a download can end or be refused.
    static let endsOfCheck: [LogCause] =
        [
            .upToDate, .nothingOffered, .alreadyPending, .alreadyDownloading, .olderThanAccepted,
            .dateAhead, .contradictsAccepted, .leftBefore, .blacklisted, .parkedOffer, .parkingEnded,
            .recalledOffer,
            .recalled, .downloadStarted, .superseded, .becamePending, .pendingDropped,
            .rolledBackByOrder, .embeddedByOrder, .manifestChanged, .manifestUnreadable,
            .manifestUnknownFormat, .manifestFieldMissing, .manifestFieldMalformed,
            .manifestUnsafeRoute, .manifestRoutesClash, .manifestPathsClash, .manifestTooLarge,
            .manifestTooManyAssets,
            .versionTooLarge, .numberCorrected, .otherChannel, .lineChanged, .manifestWithoutVersion,
            .otherApp,
            .nativeOutsideRange, .indexOfOtherVersion, .noSpace,
        ] + ofNetwork

    static let ofNetwork: [LogCause] = [
        .checkFailed, .transferFailed, .statusRefused, .contentMismatch, .lengthMismatch,
        .transferStalled, .retriesExhausted, .superseded, .manifestChanged, .noSpace, .diskFailed,
        .redirectRefused, .rangeRefused, .codingRefused, .optionalMissing, .fileTooLarge,
        .originChangeNotAllowed,
    ]

    static let endsOfStart: [LogCause] = [
        .startConfirmed, .startFailedByPage, .startFailedByCrash, .startFailedNotResponding,
        .startFailedWebProcess, .startFailedByClock, .startUnclear, .startUnclearByClock, .startUncounted,
    ]

    /// Why a version stops being pending.
    static let leavesPending: [LogCause] =
        [
            .pendingDropped, .superseded, .recalled, .blacklisted, .blacklistEntry, .parked, .rescued,
            .contentDamaged, .storeUpdate, .previousBuildDropped, .lineChanged, .embeddedByOrder,
            .rolledBackByOrder, .recordLost, .recordFellBack, .switched, .becamePending,
        ] + endsOfStart

    /// What must travel with the record.
    static let blames: [LogCause] = [
        .blacklistEntry, .parked, .rescued, .startFailedByPage, .startFailedByCrash,
        .startFailedNotResponding, .startFailedWebProcess, .startFailedByClock, .startUnclear,
        .startUnclearByClock,
    ]
}
