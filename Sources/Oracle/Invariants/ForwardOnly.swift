import Backend
import Core
import Updater

/// U8: within one origin line, a device only moves forward.
///
/// *If publications are numbered*: no version becomes pending because of an answer whose publication number
/// is lower than one that was accepted. An answer is accepted when its version becomes pending, or when it
/// names the current or the pending version and the process lives for another second. If an answer has a
/// higher number than all accepted ones and names the current version, the pending version is dropped within
/// five seconds.
///
/// *If they are not numbered* (Meteor's dialect): a version that this device has left becomes pending again
/// only after a sequence of answers that all offer it and that lasts a minute. A version that was taken out
/// of use because its content is damaged, or that is parked, is left when another one is downloaded or
/// becomes pending: to repair it, or to start it again, is no new offer.
///
/// Silent about: damaged answers, which have no number and no offer on the wire; versions that share an id,
/// which can't be distinguished there; an offer of a version that is recalled, because it is refused and the
/// next allowed moment leaves what runs for what is pending (U13), and one of a version for another native
/// build, which is refused too (U10). The memory is reset after damage of the
/// record, and when the origin line or the native build changes; what another line drops counts as left in
/// the previous line. So is what a process has left and could not write. A report of a process that can't use
/// its store, or has not opened it yet, does not show what the device has left.
struct ForwardOnly: Checker {
    let rule = "U8"
    private var decided = (numbers: 0, drops: 0, sequences: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("U8.below", decided.numbers),
            DecisionCount("U8.names-running", decided.drops),
            DecisionCount("U8.second-check", decided.sequences),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0, 0) }

    private struct ManifestAnswer {
        /// Id of the version that it offers; nil: damaged, so that it is unknown.
        var id: String?
        /// Serial of the publication, or its date in a dialect that orders by dates.
        var number: Int?
        var at: Instant
        var process: Int
    }

    private var answers: [ManifestAnswer] = []
    /// Highest publication number that was accepted.
    private var accepted = 0
    /// The one at the last record that was written.
    private var written = 0
    /// Answers that named the current or pending version; they are accepted if the process lives for another
    /// second.
    private var maybeAccepted: [ManifestAnswer] = []
    /// Highest number of those whose process ended within that second: it may have recorded them.
    private var perhapsRecorded = 0
    /// Ids of versions that this device has left, the latest last.
    private var left: [String] = []
    /// Ids of versions that this process has left, and has not written so.
    private var unwritten: [String] = []
    /// Number of records that were durable at the last event.
    private var commits = 0
    /// The one when stored content was damaged last: the next process may find an older record.
    private var commitsAtDamage: Int?
    /// Ids of versions that are damaged or parked: they may be repaired, or started again.
    private var outOfUse: [String] = []
    /// Id of the version whose download has ended, with or without success.
    private var ended: String?
    /// A pending version that must be dropped, by when, and the id of the version that the origin named.
    private var dropDue: (at: Instant, pending: VersionKey, by: String)?
    private var line: ObservedLine?
    /// Whether the origin has been asked since the line changed.
    private var isLineAsked = true
    /// Current and pending version at the last report that shows what the record names.
    private var held: [String] = []
    private var builds = BuildChanges()
    /// Whether the process is stopped, before the event that is being checked.
    private var isStopped = false

    private static let timeToDrop = TimeSpan.seconds(5)
    private static let timeToRecord = TimeSpan.seconds(1)
    /// Why a manifest with a version is not accepted (U8, U9, U10).
    private static let refusals: [LogCause] = [
        .dateAhead, .otherApp, .otherChannel, .nativeOutsideRange, .originChangeNotAllowed,
    ]
    /// Causes that say that what is dropped stays pending on the disk.
    private static let writeErrors: [LogCause] = [.recordNotWritten, .diskFailed, .storeUnavailable]

    /// Leaves out answers, because they count only in the process that received them.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(accepted)
        hasher.combine(written)
        hasher.combine(commitsAtDamage == commits)
        hasher.combine(perhapsRecorded)
        hasher.combine(left)
        hasher.combine(outOfUse)
        hasher.combine(ended)
        hasher.combine(line)
        hasher.combine(isLineAsked)
        hasher.combine(held)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if case .resumed = event.kind { postpone(to: observed.now) }
        if store.durable.commits != commits {
            commits = store.durable.commits
            unwritten = []
            written = accepted
        }
        acceptAnswers(observed)
        if let violation = overdueDrop(observed) { return violation }
        isStopped = observed.isSuspended
        let line = ObservedLine(observed)
        if self.line != line {
            isLineAsked = self.line == nil
            self.line = line
            forget()
        }
        switch event.kind {
        case .damaged:
            // The running process still knows the number.
            let known = max(accepted, perhapsRecorded)
            commitsAtDamage = commits
            forget()
            perhapsRecorded = known
        case .launched, .processEnded, .powerCut:
            if case .launched = event.kind, builds.hasChanged(observed) { forget() }
            // What a process could not write, no later one knows of.
            if observed.hasLoggedInProcess(.recordNotWritten) {
                left.removeAll(where: unwritten.contains)
                held = []
                accepted = min(accepted, written)
            }
            unwritten = []
            if commitsAtDamage == commits { (left, held) = ([], []) }
            perhapsRecorded = maybeAccepted.reduce(perhapsRecorded) { max($0, $1.number ?? 0) }
            maybeAccepted = []
            dropDue = nil
            // A download that was complete, but not reported as pending, continues in the next process.
            ended = nil
        case .requestSent(let request) where request.kind == .manifest: isLineAsked = true
        case .transferEnded(let id, _, _): note(id, event, observed)
        // What is refused is not taken, and so leaves what is pending.
        case .log(let entry) where ForwardOnly.refusals.contains(entry.cause):
            maybeAccepted.removeAll { $0.id == entry.version && $0.process == event.process }
            let refused = answers.lastIndex { $0.id == entry.version && $0.process == event.process }
            if let refused { answers.remove(at: refused) }
            // An order of another channel (U9) names no version.
            if entry.version == dropDue?.by || entry.cause == .otherChannel { dropDue = nil }
        // Another version has this number for the device: a second check must say so (U8).
        case .log(let entry) where entry.cause == .contradictsAccepted && entry.version == dropDue?.by:
            dropDue = nil
        // The accepted version is offered under a lower number.
        case .log(let entry) where entry.cause == .numberCorrected:
            if let id = entry.version { correct(id, publication(ofOffer: id, event)) }
        // A manifest that orders the embedded version names another one (U13).
        case .log(let entry) where entry.cause == .embeddedByOrder && entry.version == dropDue?.pending.id:
            dropDue = nil
        case .status(let status):
            return store.isOfChannel(observed.settings.channel) ? evaluate(status, observed) : nil
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        acceptAnswers(observed)
        return overdueDrop(observed)
    }

    /// The publication by which the process was last offered a version; nil: none, or it has no number.
    private func publication(ofOffer id: String, _ event: TraceEvent) -> Int? {
        answers.last { $0.id == id && $0.process == event.process }?.number
    }

    private mutating func correct(_ id: String, _ number: Int?) {
        guard let number else { return }
        accepted = number
        // A version that is still being fetched has the lower one when it becomes pending.
        answers.removeAll { $0.id == id && ($0.number ?? 0) > number }
        perhapsRecorded = min(perhapsRecorded, number)
        maybeAccepted.removeAll { ($0.number ?? 0) > number }
    }

    private mutating func forget() {
        answers = []
        accepted = 0
        written = 0
        maybeAccepted = []
        perhapsRecorded = 0
        left = []
        outOfUse = []
        held = []
        ended = nil
        dropDue = nil
    }

    /// A stopped process handles its answers when it resumes.
    private mutating func postpone(to now: Instant) {
        for index in maybeAccepted.indices { maybeAccepted[index].at = max(maybeAccepted[index].at, now) }
        if let due = dropDue { dropDue?.at = max(due.at, now + ForwardOnly.timeToDrop) }
    }

    private mutating func acceptAnswers(_ observed: ObservedState) {
        if maybeAccepted.isEmpty || isStopped { return }
        for answer in maybeAccepted where observed.now - answer.at >= .seconds(1) {
            accepted = max(accepted, answer.number ?? 0)
        }
        maybeAccepted.removeAll { observed.now - $0.at >= .seconds(1) }
    }

    // MARK: - Answers

    private mutating func note(_ id: TransferID, _ event: TraceEvent, _ observed: ObservedState) {
        let transfer = observed.transfer(id, ofProcess: event.process)
        guard let transfer, transfer.isGoodManifestAnswer else { return }
        guard let offered = observed.offeredID(transfer) else {
            if transfer.status == 200 {
                keep(ManifestAnswer(id: nil, at: event.at, process: event.process))
            }
            return
        }
        // A download that failed and is offered again goes on; the device has not left it.
        if let ended, ended != offered {
            leave(ended)
        }
        ended = nil
        let answer = ManifestAnswer(
            id: offered, number: transfer.date ?? transfer.serial, at: event.at, process: event.process)
        keep(answer)
        guard let status = observed.status, isNumbered(observed), let number = answer.number,
            hasUniqueID(offered, observed)
        else { return }
        let installed = [status.current, status.pending].compactMap(\.self).first { $0.id == offered }
        guard let installed, number >= accepted, !observed.isRecalled(installed),
            observed.fits(observed.name(installed))
        else { return }
        // A version that is being downloaded, too, was offered by a publication that was taken.
        let download = status.downloading.flatMap { publication(ofOffer: $0.id, event) } ?? 0
        let highest = maybeAccepted.reduce(max(accepted, perhapsRecorded, download)) {
            max($0, $1.number ?? 0)
        }
        if status.current?.id == offered, number > highest,
            let pending = status.pending, pending.id != offered
        {
            dropDue = (event.at + ForwardOnly.timeToDrop, pending, offered)
        }
        maybeAccepted.append(answer)
    }

    private mutating func keep(_ answer: ManifestAnswer) {
        answers.append(answer)
        if answers.count > 64 { answers.removeFirst(32) }
    }

    /// Two versions with the same id can't be distinguished on the wire.
    private func hasUniqueID(_ id: String, _ observed: ObservedState) -> Bool {
        observed.versions.count { $0.id == id } == 1
    }

    private func isNumbered(_ observed: ObservedState) -> Bool { observed.app.dialect != .meteor }

    // MARK: - Evaluation

    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        if let due = dropDue, status.pending != due.pending {
            decided.drops += 1
            dropDue = nil
        }
        let previous = observed.previousStatus
        defer { leave(from: previous, to: status, observed) }
        guard let previous, let pending = status.pending, pending != previous.pending,
            hasUniqueID(pending.id, observed),
            observed.logged([.becamePending], version: pending.id, since: observed.now) != nil,
            observed.logged([.parkingEnded], version: pending.id, since: observed.now) == nil
        else { return nil }
        let answersOfProcess = answers.filter { $0.process == observed.process }
        guard let last = answersOfProcess.lastIndex(where: { $0.id == pending.id }) else { return nil }
        // An order to run the embedded version names another one, or none.
        if observed.logged([.embeddedByOrder], version: pending.id, since: answersOfProcess[last].at) != nil {
            return nil
        }
        if isNumbered(observed) {
            // It is taken by any of the answers in a row that offer it: the last one may be an older
            // publication, refused while the version was being recorded.
            let row = answersOfProcess[...last].reversed().prefix { $0.id == pending.id }
            return evaluateNumber(row.compactMap(\.number).max(), pending, observed)
        }
        return evaluateSequence(answersOfProcess, pending, previous, observed)
    }

    private mutating func evaluateNumber(_ number: Int?, _ pending: VersionKey, _ observed: ObservedState)
        -> Violation?
    {
        guard let number else { return nil }
        decided.numbers += 1
        guard number < accepted else {
            accepted = number
            return nil
        }
        return Violation(
            "\(version: observed.name(pending)) became pending by an older publication",
            expected: "nothing below publication \(accepted), which was taken",
            actual: "publication \(number) was taken")
    }

    /// The newest answers must all offer the version, for a minute.
    private mutating func evaluateSequence(
        _ answers: [ManifestAnswer], _ pending: VersionKey, _ previous: UpdaterStatus,
        _ observed: ObservedState
    ) -> Violation? {
        guard left.contains(pending.id), previous.current != pending else { return nil }
        decided.sequences += 1
        var sequence: [ManifestAnswer] = []
        for answer in answers.reversed() {
            // One that came while the version was being recorded.
            let isLate = observed.now - answer.at <= ForwardOnly.timeToRecord + observed.diskDelay
            if sequence.isEmpty, isLate, let id = answer.id, id != pending.id { continue }
            // A damaged answer may offer it too.
            guard answer.id ?? pending.id == pending.id else { break }
            sequence.append(answer)
        }
        if let last = sequence.first, let first = sequence.last, last.at - first.at >= .seconds(59) {
            return nil
        }
        return Violation(
            "\(version: observed.name(pending)), which this device had left, was taken again on one answer",
            expected: "two checks, 60 s apart, that offer it and none between that offers another",
            actual: "\(sequence.count) in a row")
    }

    /// Remembers versions that are no longer current or pending, and a download that has ended. A version
    /// whose download has ended either becomes pending before the next answer, or was left.
    private mutating func leave(
        from previous: UpdaterStatus?, to status: UpdaterStatus, _ observed: ObservedState
    ) {
        if let pending = status.pending?.id, ended == pending { ended = nil }
        // A process that can't write reports now what it has decided, now what is recorded.
        guard status.current != nil || status.pending != nil,
            !observed.hasLoggedInProcess(.storeUnavailable),
            !observed.hasLoggedInProcess(.recordNotWritten)
        else { return }
        if let before = previous?.downloading, before != status.downloading, status.pending != before,
            isLineAsked
        {
            ended = before.id
        }
        let now = [status.current, status.pending].compactMap { $0?.id }
        for id in held where isLineAsked && !now.contains(id) {
            // An earlier process may have found the damage.
            let isDamaged = observed.logged([.contentDamaged], version: id) != nil
            let isParked = status.parked.contains { $0.id == id }
            if isDamaged || isParked { outOfUse.append(id) } else { leave(id) }
        }
        held = now
        for other in [status.downloading, status.pending].compactMap({ $0?.id }) {
            for id in outOfUse where id != other { leave(id) }
            outOfUse.removeAll { $0 != other }
        }
        left.removeAll(where: now.contains)
        if let current = status.current?.id { outOfUse.removeAll { $0 == current } }
    }

    private mutating func leave(_ id: String) {
        if !left.contains(id) { unwritten.append(id) }
        left.removeAll { $0 == id }
        left.append(id)
        if left.count > 16 { left.removeFirst() }
    }

    private mutating func overdueDrop(_ observed: ObservedState) -> Violation? {
        guard let due = dropDue, observed.now > due.at + observed.diskDelay, !isStopped,
            observed.status?.pending == due.pending
        else { return nil }
        if ForwardOnly.writeErrors.contains(where: { observed.hasLoggedInProcess($0) }) { return nil }
        decided.drops += 1
        dropDue = nil
        return Violation(
            "The origin named what runs, and \(version: observed.name(due.pending)) stayed pending",
            expected: "nothing pending beside \(version: observed.names.name(ofID: due.by))",
            actual: "pending \(version: observed.name(due.pending))")
    }
}
