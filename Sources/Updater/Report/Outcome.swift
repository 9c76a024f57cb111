import Core

/// What has become of a version on this device, for the operator who may stop a rollout (T3, manifests.md).
enum OutcomeKind: String, Hashable, Sendable, CaseIterable {
    /// Complete and verified, waiting for its moment.
    case taken
    case confirmed
    case failed
    case rescued
    case refused
}

/// One outcome, kept in the record until the origin has taken it.
struct Outcome: Hashable, Sendable {
    /// Unique for this device; the origin counts an id once, however often it arrives.
    var id: String
    /// Origin time, as far as it was known.
    var time: OriginTime?
    var version: String
    var native: String
    var kind: OutcomeKind
    var cause: LogCause

    func write(_ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        if let time { json.member("time", time.seconds) }
        json.member("version", version)
        json.member("native", native)
        json.member("outcome", kind.rawValue)
        json.member("cause", cause.rawValue)
        json.endObject()
    }
}

/// Outcomes on their way to the origin.
struct OutcomePost: Hashable, Sendable {
    var id: TransferID
    /// Ids of the outcomes in the body.
    var outcomes: [String]
    var status = 0
}

/// T3: each outcome is noted with the record that holds its cause, and posted after a check that the origin
/// answered well, until a post got a 2xx. Nothing is asked for it alone: an origin that is not reachable for
/// checks is not reachable for outcomes, so there is no back-off of its own.
extension Updater {
    mutating func note(_ kind: OutcomeKind, _ key: VersionKey, _ cause: LogCause) {
        guard settings.reportsOutcomes, settings.updates != .never else { return }
        record.outcomeCount += 1
        record.outcomes.append(
            Outcome(
                id: "\(record.device.prefix(12))-\(record.outcomeCount)", time: record.originTime,
                version: key.id, native: record.native, kind: kind, cause: cause))
        let excess = record.outcomes.count - Record.outcomeLimit
        if excess > 0 { record.outcomes.removeFirst(excess) }
    }

    /// Only what is durable is posted: an outcome that a power cut takes back was never told.
    mutating func postOutcomes() {
        guard settings.reportsOutcomes, settings.updates != .never, outcomePost == nil else { return }
        let due = record.outcomes.filter { durable.outcomes.contains($0) }
        guard !due.isEmpty else { return }
        var json = JSONWriter()
        json.beginArray()
        for outcome in due { outcome.write(&json) }
        json.endArray()
        let id = newTransfer()
        outcomePost = OutcomePost(id: id, outcomes: due.map(\.id))
        effects.append(
            .fetch(
                id,
                OriginRequest(
                    kind: .outcomes, url: manifestURL + "/outcomes",
                    fields: [OriginField("Content-Type", "application/json")], body: json.bytes)))
        effects.append(.setTimer(.idle(id), after: settings.idleTimeout))
    }

    mutating func outcomesReceived(_ part: TransferEvent) {
        guard var post = outcomePost else { return }
        switch part {
        case .head(let status, _):
            post.status = status
            outcomePost = post
        case .bytes: break
        case .end: outcomesEnded(post)
        case .failed(let failure): outcomesFailed(post, failure.rawValue)
        }
    }

    private mutating func outcomesEnded(_ post: OutcomePost) {
        guard (200...299).contains(post.status) else { return outcomesFailed(post, "status=\(post.status)") }
        outcomePost = nil
        effects.append(.cancelTimer(.idle(post.id)))
        record.outcomes.removeAll { post.outcomes.contains($0.id) }
        commit()
    }

    mutating func outcomesAreIdle() {
        guard let post = outcomePost else { return }
        effects.append(.cancelFetch(post.id))
        outcomesFailed(post, "silent")
    }

    private mutating func outcomesFailed(_ post: OutcomePost, _ detail: String) {
        outcomePost = nil
        effects.append(.cancelTimer(.idle(post.id)))
        log(.outcomesNotTaken, nil, "count=\(post.outcomes.count) \(detail)")
    }
}
