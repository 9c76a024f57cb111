// The rows of faults, given answers and damage.
extension FieldTable {
    static let plainFaults: [(words: String, kind: FaultKind)] = [
        ("refuse", .refuse), ("dns failure", .dnsFailure), ("connect time-out", .connectTimeout),
        ("offline", .offline), ("stale edge", .staleEdge), ("captive portal", .captivePortal),
        ("reset", .reset(after: nil)), ("stall", .stall(after: nil)), ("no space", .noSpace(after: 0)),
        ("untrusted certificate", .insecure), ("index for unknown paths", .indexForUnknown),
        ("locked device", .lockedDevice), ("read-only disk", .readOnlyDisk), ("port taken", .portTaken),
    ]

    static let fault: [Field] = [
        Field("reset", .prefixed("after", .amount), "The connection is reset after so much of the body.")
            .head,
        Field("stall", .prefixed("after", .amount), "Nothing more comes after so much of the body.").head,
        Field("truncate", .prefixed("after", .amount), "The body ends after so much, as if complete.").head,
        Field("corrupt", .size, "So many bytes are others than they should be.").head,
        Field("at", .amount, "Where; else in the middle.").with("corrupt"),
        Field("status", .whole(100...599), "This status in place of the answer.").head,
        Field("headers", .map(key: .text, .text), "With these headers.").with("status"),
        Field("answer", .object(.answer), "A whole answer.").head,
        Field("slow", .words(of: SlowWork.self), "Each of these takes longer.").head.needing("by"),
        Field("by", .duration, "By so much.").with("slow"),
        Field("noSpace", .prefixed("after", .size), "The disk is full after so many more bytes.").head,
        Field("shortWrites", .size, "The disk takes at most so many bytes at once.").head,
    ]

    static let answer: [Field] = [
        Field("status", .whole(100...599), "Its status.").required,
        Field("headers", .map(key: .text, .text), "Headers, added or in place of the origin's."),
        Field("retry-after", .duration, "When to come again."),
        Field("body", .text, "This text as body.").excluding("bytes"),
        Field(
            "bytes", .prefixed("of", .name(.version)), "Another version's bytes under this route."),
        Field("from", .size, "The offset that a 206 really begins at."),
        Field("etag", .text, "Its ETag, without quotes."),
    ]

    static let disk: [Field] = [
        Field("file", .storedThing, "A stored file (\"v3:/app.js\"), \"record\", \"records\" or \"starts\".")
            .required,
        Field("do", .object(.damage), "What happens to it.").required,
    ]

    static let crash: [Field] = [
        Field("operation", .whole(1...Int64.max), "The disk operation that is the last one, from 1.")
            .required,
        Field(
            "of", .word(Verb.allCases.map(\.rawValue) + [CrashOrigin.recoveryWord]),
            "The verb of the step from which operations count; \"recovery\": the launch after the crash before."
        ).required,
        Field("nth", .whole(1...1_000_000), "Which step with that verb, from here on.").fallback(1),
        Field("writes", .whole(1...Int64.max), "Where it is a write: it takes so many bytes; else all."),
        Field(
            "outcome", .crashOutcome,
            "\"kill\"; or a power cut and the operations that survive it, bit by bit; or \"torn\" and a number."
        ).required,
    ]

    static let damage: [Field] = [
        Field("truncate", .amount, "What is left of it.").head,
        Field("flip", .size, "So many bytes change; the size stays.").head,
        Field("remove", .yes, "It is gone.").head,
        Field("readError", .prefixed("at", .amount), "Reading there fails.").head,
    ]
}
