// Versions, their files and their start-ups.
extension FieldTable {
    static let version: ObjectCodec<VersionSpec> = ObjectCodec(
        .version,
        {
            VersionSpec(
                name: Spanned("", $0.span), files: [], changes: [], without: [],
                startup: StartupSpec(behaviour: .normal, onNative: [], span: $0.span), span: $0.span)
        }
    ) {
        FieldCodec(
            "files", \.files, .map(key: .route, \.route, .file),
            "Files by route: a size, or an object. Each has new content.")
        FieldCodec("from", \.from, .name(.version), "Inherits files, and nothing else.").printedFirst
        FieldCodec(
            "changes", \.changes, .list(.route), "Inherited routes with new content of the same size."
        ).needing("from")
        FieldCodec("without", \.without, .list(.route), "Inherited routes that this version does not have.")
            .needing("from")
        FieldCodec(
            "native", \.native, .name(.native), "The native interface that this version fits; else any.")
        FieldCodec(
            "startup", \.startup, .startup, unless: { $0.isNormal },
            "What its page does when it starts."
        ).fallback("normal")
        FieldCodec(
            "dataSchema", \.dataSchema, .whole(0...Int64.max), "The data schema that it writes (rule R12).")
        FieldCodec(
            "dataSchemaReadableFrom", \.dataSchemaReadableFrom, .whole(0...Int64.max),
            "The lowest data schema of a version that can read what it writes; else only its own (rule R12)."
        ).needing("dataSchema")
        FieldCodec("id", \.id, .text, "The version's id in the manifest; else its name here.").printedFirst
        FieldCodec("folder", \.folder, .text, "A real build on disk, relative to this file.").printedFirst
    }

    static let file: ObjectCodec<FileSpec> = ObjectCodec(
        .file, { FileSpec(route: Spanned("", $0.span), optional: false, immutable: false) }
    ) {
        FieldCodec("size", \.size, .size, "Its size.")
        FieldCodec(
            "hint", \.statedSize, .size,
            "The size that manifests state, where that is not the true one (rules U1, U11).")
        FieldCodec("optional", \.optional, .flag, else: false, "Whether it may be missing (rule U12).")
        FieldCodec(
            "immutable", \.immutable, .flag, else: false,
            "Whether its answers may be kept for good (rule S5)."
        )
        FieldCodec("same", \.same, .fileReference, "Content equal to another version's file, on purpose.")
            .excluding("size")
        FieldCodec("type", \.type, .text, "Its content type, if the extension does not give it.")
        FieldCodec("sourceMap", \.sourceMap, .route, "The route of its source map.")
    }

    /// Times count from the answer to the index.
    static let startup: ObjectCodec<StartupSpec> = ObjectCodec(
        .startup, { StartupSpec(behaviour: .normal, onNative: [], span: $0.span) }
    ) {
        FieldCodec(\.behaviour, oneOf: behaviours)
        FieldCodec(\.first, oneOf: firstStarts)
        FieldCodec(
            "works", \.works, .whole(1...1_000),
            "How many first starts on a device go well, before it does what the other key says."
        ).excluding("fails")
        FieldCodec(
            "needs", \.needs, .keywords,
            "What each start needs; without it the page reports a failure: a network, an answer of the first API path, or something that a page has stored."
        )
        FieldCodec(
            "on", \.onNative,
            .map(
                key: .name(.native), behaviourCodec.type,
                read: { (pair) throws(RecordDecodingError) -> NativeStartup in
                    NativeStartup(
                        native: Spanned(pair.key, pair.keySpan), startup: try behaviourCodec.read(pair.value))
                }, print: { .init($0.native.value, behaviourCodec.print($0.startup)) }),
            "What it does instead on builds with a native interface.")
    }

    private static let firstStarts: EnumCodec<FirstStarts> = EnumCodec {
        CaseCodec(
            "fails", .spanned(.whole(1...1_000)),
            "How many first starts on a device fail; later ones go well.",
            and: .needed("how", behaviourCodec, "How they fail.", else: "throws")
        ) {
            FirstStarts(count: $0, behaviour: $1)
        } values: {
            $0.behaviour == .normal ? nil : ($0.count, $0.behaviour)
        }.head
    }

    /// A behaviour within a start-up: how the first starts fail, or what happens on other builds.
    static let behaviour: ObjectCodec<StartupBehaviour> = ObjectCodec(.behaviour, { _ in .normal }) {
        FieldCodec(\.self, oneOf: behaviours)
    }

    private static let behaviourCodec: Codec<StartupBehaviour> = .keywords(
        startups, or: .object(behaviour), printing: { $0 == .normal })

    fileprivate static let startups: [(keyword: String, model: StartupBehaviour)] = [
        ("normal", .normal), ("hangs", .hangs), ("throws", .throwsError(after: nil)),
        ("dies", .dies(.process, after: .zero)),
    ]

    private static let behaviours: EnumCodec<StartupBehaviour> = EnumCodec {
        CaseCodec("hangs", .hangs, "Loads, but neither shows content nor confirms.").head
        CaseCodec(
            "throws", .keyword("at load", or: .prefixed("after", .duration)),
            "Reports a failure at that time; at load there is no handler yet, so that nothing is reported.",
            make: StartupBehaviour.throwsError(after:)
        ) {
            if case .throwsError(let span) = $0 { .some(span) } else { nil }
        }.head
        CaseCodec(
            "dies", .keywords, "Ends the process or the web view's process.",
            and: .optional("after", .duration, "When it dies; else at load.")
        ) {
            .dies($0, after: $1 ?? .zero)
        } values: {
            if case .dies(let part, let span) = $0 { (part, span) } else { nil }
        }.head
        CaseCodec("ready", .prefixed("after", .duration), "Shows content and confirms at that time.") {
            .staged(usable: $0, confirms: $0)
        } value: {
            if case .staged(let usable, let confirms) = $0, usable == confirms { usable } else { nil }
        }.head
        CaseCodec(
            "usable", .prefixed("after", .duration), "Shows content at that time.",
            and: .optional(
                "confirms", .keyword("never", or: .prefixed("after", .duration)),
                "When it confirms; else when it is usable.")
        ) {
            .staged(usable: $0, confirms: $1 ?? $0)
        } values: {
            if case .staged(let usable, let confirms) = $0 { (usable, .some(confirms)) } else { nil }
        }.head
    }
}

extension Codec<FileSpec> {
    /// A size, or an object with all keys of a file.
    fileprivate static var file: Codec {
        let object = FieldTable.file
        return Codec(
            .either([.size, .object(.file)]),
            read: { (value) throws(RecordDecodingError) -> FileSpec in
                if let record = value.record { return try object.read(record) }
                var file = FileSpec(route: Spanned("", value.span), optional: false, immutable: false)
                file.size = Spanned(try Codec<Int>.size.read(value), value.span)
                return file
            },
            print: { file in
                let pairs = object.pairs(file).pairs
                return pairs.count == 1 && file.size != nil ? pairs[0].value : .object(pairs)
            })
    }
}

extension Codec<StartupSpec> {
    fileprivate static var startup: Codec {
        let object = FieldTable.startup
        return Codec(
            .either([.keyword(FieldTable.startups.map(\.keyword)), .object(.startup)]),
            read: { (value) throws(RecordDecodingError) -> StartupSpec in
                if let record = value.record { return try object.read(record) }
                let known = FieldTable.startups.first { $0.keyword == value.text?.value }
                guard let known else { throw RecordDecodingError(what: "startup", span: value.span) }
                return StartupSpec(behaviour: known.model, onNative: [], span: value.span)
            }, print: object.print)
    }
}

extension StartupSpec {
    fileprivate var isNormal: Bool {
        behaviour == .normal && first == nil && onNative.isEmpty && needs == nil
    }
}
