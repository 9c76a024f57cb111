import Core

extension PrintedValue {
    static func step(_ step: Step) -> PrintedValue {
        var pairs = PrintedPairs()
        action(step, &pairs)
        pairs.add("on", step.device?.value)
        pairs.add("as", step.name?.value)
        if let points = step.crashPoints { pairs.add("crashPoints", word: points.value) }
        if !step.anyOrder.isEmpty {
            pairs.add("anyOrder", .list(step.anyOrder.map { .text($0.value.rawValue) }))
        }
        trigger(step.trigger, &pairs)
        pairs.add("because", step.because?.value)
        return pairs.object
    }

    private static func action(_ step: Step, _ pairs: inout PrintedPairs) {
        let verb = step.verb.rawValue
        switch step.action {
        case .launch(let mode), .relaunch(let mode):
            pairs.add(verb, mode == .foreground ? .yes : .text(mode.rawValue))
        case .kill(let cause): pairs.add(verb, word: cause)
        case .powerCut, .restart, .background, .foreground, .resume, .check, .push, .settle:
            pairs.add(verb, .yes)
        // No word of a file.
        case .flushDisk: break
        case .suspend(let span): pairs.add(verb, span.map { .duration($0) } ?? .yes)
        case .storeUpdate(let name), .route(let name), .mark(let name): pairs.add(verb, name.value)
        case .deploy(let spec): deploy(spec, &pairs)
        case .recall(let names), .unblock(let names): pairs.add(verb, .texts(names))
        case .page(let spec): page(spec, &pairs)
        case .user(let action): pairs.add(verb, user(action))
        case .wait(let span): pairs.add(verb, .duration(span.value))
        case .expect(let spec): expect(spec, &pairs)
        case .always(let spec), .never(let spec): standing(step.verb, spec, &pairs)
        case .repeat(let spec):
            pairs.add(verb, .number(spec.count.value))
            pairs.add("every", spec.every.map { .duration($0.value) })
            pairs.add("steps", .list(spec.steps.map { PrintedValue.step($0) }))
        case .network(let state): pairs.add(verb, word: state)
        case .fault(let spec): fault(spec, &pairs)
        case .heal(let name): pairs.add(verb, name.map { .text($0.value) } ?? .yes)
        case .disk(let spec): pairs.add(verb, disk(spec))
        case .set(let spec): pairs.add(verb, settings(spec).object)
        case .crash(let spec): pairs.add(verb, crash(spec))
        }
    }

    private static func deploy(_ spec: DeploySpec, _ pairs: inout PrintedPairs) {
        pairs.add("deploy", spec.version?.value ?? "embedded")
        if !spec.edges.isEmpty { pairs.add("to", .texts(spec.edges)) }
        if spec.version != nil, spec.order != .update { pairs.add("order", word: spec.order) }
        if spec.parts != .all { pairs.add("parts", word: spec.parts) }
        if let audience = spec.audience {
            var inner = PrintedPairs()
            inner.add("user", audience.value.user)
            inner.add("cohort", audience.value.cohort)
            inner.add("channel", audience.value.channel)
            pairs.add("audience", inner.object)
        }
        if !spec.keepsOldFiles { pairs.add("keepFiles", .flag(false)) }
    }

    private static func page(_ spec: PageSpec, _ pairs: inout PrintedPairs) {
        let known = FieldTable.pageActions.first { $0.action == spec.action }
        if let known, spec.page == nil { return pairs.add("page", known.words) }
        pairs.add("page", spec.page?.value ?? "in front")
        if let known { return pairs.add("does", known.words) }
        switch spec.action {
        case .closes: pairs.add("does", "closes")
        case .opens(let route): pairs.add("opens", route.value)
        case .calls(let call): pairs.add("calls", word: call.value)
        case .sends(let text, let size):
            pairs.add("sends", text.value)
            pairs.add("size", size.map { .size($0.value) })
        case .asks(let route): pairs.add("asks", route.value)
        case .stores(let key): pairs.add("stores", key.value)
        case .setsCookie(let name): pairs.add("setsCookie", name.value)
        case .reload, .reloadFromOrigin, .replaceLocation, .tapsLink, .submitsForm, .goesBack: break
        }
    }

    private static func user(_ action: UserAction) -> String {
        if case .types(let from?, let to?) = action {
            return "types from \(durationText(from)) to \(durationText(to))"
        }
        return TextScanner.userActions.first { $0.action == action }?.words ?? "waits"
    }

    private static func disk(_ spec: DiskSpec) -> PrintedValue {
        let file: String
        switch spec.file.value {
        case .content(let content): file = reference(content)
        case .record: file = "record"
        case .records: file = "records"
        case .starts: file = "starts"
        }
        let damage: Pair
        switch spec.damage.value {
        case .truncate(let amount): damage = Pair("truncate", .text(amountText(amount)))
        case .flip(let bytes): damage = Pair("flip", .size(bytes))
        case .remove: damage = Pair("remove", .yes)
        case .readError(let amount): damage = Pair("readError", .text("at " + amountText(amount)))
        }
        return .object([Pair("file", .text(file)), Pair("do", .object([damage]))])
    }

    private static func crash(_ spec: CrashSpec) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("operation", .number(spec.operation.value))
        pairs.add("of", spec.of.value.word)
        if spec.nth != 1 { pairs.add("nth", .number(spec.nth)) }
        pairs.add("writes", spec.writes.map { .number($0.value) })
        pairs.add("outcome", spec.outcome.value.text)
        return pairs.object
    }

    // MARK: - Triggers

    private static func trigger(_ trigger: Trigger?, _ pairs: inout PrintedPairs) {
        switch trigger {
        case nil: break
        case .at(let span): pairs.add("at", .duration(span.value))
        case .delay(let span): pairs.add("after", .duration(span.value))
        case .when(let awaited): pairs.add("when", condition(awaited.value))
        case .after(let awaited): pairs.add("after", condition(awaited.value))
        }
    }

    private static func condition(_ condition: Condition) -> PrintedValue {
        var pairs = PrintedPairs()
        switch condition {
        case .stored(let amount, let route):
            pairs.add("stored", amountText(amount))
            pairs.add("of", route.value)
        case .asked(let route, let nth):
            pairs.add("asked", route.text)
            if nth != 1 { pairs.add("nth", .number(nth)) }
        case .fetched(let route): pairs.add("fetched", route.value)
        case .pending(let name): pairs.add("pending", name.value)
        case .running(let name): pairs.add("running", name.value)
        case .started(let name): pairs.add("started", name.value)
        case .confirmed(let name): pairs.add("confirmed", name.value)
        case .progress(let percent): pairs.add("progress", "\(percent)%")
        }
        return pairs.object
    }
}
