/// The rows of the language. This file: what a scenario is made of; steps, faults and expectations
/// have files of their own.
package enum FieldTable {
    /// For editors alone; no part of what a file means.
    static let editors = Field(
        "$schema", .text, "Where an editor finds the schema; nothing else looks at it.")

    static let scenario: [Field] = [
        editors,
        Field("schema", .whole(1...1), "The number of this language; this laboratory reads 1.").required,
        Field("title", .text, "What the story shows, as a sentence that a person would say.").required,
        Field("id", .text, "A name that survives renaming the file; else its path without extension."),
        Field("issue", .text, "The thread or commit where the story was told first."),
        Field("covers", .list(.text, least: 0), "Ids of the rules that the story shows."),
        Field("tags", .list(.text, least: 0), "Words to choose scenarios by."),
        Field("xfail", .text, "Why this is expected to fail; passing is then the failure."),
        Field("skip", .text, "Why this is not run."),
        Field(
            "use", .oneOrMore(.text),
            "Files with surroundings that scenarios share, from this file's folder on; own keys win."),
        Field("seed", .whole(0...Int64.max), "What the keyed choices start from.").fallback(1),
        Field("limits", .object(.limits), "Bounds of the run; beyond them it is inconclusive."),
        Field(
            "liveness", .word(["expected", "none"]),
            "Whether the device must come to run what it should have."
        )
        .fallback("expected").needing(oneOf: "because", unless: ["expected"]),
        Field("because", .text, "Why nothing is asked of the device in the end.").needing("liveness"),
        Field("device", .name(.device), "The device profile.").fallback("plain"),
        Field(
            "devices", .map(key: .text, .name(.device)),
            "Several devices: a name and the profile of each; a step says which with `on`, else the first."
        ).excluding("device"),
        Field("app", .object(.app), "The installed app, as { embeds: \"v1\" }.").required,
        Field("origin", .object(.origin), "The origin and its edges."),
        Field("versions", .map(key: .text, .object(.version)), "The versions of the web files, by name.")
            .required,
        Field(
            "cases", .list(.object(.variant), least: 1),
            "Variants: each has a name and values for \"$key\"."),
        Field("steps", .list(.object(.step), least: 1), "The story, in the order of time.").required,
    ]

    /// What a file for `use` may say: surroundings, none of which it must say.
    static let used: [Field] = scenario.filter { $0.key == "schema" || UsedFiles.keys.contains($0.key) }
        .map(\.optional)

    static let variant: [Field] = [Field("name", .text, "What this case is called in reports.").required]

    static let limits: [Field] = [
        Field("events", .whole(1...Int64.max), "Events of the world at most."),
        Field("virtualTime", .duration, "Virtual time at most."),
    ]

    static let app: [Field] =
        [
            Field("id", .text, "The app's id; the port of its server follows from it (rule S4).")
                .fallback("com.example.shop"),
            Field("manifest", .words(of: ManifestFormat.self), "The manifest's dialect.").fallback("own"),
            Field(
                "embeds", .nullable(.name(.version)),
                "The version inside the package; null or left out: none."),
            Field("native", .text, "The native interface of the only build."),
            Field("builds", .map(key: .text, .object(.build)), "Native builds, where there are several.")
                .excluding("embeds", "native"),
            Field("installed", .name(.build), "The build that is installed first; else the first one."),
            Field(
                "api", .list(.route, least: 1),
                "Paths that the remote root answers, with all below them where they end in a slash (rule S7)."
            ),
        ] + settings

    static let build: [Field] = [
        Field("embeds", .nullable(.name(.version)), "The version inside this build's package."),
        Field("native", .text, "A name for the native interface that this build has."),
        Field("number", .text, "Its build number, where that is not its name here: \"1.0\"."),
    ]

    static let settings: [Field] = [
        Field("startupTimeout", .duration, "How long a start may take in front (rule R3).")
            .assumed("20s"),
        Field("confirm", .words(of: ConfirmMode.self), "Who says that a version has started (rule R6).")
            .assumed("called"),
        Field("checks", .words(of: CheckMode.self), "Whether the app checks by itself (rule U5).")
            .assumed("automatic"),
        Field("updates", .words(of: UpdateMode.self), "Whether the app updates at all (rule U14).")
            .assumed("automatic"),
        Field("parallel", .whole(1...64), "Downloads at once (rule U5).")
            .assumed(6),
        Field("switchOnReload", .flag, "Whether a reload by the page takes what is pending (rule U6).")
            .assumed(true),
        Field("switchOnReturn", .flag, "Whether the return after 30 min takes what is pending (rule U6).")
            .assumed(false),
        Field("channel", .text, "The channel of the origin (rule U9).")
            .assumed("stable"),
        Field("user", .text, "The user, as the origin is told (rule U9)."),
        Field("cohort", .text, "The user's cohort, as the origin is told (rule U9)."),
        Field("metered", .flag, "Whether versions are fetched over a network that costs (rule U15).")
            .assumed(true),
        Field(
            "meteredUpTo", .size,
            "Where they are: what is missing may be so large, else it waits for another network (rule U15)."),
        Field("outcomes", .flag, "Whether outcomes are reported to the origin (rule T3).")
            .assumed(false),
    ]

    static let origin: [Field] = [
        Field("edges", .list(.text, least: 1), "Names of edges, which can disagree."),
        Field("route", .name(.edge), "The edge that the device reaches first; else the first one."),
    ]

    static let version: [Field] = [
        Field(
            "files", .map(key: .route, .either([.size, .object(.file)])),
            "Rows by route: a size, or an object. Each is new content."),
        Field("from", .name(.version), "Inherits files, and nothing else."),
        Field("changes", .list(.route, least: 0), "Inherited routes with new content of the same size.")
            .needing("from"),
        Field("without", .list(.route, least: 0), "Inherited routes that this version does not have.")
            .needing("from"),
        Field("native", .name(.native), "The native interface that this version fits; else any."),
        Field("startup", startupType, "What its page does when it starts.").fallback("normal"),
        Field("dataSchema", .whole(0...Int64.max), "The data schema that it writes (rule R12)."),
        Field(
            "dataSchemaReadableFrom", .whole(0...Int64.max),
            "The lowest data schema of a version that can read what it writes; else only its own (rule R12)."
        )
        .needing("dataSchema"),
        Field("id", .text, "The version's id in the manifest; else its name here."),
        Field("folder", .text, "A real build on disk, relative to this file."),
    ]

    static let file: [Field] = [
        Field("size", .size, "Its size."),
        Field("optional", .flag, "Whether it may be missing (rule U12).").fallback(false),
        Field("immutable", .flag, "Whether its answers may be kept for good (rule S5).").fallback(false),
        Field("same", .fileReference, "Content equal to another version's file, on purpose.").excluding(
            "size"),
        Field("type", .text, "Its content type, where the extension does not say it."),
        Field("sourceMap", .route, "The route of its source map."),
    ]

    static let startupType = FieldType.either([
        .word(["normal", "hangs", "throws", "dies"]), .object(.startup),
    ])

    /// Within a start-up: how the first ones fail, what it does on other builds.
    static let behaviourType = FieldType.either([
        .word(["normal", "hangs", "throws", "dies"]), .object(.behaviour),
    ])

    /// Times count from the answer to the index.
    static let startup: [Field] =
        behaviour + [
            Field("fails", .whole(1...1_000), "How many first starts on a device fail; later ones go well.")
                .head,
            Field("how", behaviourType, "How they fail.").with("fails").fallback("throws"),
            Field(
                "on", .map(key: .name(.native), behaviourType),
                "What it does instead on builds with a native interface."),
        ]

    static let behaviour: [Field] = [
        Field("hangs", .yes, "Loads, shows nothing, says nothing.").head,
        Field(
            "throws", .either([.word(["at load"]), .prefixed("after", .duration)]),
            "Reports a failure at that time; at load there is no handler yet, and nobody does."
        ).head,
        Field("dies", .words(of: DyingPart.self), "Takes the process or the web view's process with it.")
            .head,
        Field("after", .duration, "When it dies; else at load.").with("dies"),
        Field("ready", .prefixed("after", .duration), "Shows content and confirms at that time.").head,
        Field("usable", .prefixed("after", .duration), "Shows content at that time.").head,
        Field(
            "confirms", .either([.word(["never"]), .prefixed("after", .duration)]),
            "When it confirms; else when it is usable."
        ).with("usable"),
    ]
}
