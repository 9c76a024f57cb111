import Core

// Device profiles: each key has a value and its evidence.
extension FieldTable {
    static let profile: ObjectCodec<ProfileSpec> = ObjectCodec(.profile, { ProfileSpec(unreadAt: $0.span) }) {
        FieldCodec(unread: editors)
        FieldCodec([schema], read: { _, _ in }, print: { _, pairs in pairs.add("schema", .number(1)) })
        FieldCodec("title", \.title, .text, "The name of the device for people.").required
        FieldCodec("platform", \.platform, of: .keywords, "The operating system.")
        bootID.inProfile
        FieldCodec(
            "exits", \.exits, of: .exits,
            "What the platform reports to the next process about the end of the last one; else nothing (rule R3)."
        )
        replaceable.map(\.inProfile)
        // Evidence of all keys, in the order of the file.
        FieldCodec(
            [],
            read: { record, profile in
                for entry in record.entries {
                    guard let because = entry.value.record?["because"]?.text else { continue }
                    profile.evidence.append(ProfileSpec.Evidence(key: entry.key, because: because.value))
                }
            }, print: { _, _ in })
    }

    private static let bootID = ReplaceableFact(
        "bootId", \.bootID, \.bootID, of: .keywords,
        "Whether one boot can be distinguished from another (rule R10).")

    /// Facts that a scenario can replace, but for ``bootID``.
    private static let replaceable: [ReplaceableFact] = [
        ReplaceableFact(
            "backgroundBudget", \.backgroundBudget, \.backgroundBudget, of: .duration,
            "How long a process continues in the background."
        ),
        ReplaceableFact(
            "socketsSurviveSuspension", \.socketsSurviveSuspension, \.socketsSurviveSuspension, of: .flag,
            "Whether the server's socket is there afterwards (rule S8)."),
        ReplaceableFact(
            "reload", \.reload, \.reload, of: .keywords, "What a page's reload revalidates with the server."),
        ReplaceableFact(
            "tellsReload", \.announcesReload, \.announcesReload, of: .flag,
            "Whether the platform notifies the app of a reload before its request."),
        ReplaceableFact(
            "inactiveBeforeSwipe", \.inactiveBeforeSwipe, \.inactiveBeforeSwipe, of: .flag,
            "Whether an app in front is notified that it is no longer active before its user swipes it away (rules R2, R3); absent: it is, as on both platforms.",
            isRequired: false),
        ReplaceableFact(
            "secFetch", \.secFetch, \.secFetch, of: .flag,
            "Whether its web view sends Sec-Fetch-Dest, -Mode and -Site (rules S3, S6); absent: it does.",
            isRequired: false),
        ReplaceableFact(
            "cachedPages", \.cachedPages, \.cachedPages, of: .whole(0...8),
            "How many pages its web view keeps alive behind the one in front, to show them again without a request when the user goes back; absent: none.",
            isRequired: false),
        ReplaceableFact("latency", \.latency, \.latency, of: .duration, "To the origin, one way."),
        ReplaceableFact(
            "bandwidth", \.bandwidth, \.bandwidth, of: .bitRate,
            "From the origin, for all downloads together."),
        ReplaceableFact(
            "crashModel", \.crashModel, \.crashModel, of: .keywords,
            "In which order a power cut takes back what was written."),
        ReplaceableFact("sync", \.sync, \.sync, of: .keywords, "What the app's sync of a file achieves."),
        ReplaceableFact("sectors", \.sectors, \.sectors, of: .keywords, "What a power cut can tear."),
        ReplaceableFact(
            "names", \.names, \.names, of: .keywords,
            "Which spellings of a file's name its volumes treat as the same."
        ),
        ReplaceableFact("storage", \.storage, \.storage, of: .size, "The size of the data volume."),
        ReplaceableFact(
            "diskCall", \.diskCall, \.diskCall, of: .duration, "What any call to the disk costs."),
        ReplaceableFact(
            "fileSync", \.fileSync, \.fileSync, of: .duration, "What a sync of a file costs on top."),
        ReplaceableFact(
            "folderSync", \.folderSync, \.folderSync, of: .duration, "What a sync of a folder costs on top."),
        ReplaceableFact("diskReads", \.diskReads, \.diskReads, of: .byteRate, "How fast the disk is read."),
        ReplaceableFact(
            "diskWrites", \.diskWrites, \.diskWrites, of: .byteRate, "How fast the disk is written."),
    ]

    /// What differs on the devices of one scenario from their profiles.
    static let deviceChanges: ObjectCodec<DeviceChanges> = ObjectCodec(
        .deviceChanges, { _ in DeviceChanges() }
    ) {
        bootID.inScenario
        replaceable.map(\.inScenario)
    }

    static func fact(_ type: FieldType) -> [Field] {
        [
            Field("is", type, "What holds on this device.").required,
            Field(
                "because", .text,
                "The evidence: a document, a measurement, or that it is an assumption."
            )
            .required,
        ]
    }
}

extension DeviceChanges {
    /// Keys of what differs, in the order of the table.
    package var keys: [String] { FieldTable.deviceChanges.pairs(self).pairs.map(\.key) }
}

/// A fact of a profile, with its evidence there; a scenario replaces it by a value alone.
private struct ReplaceableFact: Sendable {
    let inProfile: FieldCodec<ProfileSpec>
    let inScenario: FieldCodec<DeviceChanges>

    init<Value>(
        _ key: String, _ path: WritableKeyPath<ProfileSpec, Value> & Sendable,
        _ change: WritableKeyPath<DeviceChanges, Value?> & Sendable, of codec: Codec<Value>, _ doc: String,
        isRequired: Bool = true
    ) {
        inProfile = FieldCodec(key, path, of: codec, doc, isRequired: isRequired)
        inScenario = FieldCodec(key, change, codec, doc)
    }
}

extension FieldCodec<ProfileSpec> {
    /// A value with its evidence: `{ is, because }`.
    fileprivate init<Value>(
        _ key: String, _ path: WritableKeyPath<ProfileSpec, Value> & Sendable, of codec: Codec<Value>,
        _ doc: String, isRequired: Bool = true
    ) {
        let field = Field(key, .object(.fact(codec.type)), doc)
        self.init(
            [isRequired ? field.required : field],
            read: { (record, profile) throws(RecordDecodingError) in
                if !isRequired, record[key] == nil { return }
                guard let value = record[key]?.record?["is"] else {
                    throw RecordDecodingError(what: key, span: record.span)
                }
                profile[keyPath: path] = try codec.read(value)
            },
            print: { profile, pairs in
                let because = profile.evidence.first { $0.key == key }?.because
                if because == nil, !isRequired { return }
                let line = PrintedValue.object([
                    .init("is", codec.print(profile[keyPath: path])),
                    .init("because", .text(because ?? "")),
                ])
                pairs.add(key, line)
            })
    }
}

extension Codec<[ExitSpec]> {
    fileprivate static var exits: Codec {
        let keyword = Codec<ExitReason>.keywords
        return .map(
            key: .keyword(DeathCause.reportable.map(\.rawValue)), keyword.type,
            read: { (pair) throws(RecordDecodingError) -> ExitSpec in
                guard let end = DeathCause(rawValue: pair.key) else {
                    throw RecordDecodingError(what: pair.key, span: pair.keySpan)
                }
                return ExitSpec(end: end, record: try keyword.read(pair.value))
            }, print: { .init($0.end.rawValue, keyword.print($0.record)) })
    }
}

extension ProfileSpec {
    /// A profile before it is read. Every key is required, so that no value here remains.
    fileprivate init(unreadAt span: SourceSpan) {
        self.init(
            source: SourceFile(path: "", bytes: []), name: "", title: Spanned("", span), platform: .ios,
            bootID: .available, exits: [], backgroundBudget: .zero, socketsSurviveSuspension: false,
            reload: .everything, announcesReload: false, latency: .zero, bandwidth: 0, crashModel: .strict,
            sync: .medium, sectors: .large, names: .exact, storage: 0, diskCall: .zero, fileSync: .zero,
            folderSync: .zero, diskReads: 0, diskWrites: 0, evidence: [])
    }
}
