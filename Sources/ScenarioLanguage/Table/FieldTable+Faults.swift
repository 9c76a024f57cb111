import Core

// Faults, answers of the origin, damage and crashes.
extension FieldTable {
    static let plainFaults: [(keyword: String, model: FaultKind)] = [
        ("refuse", .refuse), ("dns failure", .dnsFailure), ("connect time-out", .connectTimeout),
        ("black-holed address", .blackHoledAddress),
        ("offline", .offline), ("stale edge", .staleEdge), ("captive portal", .captivePortal),
        ("reset", .reset(after: nil)), ("stall", .stall(after: nil)), ("no space", .noSpace(after: 0)),
        ("untrusted certificate", .insecure), ("index for unknown paths", .indexForUnknown),
        ("locked device", .lockedDevice), ("read-only disk", .readOnlyDisk), ("port taken", .portTaken),
        ("port refused", .portRefused),
    ]

    static let fault: ObjectCodec<FaultKind> = ObjectCodec(
        .fault,
        oneOf: EnumCodec {
            CaseCodec(
                "reset", .afterAmount, "The connection is reset after this amount of the body.",
                make: FaultKind.reset(after:)
            ) {
                if case .reset(let amount) = $0 { amount } else { nil }
            }.head
            CaseCodec(
                "stall", .afterAmount, "No more data arrives after this amount of the body.",
                make: FaultKind.stall(after:)
            ) {
                if case .stall(let amount) = $0 { amount } else { nil }
            }.head
            CaseCodec(
                "truncate", .afterAmount, "The body ends after this amount, as if complete.",
                make: FaultKind.truncate
            ) {
                if case .truncate(let amount) = $0 { amount } else { nil }
            }.head
            CaseCodec(
                "corrupt", .size, "This number of bytes is changed.",
                and: .optional("at", .amount, "Where; else in the middle."),
                make: FaultKind.corrupt(bytes:at:)
            ) {
                if case .corrupt(let bytes, let at) = $0 { (bytes, at) } else { nil }
            }.head
            CaseCodec(
                "status", .whole(100...599), "This status in place of the answer.",
                and: .list("headers", .headers, "With these headers; null leaves one out."),
                make: FaultKind.status(_:headers:)
            ) {
                if case .status(let status, let headers) = $0 { (status, headers) } else { nil }
            }.head
            CaseCodec("answer", .object(answer), "A whole answer.", make: FaultKind.answer) {
                if case .answer(let answer) = $0 { answer } else { nil }
            }.head
            CaseCodec(
                "slow", .keywords, "Each of these takes longer.",
                and: .needed("by", .duration, "By this time."), make: FaultKind.slow(_:by:)
            ) {
                if case .slow(let work, let by) = $0 { (work, by) } else { nil }
            }.head
            CaseCodec(
                "noSpace", .prefixed("after", .size), "The disk is full after this number of further bytes.",
                make: FaultKind.noSpace(after:)
            ) {
                if case .noSpace(let bytes) = $0 { bytes } else { nil }
            }.head
            CaseCodec(
                "shortWrites", .size, "A write takes at most this number of bytes.",
                make: FaultKind.shortWrites
            ) {
                if case .shortWrites(let bytes) = $0 { bytes } else { nil }
            }.head
            CaseCodec(
                "lateTimers", .duration,
                "The app's timers fire late and together, at multiples of this time.",
                make: FaultKind.lateTimers
            ) {
                if case .lateTimers(let span) = $0 { span } else { nil }
            }.head
            CaseCodec(allOf: diskError, make: FaultKind.diskError) {
                if case .diskError(let error) = $0 { error } else { nil }
            }
        })

    private static let diskError: ObjectCodec<DiskErrorSpec> = ObjectCodec(
        .fault, { _ in DiskErrorSpec(.inputOutput, .sync) }
    ) {
        FieldCodec("diskError", \.code, .errorCode, "Calls to the disk fail with this error.").head
            .needing("call")
        FieldCodec("call", \.call, .keywords, "Calls of this kind.").with("diskError")
        FieldCodec("of", \.area, .keywords, "Only calls to this; else to anything on the disk.")
            .with("diskError")
    }

    static let answer: ObjectCodec<AnswerSpec> = ObjectCodec(
        .answer, { AnswerSpec(status: Spanned(0, $0.span), headers: [], span: $0.span) }
    ) {
        FieldCodec("status", \.status, .whole(100...599), "Its status.").required
        FieldCodec(
            "headers", \.headers, .headers,
            "Headers, added or in place of the origin's; null leaves one out. A body without Content-Length ends with the connection, or is chunked where a header says so."
        )
        FieldCodec("retry-after", \.retryAfter, .duration, "When to try again.")
        FieldCodec("body", \.body, .emptyOrText, "This text as body; \"\" for an empty one.").excluding(
            "bytes")
        FieldCodec(
            "bytes", \.bytesOf, .prefixed("of", .name(.version)), "Another version's bytes under this route.")
        FieldCodec("from", \.from, .size, "The offset that a 206 really begins at.")
        FieldCodec("etag", \.etag, .text, "Its ETag, without quotes.")
        FieldCodec(
            "configuration", \.configuration, .headers,
            "The origin's own index of Meteor with these fields in its runtime configuration: appId, ROOT_URL, autoupdateVersionCordova, or autoupdate, where newer servers state the version; null leaves one out (rule U10)."
        ).excluding("body", "bytes")
    }

    /// A fault step: the fault, and the requests or disk calls that it applies to.
    static let faultStep: ObjectCodec<FaultSpec> = ObjectCodec(
        .step, { FaultSpec(kind: .refuse, span: $0["fault"]?.span ?? $0.span) }
    ) {
        FieldCodec("fault", \.kind, .keywords(plainFaults, or: .object(fault)), "A fault begins.").head
        FieldCodec(
            "path", \.target, .faulted,
            "The requests it applies to; else all to the origin. \"api\": those of pages to the remote root (rule S7)."
        ).with("fault")
        FieldCodec("edge", \.edge, .name(.edge), "The edge it applies to; else all.").with("fault")
        FieldCodec(
            "nth", \.nth, .whole(1...1_000_000), "Only the nth such request or disk call from here on."
        )
        .with("fault")
        FieldCodec("for", \.duration, .duration, "How long it lasts; else until healed.").with("fault")
        FieldCodec("times", \.times, .whole(1...1_000_000), "How often it applies; else until healed.")
            .with("fault")
    }

    static let disk: ObjectCodec<DiskSpec> = ObjectCodec(
        .disk, { DiskSpec(file: Spanned(.record, $0.span), damage: Spanned(.remove, $0.span)) }
    ) {
        FieldCodec(
            "file", \.file, .damageTarget,
            "A stored file (\"v3:/app.js\"), \"record\", \"records\", \"starts\", \"table of v3\", \"part of v3:/app.js\" (of the unfinished download), \"list of the download\", or \"stray in contents\" (or tables, download)."
        ).required
        FieldCodec("do", \.damage, .object(damage), "What happens to it.").required
    }

    static let damage: ObjectCodec<Damage> = ObjectCodec(
        .damage,
        oneOf: EnumCodec {
            CaseCodec("truncate", .amount, "What is left of it.", make: Damage.truncate(to:)) {
                if case .truncate(let amount) = $0 { amount } else { nil }
            }.head
            CaseCodec(
                "flip", .size, "This number of bytes changes; the size stays.", make: Damage.flip(bytes:)
            ) {
                if case .flip(let bytes) = $0 { bytes } else { nil }
            }.head
            CaseCodec("remove", .remove, "It is gone.").head
            CaseCodec(
                "readError", .prefixed("at", .amount), "Reading there fails.", make: Damage.readError(at:)
            ) {
                if case .readError(let amount) = $0 { amount } else { nil }
            }.head
            CaseCodec(
                "newerFormat", .newerFormat, "A record becomes one that a newer updater wrote (rule N2)."
            ).head
            CaseCodec("create", .size, "A stray file of this size appears.", make: Damage.create(bytes:)) {
                if case .create(let bytes) = $0 { bytes } else { nil }
            }.head
        })

    static let crash: ObjectCodec<CrashSpec> = ObjectCodec(
        .crash,
        {
            CrashSpec(
                operation: Spanned(1, $0.span), of: Spanned(.recovery, $0.span), nth: 1, writes: nil,
                outcome: Spanned(.kill, $0.span))
        }
    ) {
        FieldCodec(
            "operation", \.operation, .whole(1...Int64.max),
            "The disk operation that is the last one, from 1."
        ).required
        FieldCodec(
            "of", \.of, .crashOrigin,
            "The verb of the step from which operations count; \"recovery\": the launch after the previous crash."
        ).required
        FieldCodec(
            "nth", \.nth, .whole(1...1_000_000), else: 1, "Which step with that verb, from here on.")
        FieldCodec(
            "writes", \.writes, .whole(1...Int64.max),
            "If it is a write: the number of bytes that it writes; else all.")
        FieldCodec(
            "outcome", \.outcome, .text(.crashOutcome, read: CrashOutcome.init(text:), print: \.text),
            "\"kill\"; or a power cut and the operations that survive it, bit by bit; or \"torn\" and a number."
        ).required
    }
}

extension Codec<Amount> {
    fileprivate static var afterAmount: Codec { .prefixed("after", .amount) }
}

extension Codec<CrashOrigin> {
    fileprivate static var crashOrigin: Codec {
        .text(
            .keyword(Verb.allCases.map(\.rawValue) + [CrashOrigin.recoveryKeyword]),
            read: CrashOrigin.init(keyword:), print: \.keyword)
    }
}

extension Codec<String> {
    /// A text that may be empty.
    fileprivate static var emptyOrText: Codec { .text(as: .either([.keyword([""]), .text])) }
}

extension Codec<DiskError.Code> {
    /// Errors of disk calls, except the one for any other error.
    fileprivate static var errorCode: Codec {
        .keywords(DiskError.Code.allCases.filter { $0 != .other }.map { ($0.rawValue, $0) })
    }
}

extension Codec<[HeaderSpec]> {
    fileprivate static var headers: Codec {
        let value = Codec<Spanned<String?>>.spanned(.nullable(.emptyOrText))
        return .map(
            key: .text, value.type,
            read: { (pair) throws(RecordDecodingError) -> HeaderSpec in
                HeaderSpec(name: Spanned(pair.key, pair.keySpan), value: try value.read(pair.value))
            }, print: { .init($0.name.value, value.print($0.value)) })
    }
}

extension Codec<RequestSubject> {
    /// The subject of a request: a file of a version or a keyword.
    static var asked: Codec {
        .text(
            .either([.keyword(RequestSubject.named.map(\.text)), .name(.file)]),
            read: { RequestSubject($0) }, print: \.text)
    }
}

extension Codec<RequestSubject> {
    /// The subject of a request that a fault applies to.
    fileprivate static var faulted: Codec {
        asked.taking(.either([.keyword(RequestSubject.faulted.map(\.text)), .name(.file)]))
    }
}

extension Codec<DeathCause> {
    /// Causes that a `kill` step can have.
    static var killed: Codec { .keywords(DeathCause.kills.map { ($0.rawValue, $0) }) }
}
