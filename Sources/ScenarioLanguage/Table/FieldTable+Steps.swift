// The rows of steps: a verb each, and what may stand beside it.
extension FieldTable {
    private static let launchType = FieldType.either([.yes, .words(of: LaunchMode.self)])
    private static let versions = FieldType.oneOrMore(.name(.version))
    /// Words for requests that are no file of a version.
    private static let requestWords = FieldType.word(RequestSubject.named.map(\.text))
    /// Steps in which time passes, or which only structure the story, have no trigger.
    private static let untimed = [
        "wait", "settle", "expect", "always", "never", "mark", "repeat", "crash",
    ]
    /// Steps that happen to no device.
    private static let ofNoDevice = [
        "deploy", "recall", "unblock", "fault", "heal", "wait", "settle", "mark", "repeat",
    ]

    static let step: [Field] = verbs + modifiers + triggers

    private static let verbs: [Field] = [
        Field("launch", launchType, "Starts the app, or brings it to the front; or in background.").head,
        Field("relaunch", launchType, "A kill by the user, then a launch.").head,
        Field(
            "kill", .word(DeathCause.kills.map(\.rawValue)),
            "Ends the process; the word is what really happens."
        ).head,
        Field("powerCut", .yes, "The power goes; the disk decides what survives.").head,
        Field(
            "restart", .yes, "The device shuts down in order and starts again: all that was written is there."
        ).head,
        Field("background", .yes, "The app leaves the front.").head,
        Field("foreground", .yes, "The app comes to the front.").head,
        Field("suspend", .either([.yes, .duration]), "The process stands still, until resume or for a time.")
            .head,
        Field("resume", .yes, "The process goes on.").head,
        Field("storeUpdate", .name(.build), "The store installs a build, newer or older.").head,
        Field(
            "deploy", .either([.name(.version), .word(["embedded"])]),
            "The origin publishes a version; \"embedded\": the order to leave all downloaded ones."
        ).head,
        Field("recall", versions, "The origin recalls versions (rule U13).").head,
        Field("unblock", versions, "The origin takes versions off blacklists (rule R5).").head,
        Field("check", .yes, "A check for updates.").head,
        Field("push", .yes, "A silent push.").head,
        Field(
            "page",
            .either([
                .word(pageActions.map(\.words)), .word(["in front"]), .name(.page),
            ]),
            "Something that the page in front does; \"in front\" or a name says which one calls, asks and so on."
        ).head.needing(
            oneOf: "calls", "asks", "opens", "does", "stores", "setsCookie", "sends",
            unless: pageActions.map(\.words)),
        Field("user", .userAction, "Something that the person in front does.").head,
        Field("wait", .duration, "Time passes.").head,
        Field("settle", .yes, "Time passes until nothing is left but idle timers.").head,
        Field("expect", .object(.expectation), "What must hold now, within a time, or throughout.").head,
        Field(
            "always", .object(.expectation),
            "What must hold at every moment from here to the end, in the rounds after the story too."
        ).head,
        Field(
            "never", .object(.expectation),
            "What must not hold, all of it at once, from here to the end, in the rounds after the story too."
        ).head,
        Field("mark", .text, "A name for this moment, for `since`.").head,
        Field("repeat", .whole(1...100_000), "The steps again, so many times.").head.needing("steps"),
        Field("route", .name(.edge), "The device reaches the origin through another edge.").head,
        Field("network", .words(of: NetworkKind.self), "The device's network.").head,
        Field("fault", .either([.word(plainFaults.map(\.words)), .object(.fault)]), "A fault begins.").head,
        Field("heal", .either([.yes, .name(.fault)]), "All faults end, or the named one.").head,
        Field("disk", .object(.disk), "Something that is stored is damaged.").head,
        Field("set", .object(.settings), "The app's settings change.").head,
        Field(
            "crash", .object(.crash),
            "The story is cut off at a disk operation; the device recovers, and nothing else is told."
        ).head,
    ]

    private static let modifiers: [Field] = [
        Field("on", .name(.handset), "The device that it happens to, or that is looked at; else the first.")
            .without(ofNoDevice),
        Field("as", .text, "A name for the page load or fault that this step begins, or for the step."),
        Field("because", .text, "Why; shown when it fails."),
        Field("crashPoints", .words(of: CrashPointRange.self), "Where to try a kill at every disk operation.")
            .without(untimed),
        Field("anyOrder", .list(.words(of: RacingEvent.self), least: 2), "Events whose orders are all tried.")
            .with("page", "launch", "relaunch").excluding("when", "after", "at"),
        Field("to", .oneOrMore(.name(.edge)), "The edges that get it; else all.").with("deploy"),
        Field("audience", .object(.audience), "Who is offered it; else everybody (rule U9).").with("deploy")
            .excluding("parts", "keepFiles"),
        Field("order", .words(of: DeployOrder.self), "The order in the manifest.").with("deploy").fallback(
            "update"),
        Field("parts", .words(of: DeployParts.self), "Files or manifest first, in a deploy of two steps.")
            .with("deploy").fallback("all"),
        Field("keepFiles", .flag, "Whether older versions' files stay on the origin.").with("deploy")
            .fallback(true),
        Field("calls", .words(of: BridgeCall.self), "What the page calls on the native side.").with("page"),
        Field("sends", .text, "A message to native code as it stands, right or wrong (rule N5).").with("page")
            .excluding("calls"),
        Field("size", .size, "Fills the message up with spaces to so much, 16 MB at most (rule N5).").with(
            "page"
        )
        .needing("sends"),
        Field("asks", .route, "What the page requests.").with("page").excluding("calls", "sends"),
        Field("opens", .route, "A web view beside the page's own, at this route.").with("page")
            .excluding("calls", "sends", "asks"),
        Field(
            "does", .word(pageActions.map(\.words) + ["closes"]),
            "What a named page does; the app's first one can't be closed."
        ).with("page")
            .excluding("calls", "sends", "asks", "opens"),
        Field("stores", .text, "What the page stores under its origin, by its key.").with("page")
            .excluding("calls", "sends", "asks", "opens", "does"),
        Field("setsCookie", .text, "A lasting cookie that the page sets, by its name.").with("page")
            .excluding("calls", "sends", "asks", "opens", "does", "stores"),
        Field("within", .duration, "Until it holds, or this limit.").with("expect").excluding("throughout"),
        Field("throughout", .duration, "At every moment for so long.").with("expect"),
        Field(
            "while", .words(of: DuringCondition.self),
            "Looks only while this is true; an `expect` with it needs `throughout`."
        ).with("expect", "always", "never"),
        Field(
            "since",
            .either([
                .word(["start"] + Verb.allCases.map(\.rawValue)), .name(.mark), .name(.step),
            ]), "From where counters count; else the last action."
        ).with("expect"),
        Field("path", .either([requestWords, .name(.file)]), "The requests it applies to; else all.").with(
            "fault"),
        Field("edge", .name(.edge), "The edge it applies to; else all.").with("fault"),
        Field("nth", .whole(1...1_000_000), "Only the nth such request from here on.").with("fault"),
        Field("for", .duration, "How long it lasts; else until healed.").with("fault"),
        Field("times", .whole(1...1_000_000), "How often it applies; else until healed.").with("fault"),
        Field("steps", .list(.object(.step), least: 1), "What is repeated.").with("repeat"),
        Field("every", .duration, "From the begin of a round to the next, at least.").with("repeat"),
    ]

    private static let triggers: [Field] = [
        Field("when", .object(.condition), "At this event, before its consequences.").without(untimed)
            .excluding("after", "at"),
        Field(
            "after", .either([.duration, .object(.condition)]), "That long after its turn, or after an event."
        )
        .without(untimed).excluding("at"),
        Field("at", .duration, "That long after the story began.").without(untimed),
    ]

    static let audience: [Field] = [
        Field("user", .text, "Only this user."),
        Field("cohort", .text, "Only users of this cohort."),
        Field("channel", .text, "Only devices on this channel."),
    ]

    static let condition: [Field] = [
        Field("stored", .amount, "So much of a file is on the device.").head.needing("of"),
        Field("of", .name(.file), "The file.").with("stored"),
        Field("asked", .either([requestWords, .name(.file)]), "A request reaches the origin.").head,
        Field("nth", .whole(1...1_000_000), "Which of them.").with("asked").fallback(1),
        Field("fetched", .name(.file), "A file has arrived whole.").head,
        Field("pending", .name(.version), "A version becomes pending.").head,
        Field("running", .name(.version), "A version becomes what pages are loaded from.").head,
        Field("started", .name(.version), "A version's index was served.").head,
        Field("confirmed", .name(.version), "A version is confirmed.").head,
        Field("progress", .percent, "The shown progress reaches this.").head,
    ]

    static let pageActions: [(words: String, action: PageAction)] = [
        ("reload", .reload), ("reload from origin", .reloadFromOrigin),
        ("location.replace", .replaceLocation),
        ("taps a link", .tapsLink), ("submits a form", .submitsForm), ("goes back", .goesBack),
    ]
}
