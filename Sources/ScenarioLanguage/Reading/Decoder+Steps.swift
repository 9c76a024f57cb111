import Core

extension ScenarioDecoder {
    func steps(_ value: Value) throws(Gap) -> [Step] {
        var steps: [Step] = []
        for element in value.elements {
            guard let record = element.record else { throw Gap(what: "step", span: element.span) }
            steps.append(try step(record))
        }
        return steps
    }

    private func step(_ record: Record) throws(Gap) -> Step {
        let head = try need(record.head, "verb", record)
        let verb = try need(Verb(rawValue: head.key), head.key, record)
        return Step(
            verb: verb, action: try action(verb, head.value, record), trigger: try trigger(record),
            device: record.text("on"), name: record.text("as"), because: record.text("because"),
            crashPoints: record.word("crashPoints"),
            anyOrder: record["anyOrder"]?.elements.compactMap { value in
                value.text.flatMap { text in
                    RacingEvent(rawValue: text.value).map { Spanned($0, text.span) }
                }
            } ?? [], span: record.span, verbSpan: head.keySpan)
    }

    private func action(_ verb: Verb, _ value: Value, _ record: Record) throws(Gap) -> Action {
        switch verb {
        case .launch: return .launch(record.word("launch")?.value ?? .foreground)
        case .relaunch: return .relaunch(record.word("relaunch")?.value ?? .foreground)
        case .kill: return .kill(try need(record.word("kill"), "kill", record).value)
        case .powerCut: return .powerCut(.nothing)
        case .restart: return .restart
        case .background: return .background
        case .foreground: return .foreground
        case .suspend: return .suspend(for: record.duration("suspend")?.value)
        case .resume: return .resume
        case .storeUpdate: return .storeUpdate(build: try need(record.text("storeUpdate"), "build", record))
        case .deploy: return .deploy(try deploy(record))
        case .recall: return .recall(record.texts("recall"))
        case .unblock: return .unblock(record.texts("unblock"))
        case .check: return .check
        case .push: return .push
        case .page: return .page(try page(record))
        case .user:
            guard case .user(let action) = value.content else { throw Gap(what: "user", span: value.span) }
            return .user(action)
        case .wait: return .wait(try need(record.duration("wait"), "wait", record))
        case .settle: return .settle
        case .expect: return .expect(try expect(record))
        case .always: return .always(try standing(value, record))
        case .never: return .never(try standing(value, record))
        case .mark: return .mark(try need(record.text("mark"), "mark", record))
        case .repeat: return .repeat(try repetition(record))
        case .route: return .route(edge: try need(record.text("route"), "route", record))
        case .network: return .network(try need(record.word("network"), "network", record).value)
        case .fault: return .fault(try fault(value, record))
        case .heal: return .heal(record.text("heal"))
        case .disk: return .disk(try disk(try need(value.record, "disk", record)))
        case .crash: return .crash(try crash(try need(value.record, "crash", record)))
        case .set: return .set(settings(try need(value.record, "set", record)))
        }
    }

    private func deploy(_ record: Record) throws(Gap) -> DeploySpec {
        let version = try need(record.text("deploy"), "deploy", record)
        let isLeave = version.value == "embedded"
        let order: Spanned<DeployOrder> = try need(record.word("order"), "order", record)
        return DeploySpec(
            version: isLeave ? nil : version, edges: record.texts("to"),
            order: isLeave ? .embedded : order.value,
            surplusOrder: isLeave && ![.update, .embedded].contains(order.value) ? order : nil,
            parts: try need(record.word("parts"), "parts", record).value,
            keepsOldFiles: record.flag("keepFiles")?.value ?? true,
            audience: record.record("audience").map {
                Spanned(
                    Audience(
                        user: $0.text("user")?.value, cohort: $0.text("cohort")?.value,
                        channel: $0.text("channel")?.value), $0.span)
            })
    }

    private func page(_ record: Record) throws(Gap) -> PageSpec {
        let word = try need(record.text("page"), "page", record)
        if let known = FieldTable.pageActions.first(where: { $0.words == word.value }) {
            return PageSpec(page: nil, action: known.action)
        }
        let page = word.value == "in front" ? nil : word
        if let call: Spanned<BridgeCall> = record.word("calls") {
            return PageSpec(page: page, action: .calls(call))
        }
        if let text = record.text("sends") {
            return PageSpec(page: page, action: .sends(text, size: record.bytes("size")))
        }
        if let route = record.text("opens") { return PageSpec(page: page, action: .opens(route)) }
        if let key = record.text("stores") { return PageSpec(page: page, action: .stores(key)) }
        if let name = record.text("setsCookie") { return PageSpec(page: page, action: .setsCookie(name)) }
        if let done = record.text("does") {
            let known = FieldTable.pageActions.first { $0.words == done.value }
            return PageSpec(page: page, action: known?.action ?? .closes)
        }
        return PageSpec(page: page, action: .asks(try need(record.text("asks"), "asks", record)))
    }

    private func repetition(_ record: Record) throws(Gap) -> RepeatSpec {
        RepeatSpec(
            count: try need(record.whole("repeat"), "repeat", record), every: record.duration("every"),
            steps: try steps(try need(record["steps"], "steps", record)))
    }

    private func crash(_ record: Record) throws(Gap) -> CrashSpec {
        let of = try need(record.text("of"), "of", record)
        let outcome = try need(record.text("outcome"), "outcome", record)
        return CrashSpec(
            operation: try need(record.whole("operation"), "operation", record),
            of: of.map(try need(CrashOrigin(word: of.value), "of", record)),
            nth: try need(record.whole("nth"), "nth", record).value, writes: record.whole("writes"),
            outcome: outcome.map(try need(CrashOutcome(text: outcome.value), "outcome", record)))
    }

    private func trigger(_ record: Record) throws(Gap) -> Trigger? {
        if record.place != .step { return nil }
        if let at = record.duration("at") { return .at(at) }
        if let delay = record.duration("after") { return .delay(delay) }
        if let when = record.record("when") { return .when(Spanned(try condition(when), when.span)) }
        if let after = record.record("after") { return .after(Spanned(try condition(after), after.span)) }
        return nil
    }

    private func condition(_ record: Record) throws(Gap) -> Condition {
        let head = try need(record.head, "condition", record)
        func name() throws(Gap) -> Spanned<String> { try need(record.text(head.key), head.key, record) }
        switch head.key {
        case "stored":
            return .stored(
                try need(record.amount("stored"), "stored", record).value,
                of: try need(record.text("of"), "of", record))
        case "asked": return .asked(RequestSubject(try name().value), nth: record.whole("nth")?.value ?? 1)
        case "fetched": return .fetched(try name())
        case "pending": return .pending(try name())
        case "running": return .running(try name())
        case "started": return .started(try name())
        case "confirmed": return .confirmed(try name())
        case "progress": return .progress(try need(record.whole("progress"), "progress", record).value)
        default: throw Gap(what: head.key, span: record.span)
        }
    }
}
