import Backend
import Core
import Updater

/// U8: forward only, within one origin line.
///
/// *Where publications are numbered*: no version becomes pending on the strength of an answer below one that
/// was taken. An answer was taken when its version became pending, or when it named what runs or waits and
/// the process went on for a second after it. An answer above all of these that names what runs ends what is
/// pending. *Where they are not* (Meteor's dialect): a version that this device has left becomes pending only
/// after a row of answers that offer it, a minute long and without another one between.
///
/// Numbers and offers are read off the wire; damaged answers have none and prove nothing. What a scenario
/// did to the record, another line and another build begin anew.
struct ForwardOnly: Checker {
    let rule = "U8"

    private struct Answer {
        var id: String
        var serial: Int?
        var at: Instant
        var process: Int
    }

    private var answers: [Answer] = []
    /// The highest number that was taken.
    private var taken = 0
    /// Named what is here; taken when the process lives a second longer.
    private var maybeTaken: [Answer] = []
    private var left: [String] = []
    /// A download that has ended one way or the other.
    private var ended: String?
    private var dropDue: (at: Instant, pending: VersionKey, by: String)?
    private var channel = ""

    /// Answers count for the process that heard them.
    func remember(in sum: inout Hasher) {
        sum.combine(taken)
        sum.combine(left)
        sum.combine(ended)
        sum.combine(channel)
    }

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        ripen(observed)
        if let violation = undropped(observed) { return violation }
        if channel != observed.settings.channel {
            channel = observed.settings.channel
            forget()
        }
        switch fact.kind {
        case .installed, .damaged: forget()
        case .launched, .processEnded, .powerCut:
            maybeTaken = []
            dropDue = nil
            // What was fetched whole and not told of goes on in the next process.
            ended = nil
        case .transferEnded(let id, _, _): note(id, fact, observed)
        case .status(let status): return judge(status, observed)
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        ripen(observed)
        return undropped(observed)
    }

    private mutating func forget() {
        answers = []
        taken = 0
        maybeTaken = []
        left = []
        ended = nil
        dropDue = nil
    }

    private mutating func ripen(_ observed: ObservedState) {
        for answer in maybeTaken where observed.now - answer.at >= .seconds(1) {
            taken = max(taken, answer.serial ?? 0)
        }
        maybeTaken.removeAll { observed.now - $0.at >= .seconds(1) }
    }

    // MARK: - Answers

    private mutating func note(_ id: TransferID, _ fact: TraceEvent, _ observed: ObservedState) {
        let row = observed.transfers.last { $0.request.transfer == id && $0.process == fact.process }
        guard let row, row.isGoodManifestAnswer, let offered = row.offered else { return }
        if let ended { leave(ended) }
        ended = nil
        let answer = Answer(id: offered, serial: row.serial, at: fact.at, process: fact.process)
        answers.append(answer)
        if answers.count > 64 { answers.removeFirst(32) }
        guard let status = observed.status, isNumbered(observed), let serial = answer.serial,
            isAlone(offered, observed)
        else { return }
        let isHere = status.current?.id == offered || status.pending?.id == offered
        guard isHere, serial >= taken else { return }
        if status.current?.id == offered, serial > taken, let pending = status.pending,
            pending.id != offered
        {
            dropDue = (fact.at + .seconds(5), pending, offered)
        }
        maybeTaken.append(answer)
    }

    /// Two versions under one id can't be told apart on the wire.
    private func isAlone(_ id: String, _ observed: ObservedState) -> Bool {
        observed.versions.count { $0.id == id } == 1
    }

    private func isNumbered(_ observed: ObservedState) -> Bool { observed.app.dialect != .meteor }

    // MARK: - Judgement

    private mutating func judge(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        if let due = dropDue, status.pending != due.pending { dropDue = nil }
        guard let former = observed.formerStatus else { return nil }
        defer { leave(from: former, to: status) }
        guard let pending = status.pending, pending != former.pending, isAlone(pending.id, observed),
            observed.logged([.becamePending], version: pending.id, since: observed.now) != nil,
            observed.logged([.parkingEnded], version: pending.id, since: observed.now) == nil
        else { return nil }
        let here = answers.filter { $0.process == observed.process }
        guard let answer = here.last(where: { $0.id == pending.id }) else { return nil }
        if isNumbered(observed) { return judgeNumber(answer, pending, observed) }
        return judgeRow(here, pending, former, observed)
    }

    private mutating func judgeNumber(_ answer: Answer, _ pending: VersionKey, _ observed: ObservedState)
        -> Violation?
    {
        guard let serial = answer.serial else { return nil }
        guard serial < taken else {
            taken = serial
            return nil
        }
        return Violation(
            "\(observed.name(pending)) became pending by an older publication",
            expected: "nothing below publication \(taken), which was taken",
            actual: "publication \(serial) was taken")
    }

    /// The answers at the end that offer it and nothing else.
    private func judgeRow(
        _ here: [Answer], _ pending: VersionKey, _ former: UpdaterStatus, _ observed: ObservedState
    ) -> Violation? {
        guard left.contains(pending.id), former.current != pending else { return nil }
        var row: [Answer] = []
        for answer in here.reversed() {
            guard answer.id == pending.id else { break }
            row.append(answer)
        }
        if let last = row.first, let first = row.last, last.at - first.at >= .seconds(59) { return nil }
        return Violation(
            "\(observed.name(pending)), which this device had left, was taken again on one answer",
            expected: "two checks, 60 s apart, that offer it and none between that offers another",
            actual: "\(row.count) in a row")
    }

    /// What was fetched and is not any more has either become pending by the next answer, or was left.
    private mutating func leave(from former: UpdaterStatus, to status: UpdaterStatus) {
        if let pending = status.pending?.id, ended == pending { ended = nil }
        if let before = former.downloading, before != status.downloading, status.pending != before {
            ended = before.id
        }
        for (before, after) in [(former.current, status.current), (former.pending, status.pending)] {
            guard let before, before != after, status.current != before, status.pending != before else {
                continue
            }
            leave(before.id)
        }
    }

    private mutating func leave(_ id: String) {
        left.removeAll { $0 == id }
        left.append(id)
        if left.count > 16 { left.removeFirst() }
    }

    private mutating func undropped(_ observed: ObservedState) -> Violation? {
        guard let due = dropDue, observed.now > due.at, observed.status?.pending == due.pending else {
            return nil
        }
        dropDue = nil
        return Violation(
            "The origin named what runs, and \(observed.name(due.pending)) stayed pending",
            expected: "nothing pending beside \(observed.names.name(ofID: due.by))",
            actual: "pending \(observed.name(due.pending))")
    }
}
