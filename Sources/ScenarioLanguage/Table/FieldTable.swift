import Core

/// The fields of all objects of the language. This file has those of a scenario; versions, steps, faults and
/// expectations are in separate files.
package enum FieldTable {
    /// For editors only; without a meaning for the reader.
    static let editors = Field(
        "$schema", .text, "Where an editor finds the schema; nothing else reads it.")
    static let schema = Field(
        "schema", .whole(1...1), "The version of the language; this laboratory reads 1."
    ).required

    static let scenario: ObjectCodec<Scenario> = ObjectCodec(.scenario, { Scenario(span: $0.span) }) {
        FieldCodec(unread: editors)
        FieldCodec([schema], read: { _, _ in }, print: { _, pairs in pairs.add("schema", .number(1)) })
        FieldCodec("title", \.title, .text, "What the scenario shows, in a sentence.")
            .required
        FieldCodec(
            "id", \.id, .text, "A name that survives renaming the file; else its path without extension.")
        FieldCodec("issue", \.issue, .text, "The thread or commit that first described the scenario.")
        FieldCodec("covers", \.covers, .list(.text), "Ids of the rules that the scenario shows.")
        FieldCodec("tags", \.tags, .list(.text), "Labels to select scenarios by.")
        FieldCodec("xfail", \.xfail, .text, "Why this is expected to fail; passing is then the failure.")
        FieldCodec("skip", \.skip, .text, "Why this is not run.")
        FieldCodec(
            unread: Field(
                "use", .oneOrMore(.text),
                "Files with keys that scenarios share, relative to this file's folder; keys of this file win."
            ))
        FieldCodec("seed", \.seed, .seed, else: 1, "The seed of the keyed choices.")
        FieldCodec(
            "limits", \.limits, .object(limits), unless: { $0 == RunLimits() },
            "Bounds of the run; beyond them it is inconclusive.")
        liveness
        devices
        FieldCodec(
            "except", \.deviceChanges, .object(deviceChanges), unless: { $0 == DeviceChanges() },
            "What differs on the scenario's devices from their profiles.")
        FieldCodec("app", \.app, .object(app), "The installed app, as { embeds: \"v1\" }.").required
        FieldCodec(
            "origin", \.origin, .object(origin), unless: \.isPlain, "The origin and its edges.")
        FieldCodec(
            "keys", \.keys, .map(key: .text, \.name, .object(key)),
            "Keys that sign manifests, by name (rule U16).")
        FieldCodec(
            "versions", \.versions, .map(key: .text, \.name, .object(version)), unless: { _ in false },
            "The versions of the web files, by name."
        ).required
        FieldCodec(
            unread: Field(
                "cases", .list(.object(.variant), least: 1),
                "Variants: each has a name and values for \"$key\"."))
        FieldCodec("steps", \.steps, .list(of: .object(step), least: 1), "The steps, in chronological order.")
            .required
    }

    static let key: ObjectCodec<KeySpec> = ObjectCodec(.key, { KeySpec(name: Spanned("", $0.span)) }) {
        FieldCodec("algorithm", \.algorithm, .keywords, else: .ed25519, "How it signs.")
        FieldCodec(
            "form", \.form, .keywords, else: .whole,
            "What the app's builds have of it; what is not whole verifies nothing.")
    }

    private static let liveness: FieldCodec<Scenario> = FieldCodec(
        [
            Field(
                "liveness", .keyword(["expected", "none"]),
                "Whether the device must run the version that it should have in the end."
            ).fallback("expected").needing(oneOf: ["because"], unless: ["expected"]),
            Field("because", .text, "Why nothing is expected of the device in the end.").needing("liveness"),
        ],
        read: { (record, scenario) throws(RecordDecodingError) in
            if record["liveness"]?.text?.value == "none" {
                guard let because = record["because"]?.text else {
                    throw RecordDecodingError(what: "because", span: record.span)
                }
                scenario.liveness = .none(because: because)
            }
        },
        print: { scenario, pairs in
            guard case .none(let because) = scenario.liveness else { return }
            pairs.add("liveness", .text("none"))
            pairs.add("because", .text(because.value))
        })

    private static let devices: FieldCodec<Scenario> = FieldCodec(
        [
            Field("device", .name(.device), "The device profile.").fallback("plain"),
            Field(
                "devices", handsets.type,
                "Several devices: a name and the profile of each; a step says which with `on`, else the first."
            ).excluding(["device"]),
        ],
        read: { (record, scenario) throws(RecordDecodingError) in
            if let several = record["devices"] { scenario.devices = try handsets.read(several) }
            guard let first = scenario.devices.first?.profile ?? record["device"]?.text else {
                throw RecordDecodingError(what: "device", span: record.span)
            }
            scenario.device = first
        },
        print: { scenario, pairs in
            if scenario.devices.isEmpty {
                pairs.add("device", .text(scenario.device.value))
            } else {
                pairs.add("devices", handsets.print(scenario.devices))
            }
        })

    private static let handsets: Codec<[DeviceSpec]> = .map(
        key: .text, .name(.device),
        read: { (pair) throws(RecordDecodingError) -> DeviceSpec in
            let profile = try Codec<Spanned<String>>.spanned(.name(.device)).read(pair.value)
            return DeviceSpec(name: Spanned(pair.key, pair.keySpan), profile: profile)
        }, print: { .init($0.name.value, .text($0.profile.value)) })

    /// Fields of a file for `use`; none is required.
    static let used: [Field] = scenario.fields.filter {
        $0.key == "schema" || UsedFiles.keys.contains($0.key)
    }.map { $0.optional }

    static let variant: [Field] = [Field("name", .text, "The name of this case in reports.").required]

    static let limits: ObjectCodec<RunLimits> = ObjectCodec(.limits, { _ in RunLimits() }) {
        FieldCodec("events", \.events, .whole(1...Int64.max), "Events of the world at most.")
        FieldCodec("virtualTime", \.virtualTime, .duration, "Virtual time at most.")
    }

    static let origin: ObjectCodec<OriginSpec> = ObjectCodec(.origin, { OriginSpec(plainAt: $0.span) }) {
        FieldCodec("edges", \.edges, .list(.text, least: 1), "Names of edges, which can disagree.")
        FieldCodec(
            [Field("route", .name(.edge), "The edge that the device reaches first; else the first one.")],
            read: { record, origin in origin.route = record["route"]?.text ?? origin.edges[0] },
            print: { origin, pairs in pairs.add("route", .text(origin.route.value)) })
        FieldCodec(
            "ages", \.ages,
            .map(
                key: .name(.edge), .duration,
                read: { (pair) throws(RecordDecodingError) -> EdgeAge in
                    EdgeAge(
                        edge: Spanned(pair.key, pair.keySpan),
                        age: try Codec<TimeSpan>.duration.read(pair.value))
                }, print: { .init($0.edge.value, Codec<TimeSpan>.duration.print($0.age)) }),
            "By edge, how long it keeps an answer that it has given, as a cache does.")
        FieldCodec(
            "urlsExpire", \.urlsExpire, .urlExpiry,
            "When the URLs of files stop working, until the manifest is requested again: some time after its last answer (then 403), or with the next deploy (then 410)."
        )
    }
}

extension Codec<URLExpiry> {
    fileprivate static var urlExpiry: Codec {
        let time = Codec<TimeSpan?>.keyword("with a deploy", or: .prefixed("after", .duration))
        return Codec(
            time.type,
            read: { (value) throws(RecordDecodingError) -> URLExpiry in
                try time.read(value).map(URLExpiry.after) ?? .withDeploy
            },
            print: { expiry in
                switch expiry {
                case .after(let span): time.print(span)
                case .withDeploy: time.print(nil)
                }
            })
    }
}

extension Codec<UInt64> {
    fileprivate static var seed: Codec {
        Codec(
            .whole(0...Int64.max), taking: { $0.number.map { UInt64($0) } },
            print: { .number(Int64(clamping: $0)) })
    }
}

extension OriginSpec {
    /// An origin with one edge.
    init(plainAt span: SourceSpan) {
        let edge = Spanned("origin", span)
        self.init(edges: [edge], route: edge, ages: [])
    }

    fileprivate var isPlain: Bool {
        edges.map(\.value) == ["origin"] && route.value == "origin" && ages.isEmpty
            && urlsExpire == nil
    }
}

extension Scenario {
    /// Defaults of a scenario.
    fileprivate init(span: SourceSpan) {
        let empty = Spanned("", span)
        self.init(
            source: SourceFile(path: "", bytes: []), id: "", title: empty, covers: [], tags: [], seed: 1,
            limits: RunLimits(), liveness: .expected, device: empty, devices: [],
            app: AppSpec(
                id: empty, manifest: .own, builds: [], installed: empty, settings: SettingsSpec()),
            origin: OriginSpec(plainAt: span), versions: [], steps: [], span: span)
    }
}
