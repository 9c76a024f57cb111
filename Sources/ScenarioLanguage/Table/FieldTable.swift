import Core

/// The words of the language. This file: what a scenario is made of; versions, steps, faults and
/// expectations have files of their own.
package enum FieldTable {
    /// For editors alone; no part of what a file means.
    static let editors = Field(
        "$schema", .text, "Where an editor finds the schema; nothing else looks at it.")
    static let schema = Field(
        "schema", .whole(1...1), "The number of this language; this laboratory reads 1."
    ).required

    static let scenario: ObjectCodec<Scenario> = ObjectCodec(.scenario, { Scenario(span: $0.span) }) {
        FieldCodec(unread: editors)
        FieldCodec([schema], read: { _, _ in }, print: { _, pairs in pairs.add("schema", .number(1)) })
        FieldCodec("title", \.title, .text, "What the story shows, as a sentence that a person would say.")
            .required
        FieldCodec(
            "id", \.id, .text, "A name that survives renaming the file; else its path without extension.")
        FieldCodec("issue", \.issue, .text, "The thread or commit where the story was told first.")
        FieldCodec("covers", \.covers, .list(.text), "Ids of the rules that the story shows.")
        FieldCodec("tags", \.tags, .list(.text), "Words to choose scenarios by.")
        FieldCodec("xfail", \.xfail, .text, "Why this is expected to fail; passing is then the failure.")
        FieldCodec("skip", \.skip, .text, "Why this is not run.")
        FieldCodec(
            unread: Field(
                "use", .oneOrMore(.text),
                "Files with surroundings that scenarios share, from this file's folder on; own keys win."))
        FieldCodec("seed", \.seed, .seed, else: 1, "What the keyed choices start from.")
        FieldCodec(
            "limits", \.limits, .object(limits), unless: { $0 == RunLimits() },
            "Bounds of the run; beyond them it is inconclusive.")
        liveness
        devices
        FieldCodec("app", \.app, .object(app), "The installed app, as { embeds: \"v1\" }.").required
        FieldCodec(
            "origin", \.origin, .object(origin), unless: \.isPlain, "The origin and its edges.")
        FieldCodec(
            "versions", \.versions, .map(key: .text, \.name, .object(version)), unless: { _ in false },
            "The versions of the web files, by name."
        ).required
        FieldCodec(
            unread: Field(
                "cases", .list(.object(.variant), least: 1),
                "Variants: each has a name and values for \"$key\"."))
        FieldCodec("steps", \.steps, .list(of: .object(step), least: 1), "The story, in the order of time.")
            .required
    }

    private static let liveness: FieldCodec<Scenario> = FieldCodec(
        [
            Field(
                "liveness", .keyword(["expected", "none"]),
                "Whether the device must come to run what it should have."
            ).fallback("expected").needing(oneOf: ["because"], unless: ["expected"]),
            Field("because", .text, "Why nothing is asked of the device in the end.").needing("liveness"),
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

    /// What a file for `use` may say: surroundings, none of which it must say.
    static let used: [Field] = scenario.fields.filter {
        $0.key == "schema" || UsedFiles.keys.contains($0.key)
    }.map { $0.optional }

    static let variant: [Field] = [Field("name", .text, "What this case is called in reports.").required]

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
    /// One edge.
    init(plainAt span: SourceSpan) {
        let edge = Spanned("origin", span)
        self.init(edges: [edge], route: edge)
    }

    fileprivate var isPlain: Bool { edges.map(\.value) == ["origin"] && route.value == "origin" }
}

extension Scenario {
    /// What holds where a file says nothing.
    fileprivate init(span: SourceSpan) {
        let nothing = Spanned("", span)
        self.init(
            source: SourceFile(path: "", bytes: []), id: "", title: nothing, covers: [], tags: [], seed: 1,
            limits: RunLimits(), liveness: .expected, device: nothing, devices: [],
            app: AppSpec(
                id: nothing, manifest: .own, builds: [], installed: nothing, settings: SettingsSpec()),
            origin: OriginSpec(plainAt: span), versions: [], steps: [], span: span)
    }
}
