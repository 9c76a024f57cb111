// The rows of what can be expected.
extension FieldTable {
    private static let versions = FieldType.listing(.name(.version))
    private static let oneVersion = FieldType.nullable(.name(.version))

    static let expectation: [Field] = [
        Field("running", oneVersion, "The version that the page in front came from."),
        Field("pending", oneVersion, "The version that waits for its moment."),
        Field("lastKnownGood", oneVersion, "The good version taken last."),
        Field("page", .words(of: PageState.self), "What is in front."),
        Field(
            "pages", .map(key: .name(.page), oneVersion),
            "The versions that named pages came from, in all web views; null: not there."),
        Field("process", .words(of: ProcessState.self), "Whether the app's process lives."),
        Field("confirmed", .flag, "Whether the running version has confirmed."),
        Field("blacklist", versions, "Versions on the blacklist (rule R5)."),
        Field(
            "blame", .map(key: .name(.version), .object(.blame)),
            "What the record says against versions, ended entries too (rules R4, R5)."),
        Field("parked", versions, "Versions that are parked (rule R3)."),
        Field(
            "starts", .map(key: .name(.version), .object(.startCounts)),
            "How starts of a version ended (rule R3)."),
        Field("started", versions, "Versions whose index was served."),
        Field("stored", versions, "Downloaded versions that are complete on the device."),
        Field(
            "storedFiles", .listing(.fileReference),
            "Files whose content was downloaded and is whole on the device, as \"v2:/app.js\"."),
        Field(
            "fetched", .either([.list(.name(.file), least: 0), .object(.fetched)]),
            "Files that were fetched, whatever their version: as a list of routes (\"/app.js\") or with numbers."
        ),
        Field("requests", .object(.requests), "Requests that the origin got."),
        Field(
            "answers", .either([.object(.answers), .list(.object(.answers), least: 1)]),
            "Answers that pages got from the local server; a list: each of them."),
        Field("bytes", .bounds(.size), "Body bytes received from the origin."),
        Field("reloads", .bounds(.count), "Page loads that replaced a page in front."),
        Field("switches", .bounds(.count), "Changes of the version that pages are loaded from."),
        Field("whiteTime", .bounds(.duration), "Time with neither cover nor content (rule T4)."),
        Field("time", .bounds(.duration), "Virtual time that has passed."),
        Field("times", .object(.times), "How long the person in front waited for content (rule T4)."),
        Field(
            "progress", .either([.word(["only grows"]), .object(.progress)]),
            "The shown progress (rule U7)."),
        Field("screen", .words(of: ScreenState.self), "The native surface that covers the page."),
        Field("log", .listing(.word(LogWords.causes)), "Causes in the log (rule T1)."),
        Field(
            "logOf", .map(key: .name(.version), .listing(.word(LogWords.causes))),
            "Causes in the log that name a version (rule T1)."),
        Field("cookies", .listing(.text), "Names of the cookies that the app's pages have (rule S4)."),
        Field(
            "storage", .listing(.text),
            "Keys that pages stored under the origin that they are served from now (rule S4)."),
        Field(
            "port", .nullable(.whole(1...65_535)),
            "The local server's port; null: it listens on none (rules S4, S8)."),
        Field("outcomes", .listing(.text), "Outcomes that the origin was told (rule T3)."),
        Field(
            "messages", .either([.list(.text, least: 0), .object(.messages)]),
            "What pages were told unasked, as \"newVersionReady v2\"; progress left out (rule T2)."),
        Field(
            "replies", .listing(.text),
            "What pages were answered to their messages, as \"checkForUpdates true\", \"error too long\"; an id that came back stands behind it as \"#7\" (rule N5)."
        ),
    ]

    static let startCounts: [Field] = [
        Field("confirmed", .bounds(.count), "Starts that ended confirmed."),
        Field("failed", .bounds(.count), "Starts that failed."),
        Field("unclear", .bounds(.count), "Starts whose end proves nothing."),
        Field("uncounted", .bounds(.count), "Starts that ended in background, too early to say."),
    ]

    static let blame: [Field] = [
        Field("cause", .word(LogWords.causes), "What the entry rests on."),
        Field("count", .bounds(.count), "The first, second or third entry of this version."),
        Field("ended", .flag, "Whether it has ended."),
    ]

    static let times: [Field] = [
        Field("launch", .bounds(.duration), "From a launch to content, the longest."),
        Field("switch", .bounds(.duration), "From a switch to content, the longest."),
        Field("rescue", .bounds(.duration), "From a rescue to content, the longest."),
    ]

    static let fetched: [Field] = [
        Field("files", .bounds(.count), "How many files of versions."),
        Field("has", .list(.name(.file), least: 0), "These among them."),
        Field("hasNot", .list(.name(.file), least: 0), "None of these."),
    ]

    static let requests: [Field] = [
        Field("manifest", .bounds(.count), "For the manifest."),
        Field("files", .bounds(.count), "For files of versions."),
        Field("outcomes", .bounds(.count), "That report outcomes."),
        Field("all", .bounds(.count), "Of every kind."),
        Field("resumed", .bounds(.count), "That ask for the rest of a file."),
        Field("conditional", .bounds(.count), "That ask for a file only if it has changed."),
    ]

    static let answers: [Field] = [
        Field(
            "asked", .either([.words(of: ResourceKind.self), .route]), "A route, or what it was wanted for."),
        Field("type", .text, "The content type of the answer."),
        Field("status", .whole(100...599), "The status of the answer."),
        Field("count", .bounds(.count), "How many such answers there were.").required,
    ]

    static let messages: [Field] = [
        Field("has", .list(.text, least: 0), "These among them."),
        Field("hasNot", .list(.text, least: 0), "None of these."),
        Field("count", .bounds(.count), "How many, those of progress left out."),
        Field("progress", .bounds(.count), "How many of progress."),
    ]

    static let progress: [Field] = [
        Field("onlyGrows", .flag, "Whether it never went back."),
        Field("percent", .bounds(.percent), "The percentage shown last."),
    ]

    static func bounds(_ type: FieldType) -> [Field] {
        [
            Field("atLeast", type, "No less.").excluding("between", "exact"),
            Field("atMost", type, "No more.").excluding("between", "exact"),
            Field("between", .list(type, least: 2), "The least and the most.").excluding("exact"),
            Field("exact", type, "Exactly."),
        ]
    }

    static func listing(_ type: FieldType) -> [Field] {
        [
            Field("has", .list(type, least: 0), "All of these."),
            Field("hasNot", .list(type, least: 0), "None of these."),
        ]
    }
}
