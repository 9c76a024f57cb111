import Core

// Steps: the verbs and their other keys.
extension FieldTable {
    /// Verbs without triggers: time passes in them, or they only structure the scenario.
    private static let untimed = [
        "wait", "settle", "expect", "always", "never", "mark", "repeat", "gap", "crash",
    ]
    /// Verbs that are for no device.
    private static let ofNoDevice = [
        "deploy", "recall", "unblock", "fault", "heal", "wait", "settle", "mark", "repeat", "gap",
    ]

    static let step: ObjectCodec<Step> = ObjectCodec(
        .step,
        fields: stepFields,
        { (record) throws(RecordDecodingError) -> Step in
            guard let head = record.head, let verb = Verb(rawValue: head.key) else {
                throw RecordDecodingError(what: "verb", span: record.span)
            }
            return Step(verb: verb, action: .settle, anyOrder: [], span: record.span, verbSpan: head.keySpan)
        }
    ) {
        FieldCodec(\.action, oneOf: verbs)
        modifiers
        FieldCodec(\.trigger, oneOf: triggers)
    }

    /// Verbs, keys for all verbs, keys for one verb, triggers.
    private static var stepFields: [Field] {
        var fields: [Field] = verbs.fields
        for codec in modifiers { fields += codec.fields }
        fields += deploy.modifiers
        fields += page.modifiers
        fields += expect.modifiers
        fields += faultStep.modifiers
        fields += repetition.modifiers
        return fields + triggers.fields
    }

    /// Keys for all verbs; those for one verb are with its action.
    @ListBuilder<FieldCodec<Step>> private static var modifiers: [FieldCodec<Step>] {
        FieldCodec(
            "on", \.device, .name(.handset),
            "The device of the step; else the first."
        ).without(ofNoDevice)
        FieldCodec(
            "as", \.name, .text,
            "A name for the page load or fault that this step begins, or for the step.")
        FieldCodec(
            "link", \.link, .target,
            "The link that opens the app, or that the app in front gets: the page that it is to show."
        ).with("launch", "relaunch")
        FieldCodec("because", \.because, .text, "Why; shown when it fails.").printedLast
        FieldCodec("crashPoints", \.crashPoints, .keywords, "Where to try a kill at every disk operation.")
            .without(untimed)
        FieldCodec(
            "anyOrder", \.anyOrder, .list(.keywords, least: 2), "Events that are tried in every order."
        ).with("page", "launch", "relaunch").excluding("when", "after", "at")
    }

    static let verbs: EnumCodec<Action> = EnumCodec {
        deviceVerbs
        originVerbs
        personVerbs
        scenarioVerbs
        surroundingVerbs
    }

    @ListBuilder<CaseCodec<Action>> private static var deviceVerbs: [CaseCodec<Action>] {
        CaseCodec("launch", .launchMode, "Starts the app, or brings it to the front; or in background.") {
            .launch($0 ?? .foreground)
        } value: {
            if case .launch(let mode, _) = $0 { .some(mode == .foreground ? nil : mode) } else { nil }
        }.head
        CaseCodec("relaunch", .launchMode, "A kill by the user, then a launch.") {
            .relaunch($0 ?? .foreground)
        } value: {
            if case .relaunch(let mode, _) = $0 { .some(mode == .foreground ? nil : mode) } else { nil }
        }.head
        CaseCodec("kill", .killed, "Ends the process; the keyword is the real cause.", make: Action.kill) {
            if case .kill(let cause) = $0 { cause } else { nil }
        }.head
        CaseCodec("powerCut", .powerCut(.nothing), "The power goes; the disk decides what survives.").head
        CaseCodec(
            "restart", .restart,
            "The device shuts down in order and starts again: all that was written is there."
        ).head
        CaseCodec("background", .background, "The app leaves the front.").head
        CaseCodec("foreground", .foreground, "The app comes to the front.").head
        CaseCodec("active", .active, "The app in front gets the user's input again (rule R2).").head
        CaseCodec(
            "inactive", .inactive,
            "The app in front does not get the user's input any more: a call, Control Centre (rule R2)."
        ).head
        CaseCodec(
            "suspend", .yes(or: .duration), "The process is suspended, until resume or for a time.",
            make: Action.suspend(for:)
        ) {
            if case .suspend(let span) = $0 { .some(span) } else { nil }
        }.head
        CaseCodec("resume", .resume, "The process continues.").head
        CaseCodec(
            "freeze", .duration,
            "The process is stopped for this time without a notice; pages, user and network go on.",
            make: Action.freeze(for:)
        ) {
            if case .freeze(let span) = $0 { span } else { nil }
        }.head
        CaseCodec(
            "socketsLost", .socketsLost,
            "The system takes the app's listening socket and all its connections (rule S8)."
        ).head
        CaseCodec(
            "storeUpdate", .spanned(.name(.build)), "The store installs a build, newer or older.",
            make: Action.storeUpdate(build:)
        ) {
            if case .storeUpdate(let build) = $0 { build } else { nil }
        }.head
    }

    @ListBuilder<CaseCodec<Action>> private static var originVerbs: [CaseCodec<Action>] {
        CaseCodec(deploy, make: Action.deploy) {
            if case .deploy(let spec) = $0 { spec } else { nil }
        }.head
        CaseCodec(
            "recall", .oneOrMore(.name(.version)), "The origin recalls versions (rule U13).",
            make: Action.recall
        ) {
            if case .recall(let names) = $0 { names } else { nil }
        }.head
        CaseCodec(
            "unblock", .oneOrMore(.name(.version)), "The origin takes versions off blacklists (rule R5).",
            make: Action.unblock
        ) {
            if case .unblock(let names) = $0 { names } else { nil }
        }.head
    }

    @ListBuilder<CaseCodec<Action>> private static var personVerbs: [CaseCodec<Action>] {
        CaseCodec("check", .check, "A check for updates.").head
        CaseCodec("push", .push, "A silent push.").head
        CaseCodec(page, make: Action.page) {
            if case .page(let spec) = $0 { spec } else { nil }
        }
        CaseCodec(
            "native", .object(native), "Native code sends the page in front a message (rule N5).",
            make: Action.native
        ) {
            if case .native(let spec) = $0 { spec } else { nil }
        }.head
        CaseCodec("user", .userAction, "An action of the user.", make: Action.user) {
            if case .user(let action) = $0 { action } else { nil }
        }.head
        CaseCodec(
            "client", .object(client),
            "Another client than the app's pages connects to the local server (rules S6, S10).",
            make: Action.client
        ) {
            if case .client(let spec) = $0 { spec } else { nil }
        }.head
    }

    @ListBuilder<CaseCodec<Action>> private static var scenarioVerbs: [CaseCodec<Action>] {
        CaseCodec("wait", .spanned(.duration), "Time passes.", make: Action.wait) {
            if case .wait(let span) = $0 { span } else { nil }
        }.head
        CaseCodec("settle", .settle, "Time passes until nothing is left but idle timers.").head
        CaseCodec(expect, make: Action.expect) {
            if case .expect(let spec) = $0 { spec } else { nil }
        }
        CaseCodec(
            invariant(
                "always",
                "What must hold at every moment from here to the end, in the rounds after the last step too."),
            make: Action.always
        ) {
            if case .always(let spec) = $0 { spec } else { nil }
        }
        CaseCodec(
            invariant(
                "never",
                "What must not hold, all of it at once, from here to the end, in the rounds after the last step too."
            ), make: Action.never
        ) {
            if case .never(let spec) = $0 { spec } else { nil }
        }
        CaseCodec("mark", .spanned(.text), "A name for this moment, for `since`.", make: Action.mark) {
            if case .mark(let name) = $0 { name } else { nil }
        }.head
        CaseCodec(repetition, make: Action.`repeat`) {
            if case .repeat(let spec) = $0 { spec } else { nil }
        }
        CaseCodec(
            "gap", .object(gap),
            "Nothing happens in a run. Where 'otalab explore' runs the scenario, random steps are here.",
            make: Action.gap
        ) {
            if case .gap(let spec) = $0 { spec } else { nil }
        }.head
    }

    @ListBuilder<CaseCodec<Action>> private static var surroundingVerbs: [CaseCodec<Action>] {
        CaseCodec(
            "route", .spanned(.name(.edge)), "The device reaches the origin through another edge.",
            make: Action.route(edge:)
        ) {
            if case .route(let edge) = $0 { edge } else { nil }
        }.head
        CaseCodec("network", .keywords, "The device's network.", make: Action.network) {
            if case .network(let state) = $0 { state } else { nil }
        }.head
        CaseCodec(faultStep, make: Action.fault) {
            if case .fault(let spec) = $0 { spec } else { nil }
        }
        CaseCodec(
            "heal", .yes(or: .spanned(.name(.fault))), "All faults end, or the named one.", make: Action.heal
        ) {
            if case .heal(let name) = $0 { .some(name) } else { nil }
        }.head
        CaseCodec("disk", .object(disk), "A stored file is damaged.", make: Action.disk) {
            if case .disk(let spec) = $0 { spec } else { nil }
        }.head
        CaseCodec("set", .object(settings), "The app's settings change.", make: Action.set) {
            if case .set(let spec) = $0 { spec } else { nil }
        }.head
        CaseCodec(
            "crash", .object(crash),
            "The scenario ends at a disk operation; the device recovers, and the other steps are left out.",
            make: Action.crash
        ) {
            if case .crash(let spec) = $0 { spec } else { nil }
        }.head
    }

    private static let repetition: ObjectCodec<RepeatSpec> = ObjectCodec(
        .step, { RepeatSpec(count: Spanned(0, $0.span), steps: []) }
    ) {
        FieldCodec("repeat", \.count, .whole(1...100_000), "The number of rounds.").head
            .needing("steps")
        FieldCodec(
            "steps", \.steps, .list(of: .object(.step) { step }, least: 1), unless: { _ in false },
            "What is repeated."
        ).with("repeat").printedLast
        FieldCodec("every", \.every, .duration, "The least time from the beginning of a round to the next.")
            .with(
                "repeat")
    }

    static let gap: ObjectCodec<GapSpec> = ObjectCodec(.gap, { GapSpec(span: $0.span) }) {
        FieldCodec(
            "without", \.without, .list(.keywords, least: 1),
            "Kinds of steps that are never here, because the expectations after the gap are about them.")
        FieldCodec(
            "atMost", \.atMost, .duration, "The longest time that passes here; else any.")
    }

    // MARK: - Triggers

    private static let triggers: EnumCodec<Trigger> = EnumCodec {
        CaseCodec(
            "when", .spanned(.object(condition)),
            "At this event, before its consequences. It must happen before the scenario ends.",
            make: Trigger.when
        ) {
            if case .when(let condition) = $0 { condition } else { nil }
        }.without(untimed).excluding("after", "at")
        CaseCodec(
            "after", .delayOrEvent,
            "This long after its position in the steps, or after an event. It must happen before the scenario ends."
        ) {
            $0
        } value: {
            switch $0 {
            case .delay, .after: $0
            case .at, .when: nil
            }
        }.without(untimed).excluding("at")
        CaseCodec(
            "at", .spanned(.duration), "This long after the scenario began, and before it ends.",
            make: Trigger.at
        ) {
            if case .at(let span) = $0 { span } else { nil }
        }.without(untimed)
    }

    static let condition: ObjectCodec<TriggerCondition> = ObjectCodec(
        .condition,
        oneOf: EnumCodec {
            CaseCodec(
                "stored", .amount, "This amount of a file is on the device.",
                and: .needed("of", .spanned(.name(.file)), "The file."), make: TriggerCondition.stored(_:of:)
            ) {
                if case .stored(let amount, let route) = $0 { (amount, route) } else { nil }
            }.head
            CaseCodec(
                "asked", .asked, "A request reaches the origin.",
                and: .optional("nth", .whole(1...1_000_000), else: 1, "Which of them."),
                make: TriggerCondition.asked(_:nth:)
            ) {
                if case .asked(let route, let nth) = $0 { (route, nth) } else { nil }
            }.head
            CaseCodec(
                "fetched", .spanned(.name(.file)), "A file has arrived completely.",
                make: TriggerCondition.fetched
            ) {
                if case .fetched(let route) = $0 { route } else { nil }
            }.head
            CaseCodec(
                "pending", .spanned(.name(.version)), "A version becomes pending.",
                make: TriggerCondition.pending
            ) {
                if case .pending(let name) = $0 { name } else { nil }
            }.head
            CaseCodec(
                "running", .spanned(.name(.version)), "A version becomes what pages are loaded from.",
                make: TriggerCondition.running
            ) {
                if case .running(let name) = $0 { name } else { nil }
            }.head
            CaseCodec(
                "started", .spanned(.name(.version)), "A version's index was served.",
                make: TriggerCondition.started
            ) {
                if case .started(let name) = $0 { name } else { nil }
            }.head
            CaseCodec(
                "confirmed", .spanned(.name(.version)), "A version is confirmed.",
                make: TriggerCondition.confirmed
            ) {
                if case .confirmed(let name) = $0 { name } else { nil }
            }.head
            CaseCodec(
                "progress", .percent, "The shown progress reaches this.", make: TriggerCondition.progress
            ) {
                if case .progress(let percent) = $0 { percent } else { nil }
            }.head
            CaseCodec(
                "notified", .spanned(.text),
                "A page gets this message without a request (rule T2): \"newVersionReady v2\".",
                make: TriggerCondition.notified
            ) {
                if case .notified(let text) = $0 { text } else { nil }
            }.head
        })
}

extension Codec<LaunchMode?> {
    fileprivate static var launchMode: Codec { .yes(or: .keywords) }
}

extension Codec<Trigger> {
    fileprivate static var delayOrEvent: Codec {
        let condition = Codec<Spanned<TriggerCondition>>.spanned(.object(FieldTable.condition))
        return Codec(
            .either([.duration, condition.type]),
            read: { (value) throws(RecordDecodingError) -> Trigger in
                if value.record != nil { return .after(try condition.read(value)) }
                return .delay(try Codec<Spanned<TimeSpan>>.spanned(.duration).read(value))
            },
            print: { trigger in
                switch trigger {
                case .at(let span), .delay(let span): Codec<TimeSpan>.duration.print(span.value)
                case .when(let event), .after(let event): condition.print(event)
                }
            })
    }
}
