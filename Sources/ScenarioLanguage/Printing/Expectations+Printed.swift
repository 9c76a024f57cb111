import Core

extension PrintedValue {
    static func expect(_ spec: ExpectStep, _ pairs: inout PrintedPairs) {
        pairs.add("expect", expectation(spec.expectation))
        pairs.add("within", spec.within.map { .duration($0.value) })
        pairs.add("throughout", spec.throughout.map { .duration($0.value) })
        pairs.add("while", word: spec.during?.value)
        switch spec.since?.value {
        case nil: break
        case .start: pairs.add("since", "start")
        case .verb(let verb): pairs.add("since", word: verb)
        case .mark(let name), .step(let name): pairs.add("since", name)
        }
    }

    static func standing(_ verb: Verb, _ spec: StandingStep, _ pairs: inout PrintedPairs) {
        pairs.add(verb.rawValue, expectation(spec.expectation))
        pairs.add("while", word: spec.during?.value)
    }

    static func expectation(_ expected: Expectation) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("running", expected.running.map { .nullable($0.value) })
        pairs.add("pending", expected.pending.map { .nullable($0.value) })
        pairs.add("lastKnownGood", expected.lastKnownGood.map { .nullable($0.value) })
        pairs.add("page", word: expected.page?.value)
        if !expected.pages.isEmpty {
            let pages = expected.pages.map { Pair($0.page.value, .nullable($0.version.value)) }
            pairs.add("pages", .object(pages))
        }
        pairs.add("process", word: expected.process?.value)
        pairs.add("confirmed", expected.confirmed.map { .flag($0.value) })
        pairs.add("blacklist", listing(expected.blacklist))
        if !expected.blame.isEmpty {
            pairs.add("blame", .object(expected.blame.map { Pair($0.version.value, blame($0)) }))
        }
        pairs.add("parked", listing(expected.parked))
        if !expected.starts.isEmpty {
            pairs.add("starts", .object(expected.starts.map { Pair($0.version.value, counts($0)) }))
        }
        pairs.add("started", listing(expected.started))
        pairs.add("stored", listing(expected.stored))
        pairs.add("storedFiles", listing(expected.storedFiles))
        pairs.add("fetched", expected.fetched.map(fetched))
        pairs.add("requests", expected.requests.map(requests))
        switch expected.answers.count {
        case 0: break
        case 1: pairs.add("answers", answers(expected.answers[0]))
        default: pairs.add("answers", .list(expected.answers.map(answers)))
        }
        pairs.add("bytes", bounds(expected.bytes, PrintedValue.size))
        pairs.add("reloads", bounds(expected.reloads, PrintedValue.number))
        pairs.add("switches", bounds(expected.switches, PrintedValue.number))
        pairs.add("whiteTime", bounds(expected.whiteTime, durationOf))
        pairs.add("time", bounds(expected.time, durationOf))
        pairs.add("times", expected.times.map(times))
        pairs.add("progress", expected.progress.map(progress))
        pairs.add("screen", word: expected.screen?.value)
        pairs.add("log", listing(expected.log))
        if !expected.logOf.isEmpty {
            let rows = expected.logOf.compactMap { row in
                listing(row.causes).map { Pair(row.version.value, $0) }
            }
            pairs.add("logOf", .object(rows))
        }
        pairs.add("cookies", listing(expected.cookies))
        pairs.add("storage", listing(expected.storage))
        pairs.add("port", expected.port.map { $0.value.map { .number($0) } ?? .raw("null") })
        pairs.add("outcomes", listing(expected.outcomes))
        pairs.add("messages", expected.messages.map(messages))
        pairs.add("replies", listing(expected.replies))
        return pairs.object
    }

    private static func durationOf(_ microseconds: Int64) -> PrintedValue {
        .duration(TimeSpan(microseconds: microseconds))
    }

    private static func blame(_ blame: BlameExpectation) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("cause", blame.cause?.value)
        pairs.add("count", bounds(blame.count, PrintedValue.number))
        pairs.add("ended", blame.ended.map { .flag($0.value) })
        return pairs.object
    }

    private static func times(_ times: TimesExpectation) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("launch", bounds(times.launch, durationOf))
        pairs.add("switch", bounds(times.switching, durationOf))
        pairs.add("rescue", bounds(times.rescue, durationOf))
        return pairs.object
    }

    private static func counts(_ counts: StartsExpectation) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("confirmed", bounds(counts.confirmed, PrintedValue.number))
        pairs.add("failed", bounds(counts.failed, PrintedValue.number))
        pairs.add("unclear", bounds(counts.unclear, PrintedValue.number))
        pairs.add("uncounted", bounds(counts.uncounted, PrintedValue.number))
        return pairs.object
    }

    private static func fetched(_ fetched: FetchedExpectation) -> PrintedValue {
        if fetched.files == nil, case .exact(let routes, _)? = fetched.routes { return .texts(routes) }
        var pairs = PrintedPairs()
        pairs.add("files", bounds(fetched.files, PrintedValue.number))
        if case .partial(let has, let hasNot, _)? = fetched.routes {
            if !has.isEmpty { pairs.add("has", .texts(has)) }
            if !hasNot.isEmpty { pairs.add("hasNot", .texts(hasNot)) }
        }
        return pairs.object
    }

    private static func requests(_ requests: RequestsExpectation) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("manifest", bounds(requests.manifest, PrintedValue.number))
        pairs.add("files", bounds(requests.files, PrintedValue.number))
        pairs.add("outcomes", bounds(requests.outcomes, PrintedValue.number))
        pairs.add("all", bounds(requests.all, PrintedValue.number))
        pairs.add("resumed", bounds(requests.resumed, PrintedValue.number))
        pairs.add("conditional", bounds(requests.conditional, PrintedValue.number))
        for route in requests.routes {
            pairs.add(route.route.value, bounds(route.count, PrintedValue.number))
        }
        return pairs.object
    }

    private static func answers(_ answers: AnswersExpectation) -> PrintedValue {
        var pairs = PrintedPairs()
        switch answers.asked?.value {
        case nil: break
        case .route(let route): pairs.add("asked", route)
        case .kind(let kind): pairs.add("asked", word: kind)
        }
        pairs.add("type", answers.type?.value)
        pairs.add("status", answers.status.map { .number($0.value) })
        pairs.add("count", bounds(answers.count, PrintedValue.number))
        return pairs.object
    }

    private static func messages(_ messages: MessagesExpectation) -> PrintedValue {
        if case .exact(let texts, _)? = messages.texts { return .texts(texts) }
        var pairs = PrintedPairs()
        if case .partial(let has, let hasNot, _)? = messages.texts {
            if !has.isEmpty { pairs.add("has", .texts(has)) }
            if !hasNot.isEmpty { pairs.add("hasNot", .texts(hasNot)) }
        }
        pairs.add("count", bounds(messages.count, PrintedValue.number))
        pairs.add("progress", bounds(messages.progress, PrintedValue.number))
        return pairs.object
    }

    private static func progress(_ progress: ProgressExpectation) -> PrintedValue {
        var pairs = PrintedPairs()
        pairs.add("onlyGrows", progress.onlyGrows.map { .flag($0.value) })
        pairs.add("percent", bounds(progress.percent) { .text("\($0)%") })
        return pairs.object
    }
}
