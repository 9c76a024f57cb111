import Core
import HTTP1

/// A report to the origin that is in progress.
struct OutcomeUpload: Hashable, Sendable {
    var id: TransferID
    /// Ids of the outcomes that a success response removes.
    var reported: [String]
    var status = 0
}

/// T3: outcomes are sent to the origin by id, at least once each, in one POST after a valid response to a
/// check. A 2xx response ends it; after any other they are sent again after the next valid response. Off
/// unless the settings turn it on.
extension Updater {
    /// Called with each log entry. A refusal that is logged with every check is one outcome.
    mutating func recordOutcome(_ entry: LogEntry) {
        guard settings.reportsOutcomes, let version = entry.version,
            let kind = VersionOutcome.Kind(entry.cause)
        else { return }
        if kind == .refused,
            record.outcomes.contains(where: { $0.version == version && $0.cause == entry.cause })
                || record.reportedRefusals.contains("\(entry.cause.rawValue) \(version)")
        {
            return
        }
        record.outcomeCount += 1
        let id = "\(record.device)-\(record.outcomeCount)"
        record.outcomes.append(
            VersionOutcome(
                id: id, time: date(of: .outcome(id)), version: version, native: record.native, kind: kind,
                cause: entry.cause))
        if record.outcomes.count > StoreRecord.outcomeLimit {
            let oldest = record.outcomes.removeFirst()
            dates.forget(.outcome(oldest.id))
        }
    }

    /// Sends the outcomes, because the origin has just answered; those that the record on disk does not have
    /// once it has them. After a crash, the ids of lost ones would mean other outcomes.
    mutating func reportOutcomes() {
        guard mayReportOutcomes, !record.outcomes.isEmpty else { return }
        if durableOutcomes == record.outcomes { sendOutcomes() } else { commit(then: .sendOutcomes) }
    }

    private var mayReportOutcomes: Bool {
        settings.reportsOutcomes && settings.updates != .never && outcomeUpload == nil && !isOriginDelayActive
    }

    private var durableOutcomes: [VersionOutcome] {
        record.outcomes.filter { outcome in durable.outcomes.contains { $0.id == outcome.id } }
    }

    /// Sends the outcomes that the record on disk has.
    mutating func sendOutcomes() {
        let reported = Array(durableOutcomes.prefix(StoreRecord.outcomeLimit))
        guard mayReportOutcomes, !reported.isEmpty else { return }
        let id = nextTransferID()
        outcomeUpload = OutcomeUpload(id: id, reported: reported.map(\.id))
        let fields: HeaderFields = ["Accept-Encoding": "identity", "Content-Type": "application/json"]
        effects.append(
            .fetch(
                id,
                OriginRequest(
                    kind: .outcomes, url: settings.manifestURL + "/outcomes", fields: fields,
                    body: Updater.body(reported))))
        restartOutcomesTimer()
    }

    /// Limits the time of the report in progress, from now.
    mutating func restartOutcomesTimer() {
        guard let id = outcomeUpload?.id else { return }
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout + settings.idleTimeout))
    }

    private static func body(_ outcomes: [VersionOutcome]) -> [UInt8] {
        var json = JSONWriter()
        json.beginArray()
        for outcome in outcomes { outcome.write(to: &json) }
        json.endArray()
        return json.bytes
    }

    mutating func outcomesReceived(_ part: TransferEvent) {
        switch part {
        case .head(let status, let fields):
            outcomeUpload?.status = status
            originRequestedDelay(fields.requestedWait(status), fields.date)
        case .bytes: break
        case .end: outcomesEnded()
        case .failed(let failure): outcomesFailed(failure.rawValue)
        }
    }

    private mutating func outcomesEnded() {
        guard let run = outcomeUpload else { return }
        guard (200..<300).contains(run.status) else { return outcomesFailed("status=\(run.status)") }
        endOutcomeUpload()
        for outcome in record.outcomes where outcome.kind == .refused && run.reported.contains(outcome.id) {
            record.reportedRefusals.append("\(outcome.cause.rawValue) \(outcome.version)")
        }
        if record.reportedRefusals.count > 32 {
            record.reportedRefusals.removeFirst(record.reportedRefusals.count - 32)
        }
        record.outcomes.removeAll { run.reported.contains($0.id) }
        commit()
    }

    private mutating func outcomesFailed(_ detail: String) {
        log(.outcomesNotTaken, nil, "count=\(outcomeUpload?.reported.count ?? 0) \(detail)")
        endOutcomeUpload()
    }

    /// Outcomes that were not accepted are sent again after the next valid response.
    mutating func endOutcomeUpload() {
        guard let run = outcomeUpload else { return }
        effects.append(.cancelTimer(.idle(run.id)))
        outcomeUpload = nil
    }

    mutating func outcomesIdleTimerFired() {
        guard let run = outcomeUpload else { return }
        effects.append(.cancelFetch(run.id))
        outcomesFailed("silent")
    }
}
