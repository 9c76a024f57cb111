import Core

extension PrintedValue {
    static func fault(_ spec: FaultSpec, _ pairs: inout PrintedPairs) {
        if let plain = FieldTable.plainFaults.first(where: { $0.kind == spec.kind }) {
            pairs.add("fault", plain.words)
        } else {
            pairs.add("fault", kind(spec.kind))
        }
        pairs.add("path", spec.target?.text)
        pairs.add("edge", spec.edge?.value)
        pairs.add("nth", spec.nth.map { .number($0.value) })
        pairs.add("for", spec.duration.map { .duration($0.value) })
        pairs.add("times", spec.times.map { .number($0.value) })
    }

    private static func kind(_ kind: FaultKind) -> PrintedValue {
        var pairs = PrintedPairs()
        switch kind {
        case .refuse, .dnsFailure, .connectTimeout, .insecure, .offline, .staleEdge, .captivePortal,
            .indexForUnknown, .lockedDevice, .readOnlyDisk, .portTaken, .lyingSync:
            break
        case .reset(let amount): pairs.add("reset", amount.map { .after(amountText($0)) })
        case .stall(let amount): pairs.add("stall", amount.map { .after(amountText($0)) })
        case .truncate(let amount): pairs.add("truncate", .after(amountText(amount)))
        case .corrupt(let bytes, let at):
            pairs.add("corrupt", .size(bytes))
            pairs.add("at", at.map { .text(amountText($0)) })
        case .status(let status, let fields):
            pairs.add("status", .number(status))
            pairs.add("headers", headers(fields))
        case .answer(let spec): pairs.add("answer", answer(spec))
        case .slow(let work, let by):
            pairs.add("slow", word: work)
            pairs.add("by", .duration(by))
        case .noSpace(let after): pairs.add("noSpace", .after(sizeText(after)))
        case .shortWrites(let most): pairs.add("shortWrites", .size(most))
        }
        return pairs.object
    }

    private static func headers(_ fields: [HeaderSpec]) -> PrintedValue? {
        fields.isEmpty ? nil : .object(fields.map { Pair($0.name.value, .text($0.value.value)) })
    }

    private static func answer(_ spec: AnswerSpec) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("status", .number(spec.status.value))
        pairs.add("headers", headers(spec.headers))
        pairs.add("retry-after", spec.retryAfter.map { .duration($0.value) })
        pairs.add("body", spec.body?.value)
        pairs.add("bytes", spec.bytesOf.map { .text("of " + $0.value) })
        pairs.add("from", spec.from.map { .size($0.value) })
        pairs.add("etag", spec.etag?.value)
        return pairs.object
    }
}
