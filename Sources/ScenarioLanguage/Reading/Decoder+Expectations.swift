import Core

extension ScenarioDecoder {
    func expect(_ step: Record) throws(Gap) -> ExpectStep {
        ExpectStep(
            expectation: try expectation(try need(step.record("expect"), "expect", step)),
            within: step.duration("within"), throughout: step.duration("throughout"),
            during: step.word("while"),
            since: step.text("since").map { Spanned(since($0.value), $0.span) })
    }

    func standing(_ value: Value, _ step: Record) throws(Gap) -> StandingStep {
        StandingStep(
            expectation: try expectation(try need(value.record, "expectation", step)),
            during: step.word("while"))
    }

    private func since(_ word: String) -> Since {
        if word == "start" { return .start }
        if let verb = Verb(rawValue: word) { return .verb(verb) }
        return marks.contains(word) ? .mark(word) : .step(word)
    }

    private func expectation(_ record: Record) throws(Gap) -> Expectation {
        var expected = Expectation(span: record.span)
        expected.running = record.nullableText("running")
        expected.pending = record.nullableText("pending")
        expected.lastKnownGood = record.nullableText("lastKnownGood")
        expected.page = record.word("page")
        expected.pages = (record.record("pages")?.entries ?? []).map { entry in
            PageExpectation(
                page: Spanned(entry.key, entry.keySpan), version: entry.value.spanned(entry.value.text?.value)
            )
        }
        expected.process = record.word("process")
        expected.confirmed = record.flag("confirmed")
        expected.blacklist = record.listing("blacklist")
        expected.parked = record.listing("parked")
        expected.blame = (record.record("blame")?.entries ?? []).map { entry in
            BlameExpectation(
                version: Spanned(entry.key, entry.keySpan), cause: entry.value.record?.text("cause"),
                count: entry.value.record?.bounds("count"), ended: entry.value.record?.flag("ended"),
                span: entry.keySpan)
        }
        expected.starts = try starts(record.record("starts"))
        expected.started = record.listing("started")
        expected.stored = record.listing("stored")
        expected.storedFiles = record.listing("storedFiles")
        expected.fetched = fetched(record["fetched"])
        expected.requests = requests(record.record("requests"))
        for element in record["answers"]?.elements ?? [] {
            expected.answers.append(try answers(try need(element.record, "answers", record)))
        }
        expected.bytes = record.bounds("bytes")
        expected.reloads = record.bounds("reloads")
        expected.switches = record.bounds("switches")
        expected.whiteTime = record.bounds("whiteTime")
        expected.time = record.bounds("time")
        expected.times = record.record("times").map {
            TimesExpectation(
                launch: $0.bounds("launch"), switching: $0.bounds("switch"), rescue: $0.bounds("rescue"),
                span: $0.span)
        }
        expected.progress = progress(record["progress"])
        expected.screen = record.word("screen")
        expected.log = record.listing("log")
        expected.logOf = (record.record("logOf")?.entries ?? []).compactMap { entry in
            guard case .listing(let causes) = entry.value.content else { return nil }
            return LogExpectation(version: Spanned(entry.key, entry.keySpan), causes: causes)
        }
        expected.cookies = record.listing("cookies")
        expected.storage = record.listing("storage")
        expected.port = record.nullableWhole("port")
        expected.outcomes = record.listing("outcomes")
        expected.messages = messages(record["messages"])
        expected.replies = record.listing("replies")
        return expected
    }

    private func starts(_ record: Record?) throws(Gap) -> [StartsExpectation] {
        var starts: [StartsExpectation] = []
        for entry in record?.entries ?? [] {
            guard let counts = entry.value.record else { throw Gap(what: "starts", span: entry.value.span) }
            starts.append(
                StartsExpectation(
                    version: Spanned(entry.key, entry.keySpan), confirmed: counts.bounds("confirmed"),
                    failed: counts.bounds("failed"), unclear: counts.bounds("unclear"),
                    uncounted: counts.bounds("uncounted")))
        }
        return starts
    }

    private func fetched(_ value: Value?) -> FetchedExpectation? {
        guard let value else { return nil }
        guard let record = value.record else {
            let list = ListExpectation.exact(value.elements.compactMap(\.text), span: value.span)
            return FetchedExpectation(files: nil, routes: list, span: value.span)
        }
        let (has, hasNot) = (record.texts("has"), record.texts("hasNot"))
        let isSilent = has.isEmpty && hasNot.isEmpty
        let list = ListExpectation.partial(has: has, hasNot: hasNot, span: value.span)
        return FetchedExpectation(
            files: record.bounds("files"), routes: isSilent ? nil : list, span: value.span)
    }

    private func requests(_ record: Record?) -> RequestsExpectation? {
        guard let record else { return nil }
        let routes = record.entries.compactMap { entry -> RouteRequests? in
            guard entry.key.hasPrefix("/"), case .bounds(let count) = entry.value.content else { return nil }
            return RouteRequests(route: Spanned(entry.key, entry.keySpan), count: count)
        }
        return RequestsExpectation(
            manifest: record.bounds("manifest"), files: record.bounds("files"),
            outcomes: record.bounds("outcomes"), all: record.bounds("all"),
            resumed: record.bounds("resumed"), conditional: record.bounds("conditional"),
            routes: routes, span: record.span)
    }

    private func answers(_ record: Record) throws(Gap) -> AnswersExpectation {
        let asked = record.text("asked").map { text in
            let kind = ResourceKind(rawValue: text.value).map(AskedThing.kind)
            return Spanned(kind ?? .route(text.value), text.span)
        }
        return AnswersExpectation(
            asked: asked, type: record.text("type"), status: record.whole("status"),
            count: try need(record.bounds("count"), "count", record), span: record.span)
    }

    private func messages(_ value: Value?) -> MessagesExpectation? {
        guard let value else { return nil }
        guard let record = value.record else {
            let list = ListExpectation.exact(value.elements.compactMap(\.text), span: value.span)
            return MessagesExpectation(texts: list, count: nil, progress: nil, span: value.span)
        }
        let (has, hasNot) = (record.texts("has"), record.texts("hasNot"))
        let isSilent = has.isEmpty && hasNot.isEmpty
        return MessagesExpectation(
            texts: isSilent ? nil : .partial(has: has, hasNot: hasNot, span: value.span),
            count: record.bounds("count"), progress: record.bounds("progress"), span: value.span)
    }

    private func progress(_ value: Value?) -> ProgressExpectation? {
        guard let value else { return nil }
        guard let record = value.record else {
            return ProgressExpectation(onlyGrows: Spanned(true, value.span), percent: nil, span: value.span)
        }
        return ProgressExpectation(
            onlyGrows: record.flag("onlyGrows"), percent: record.bounds("percent"), span: record.span)
    }
}
