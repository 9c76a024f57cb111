import Core

extension ScenarioDecoder {
    func fault(_ value: Value, _ step: Record) throws(Gap) -> FaultSpec {
        FaultSpec(
            kind: try faultKind(value), target: step.text("path").map { RequestSubject($0.value) },
            edge: step.text("edge"),
            nth: step.whole("nth"),
            duration: step.duration("for"), times: step.whole("times"), span: value.span)
    }

    private func faultKind(_ value: Value) throws(Gap) -> FaultKind {
        guard let record = value.record else {
            let known = FieldTable.plainFaults.first { $0.words == value.text?.value }
            guard let known else { throw Gap(what: "fault", span: value.span) }
            return known.kind
        }
        let head = try need(record.head, "fault", record)
        switch head.key {
        case "reset": return .reset(after: record.amount("reset")?.value)
        case "stall": return .stall(after: record.amount("stall")?.value)
        case "truncate": return .truncate(try need(record.amount("truncate"), "truncate", record).value)
        case "corrupt":
            return .corrupt(
                bytes: try need(record.bytes("corrupt"), "corrupt", record).value,
                at: record.amount("at")?.value)
        case "status":
            return .status(
                try need(record.whole("status"), "status", record).value,
                headers: headers(record.record("headers")))
        case "answer": return .answer(try answer(try need(record.record("answer"), "answer", record)))
        case "slow":
            return .slow(
                try need(record.word("slow"), "slow", record).value,
                by: try need(record.duration("by"), "by", record).value)
        case "noSpace": return .noSpace(after: try need(record.bytes("noSpace"), "noSpace", record).value)
        case "shortWrites":
            return .shortWrites(try need(record.bytes("shortWrites"), "shortWrites", record).value)
        default: throw Gap(what: head.key, span: record.span)
        }
    }

    private func headers(_ record: Record?) -> [HeaderSpec] {
        (record?.entries ?? []).compactMap { entry in
            entry.value.text.map { HeaderSpec(name: Spanned(entry.key, entry.keySpan), value: $0) }
        }
    }

    private func answer(_ record: Record) throws(Gap) -> AnswerSpec {
        AnswerSpec(
            status: try need(record.whole("status"), "status", record),
            headers: headers(record.record("headers")),
            body: record.text("body"), bytesOf: record.text("bytes"), from: record.bytes("from"),
            etag: record.text("etag"), retryAfter: record.duration("retry-after"), span: record.span)
    }

    func disk(_ record: Record) throws(Gap) -> DiskSpec {
        guard let file = record["file"], case .stored(let thing) = file.content else {
            throw Gap(what: "file", span: record.span)
        }
        let damage = try need(record.record("do"), "do", record)
        return DiskSpec(file: file.spanned(thing), damage: Spanned(try self.damage(damage), damage.span))
    }

    private func damage(_ record: Record) throws(Gap) -> Damage {
        let head = try need(record.head, "damage", record)
        switch head.key {
        case "truncate": return .truncate(to: try need(record.amount("truncate"), "truncate", record).value)
        case "flip": return .flip(bytes: try need(record.bytes("flip"), "flip", record).value)
        case "remove": return .remove
        case "readError":
            return .readError(at: try need(record.amount("readError"), "readError", record).value)
        default: throw Gap(what: head.key, span: record.span)
        }
    }
}
