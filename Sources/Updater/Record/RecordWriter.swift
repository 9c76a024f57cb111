import Core

/// Writes the JSON of a record, field by field, so that the file can be understood by reading it.
enum RecordWriter {
    static func body(_ record: StoreRecord) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("device", record.device)
        lineMembers(record.line, &json)
        if let user = record.audience.user { json.member("user", user) }
        if let cohort = record.audience.cohort { json.member("cohort", cohort) }
        json.member("native", record.native)
        optional(record.embedded, "embedded", &json)
        if let boot = record.boot { json.member("boot", boot) }
        list(record.checked, "checked", &json, key)
        list(record.versions, "versions", &json, version)
        optional(record.current, "current", &json)
        if let since = record.currentSince { json.member("currentSince", since.seconds) }
        optional(record.pending, "pending", &json)
        if let wait = record.wait {
            json.key("wait")
            json.beginObject()
            json.member("launches", wait.launches)
            json.member("rescuerConfirmed", wait.rescuerConfirmed)
            json.endObject()
        }
        optional(record.lastKnownGood, "lastKnownGood", &json)
        optional(record.previousGood, "goodBefore", &json)
        if let start = record.openStart {
            json.key("openStart")
            openStart(start, &json)
        }
        list(record.startHistories, "marks", &json, startHistory)
        if let parked = record.parked {
            json.key("parked")
            json.beginObject()
            keyMembers(parked.key, &json)
            if let since = parked.since { json.member("since", since.seconds) }
            json.endObject()
        }
        list(record.blacklist, "blacklist", &json, blacklistEntry)
        list(record.recalled, "recalled", &json) { text, json in json.string(text) }
        list(record.withheldRecalls, "withheldRecalls", &json) { text, json in json.string(text) }
        list(record.unblocked, "unblocked", &json) { text, json in json.string(text) }
        list(record.leftVersions, "left", &json, key)
        order(record.newestAccepted, &json)
        if let settled = record.settled {
            json.key("settled")
            json.beginObject()
            order(settled.order, &json)
            optional(settled.key, "accepted", &json)
            list(settled.recalled, "recalled", &json) { text, json in json.string(text) }
            json.endObject()
        }
        optional(record.accepted, "accepted", &json)
        if let time = record.originTime { json.member("originTime", time.seconds) }
        list(record.lineKeys, "lineKeys", &json, lineKeys)
        list(record.acceptedSignatures, "signatures", &json, signature)
        optional(record.download, "download", &json)
        list(record.damaged, "damaged", &json) { digest, json in json.string(digest.hex) }
        if record.distrustsUnusedContent { json.member("distrustsUnusedContent", true) }
        if record.keepsNewerFormat { json.member("keepsNewerFormat", true) }
        list(record.switches, "switches", &json) { entry, json in
            json.beginObject()
            keyMembers(entry.key, &json)
            if let at = entry.at { json.member("at", at.seconds) }
            json.endObject()
        }
        list(record.outcomes, "outcomes", &json) { $0.write(to: &$1) }
        if record.outcomeCount > 0 { json.member("outcomesMade", record.outcomeCount) }
        list(record.reportedRefusals, "refusalsTold", &json) { text, json in json.string(text) }
        list(record.log, "log", &json, logEntry)
        optional(record.forced, "forced", &json)
        if let data = record.data {
            json.key("data")
            json.beginObject()
            json.member("schema", data.schema)
            json.member("readableFrom", data.readableFrom)
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }

    private static func order(_ order: PublicationOrder, _ json: inout JSONWriter) {
        switch order {
        case .none: break
        case .serial(let serial): json.member("serial", serial)
        case .date(let date): json.member("date", date.seconds)
        }
    }

    private static func list<Item>(
        _ items: [Item], _ name: String, _ json: inout JSONWriter, _ write: (Item, inout JSONWriter) -> Void
    ) {
        guard !items.isEmpty else { return }
        json.key(name)
        json.beginArray()
        for item in items { write(item, &json) }
        json.endArray()
    }

    private static func optional(_ version: VersionKey?, _ name: String, _ json: inout JSONWriter) {
        guard let version else { return }
        json.key(name)
        key(version, &json)
    }

    private static func key(_ key: VersionKey, _ json: inout JSONWriter) {
        json.beginObject()
        keyMembers(key, &json)
        json.endObject()
    }

    private static func keyMembers(_ key: VersionKey, _ json: inout JSONWriter) {
        json.member("id", key.id)
        json.member("digest", key.digest.hex)
    }

    private static func lineMembers(_ line: OriginLine, _ json: inout JSONWriter) {
        json.member("root", line.root)
        json.member("channel", line.channel)
    }

    private static func version(_ entry: VersionEntry, _ json: inout JSONWriter) {
        json.beginObject()
        keyMembers(entry.key, &json)
        json.member("confirmations", entry.confirmations)
        json.member("started", entry.hasStarted)
        if entry.slowestStart > 0 { json.member("slowestStart", entry.slowestStart) }
        if entry.isUnoffered { json.member("unoffered", true) }
        json.endObject()
    }

    private static func openStart(_ start: OpenStart, _ json: inout JSONWriter) {
        json.beginObject()
        keyMembers(start.key, &json)
        json.member("native", start.native)
        if let boot = start.boot { json.member("boot", boot) }
        json.member("token", start.token.text)
        json.member("secondChance", start.isSecondChance)
        json.member("reachable", start.isReachable)
        json.endObject()
    }

    private static func startHistory(_ history: StartHistory, _ json: inout JSONWriter) {
        json.beginObject()
        keyMembers(history.key, &json)
        json.member("failures", history.failures)
        json.member("unclear", history.unclear)
        json.member("uncounted", history.uncounted)
        json.member("parkings", history.parkings)
        if history.hasWaited { json.member("waited", true) }
        json.member("reachable", history.wasReachable)
        json.endObject()
    }

    private static func blacklistEntry(_ entry: BlacklistEntry, _ json: inout JSONWriter) {
        json.beginObject()
        keyMembers(entry.key, &json)
        json.member("native", entry.native)
        lineMembers(entry.line, &json)
        json.member("cause", entry.cause.rawValue)
        json.member("evidence", entry.evidence)
        json.member("count", entry.count)
        if let since = entry.since { json.member("since", since.seconds) }
        json.member("ended", entry.hasEnded)
        json.endObject()
    }

    private static func lineKeys(_ entry: LineKeys, _ json: inout JSONWriter) {
        json.beginObject()
        lineMembers(entry.line, &json)
        list(entry.keys, "keys", &json, publicKey)
        json.endObject()
    }

    private static func signature(_ entry: AcceptedSignature, _ json: inout JSONWriter) {
        json.beginObject()
        keyMembers(entry.version, &json)
        lineMembers(entry.line, &json)
        json.member("signer", entry.signer.hex)
        list(entry.keys, "keys", &json, publicKey)
        json.endObject()
    }

    private static func publicKey(_ key: PublicKey, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("id", key.id)
        json.member("algorithm", key.algorithm.rawValue)
        json.member("key", Hex.text(key.bytes))
        json.endObject()
    }

    private static func logEntry(_ entry: LogEntry, _ json: inout JSONWriter) {
        json.beginObject()
        json.member("cause", entry.cause.rawValue)
        if let version = entry.version { json.member("version", version) }
        if !entry.detail.isEmpty { json.member("detail", entry.detail) }
        if let after = entry.after { json.member("after", after.microseconds / 1_000) }
        json.endObject()
    }
}
