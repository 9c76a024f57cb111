import Core
import HTTP1

/// A report to the origin that is on its way.
struct OutcomeRun: Hashable, Sendable {
    var id: TransferID
    /// The ids that a good answer ends.
    var reported: [String]
    var status = 0
}

/// T3: outcomes go to the origin once each by id, at least once, in one POST after a good answer to a check;
/// 2xx ends it, anything else waits for the next good answer. Off unless the settings turn it on.
extension Updater {
    /// Called with each entry of the log. A refusal that is told with every check is one outcome.
    mutating func noteOutcome(_ entry: LogEntry) {
        guard settings.reportsOutcomes, let version = entry.version, let kind = Outcome.Kind(entry.cause)
        else { return }
        if kind == .refused,
            record.outcomes.contains(where: { $0.version == version && $0.cause == entry.cause })
                || record.refusalsTold.contains("\(entry.cause.rawValue) \(version)")
        {
            return
        }
        record.outcomesMade += 1
        let id = "\(record.device)-\(record.outcomesMade)"
        record.outcomes.append(
            Outcome(
                id: id, time: date(of: .outcome(id)), version: version, native: record.native, kind: kind,
                cause: entry.cause))
        if record.outcomes.count > Record.outcomeLimit {
            let oldest = record.outcomes.removeFirst()
            undated.removeAll { $0.entry == .outcome(oldest.id) }
        }
    }

    /// The origin is there: a good moment.
    mutating func reportOutcomes() {
        guard settings.reportsOutcomes, settings.updates != .never, outcomeRun == nil,
            !record.outcomes.isEmpty, !isOriginWaiting
        else { return }
        let reported = Array(record.outcomes.prefix(Record.outcomeLimit))
        let id = newTransfer()
        outcomeRun = OutcomeRun(id: id, reported: reported.map(\.id))
        let fields: HeaderFields = ["Accept-Encoding": "identity", "Content-Type": "application/json"]
        effects.append(
            .fetch(
                id,
                OriginRequest(
                    kind: .outcomes, url: manifestURL + "/outcomes", fields: fields,
                    body: Updater.body(reported))))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout + settings.idleTimeout))
    }

    private static func body(_ outcomes: [Outcome]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for outcome in outcomes { outcome.write(to: &json) }
        json.endArray()
        return json.bytes
    }

    mutating func outcomesReceived(_ part: TransferEvent) {
        switch part {
        case .head(let status, _): outcomeRun?.status = status
        case .bytes: break
        case .end: outcomesEnded()
        case .failed(let failure): outcomesFailed(failure.rawValue)
        }
    }

    private mutating func outcomesEnded() {
        guard let run = outcomeRun else { return }
        guard (200..<300).contains(run.status) else { return outcomesFailed("status=\(run.status)") }
        endOutcomeRun()
        for outcome in record.outcomes where outcome.kind == .refused && run.reported.contains(outcome.id) {
            record.refusalsTold.append("\(outcome.cause.rawValue) \(outcome.version)")
        }
        if record.refusalsTold.count > 32 { record.refusalsTold.removeFirst(record.refusalsTold.count - 32) }
        record.outcomes.removeAll { run.reported.contains($0.id) }
        commit()
    }

    private mutating func outcomesFailed(_ detail: String) {
        log(.outcomesNotTaken, nil, "count=\(outcomeRun?.reported.count ?? 0) \(detail)")
        endOutcomeRun()
    }

    /// What was not taken is reported with the next good answer.
    mutating func endOutcomeRun() {
        guard let run = outcomeRun else { return }
        effects.append(.cancelTimer(.idle(run.id)))
        outcomeRun = nil
    }

    mutating func outcomesAreIdle() {
        guard let run = outcomeRun else { return }
        effects.append(.cancelFetch(run.id))
        outcomesFailed("silent")
    }
}
