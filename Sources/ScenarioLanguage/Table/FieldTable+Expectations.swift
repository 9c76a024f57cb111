import Core

// Expectations.
extension FieldTable {
    /// An `expect` step.
    static let expect: ObjectCodec<ExpectStep> = ObjectCodec(
        .step, { ExpectStep(expectation: Expectation(span: $0.span)) }
    ) {
        FieldCodec(
            "expect", \.expectation, .object(expectation),
            "What must hold now, within a time, or throughout."
        ).head
        FieldCodec("within", \.within, .duration, "Until it holds, or this limit.").with("expect")
            .excluding("throughout")
        FieldCodec("throughout", \.throughout, .duration, "At every moment for this time.").with("expect")
        FieldCodec(
            "while", \.during, .keywords,
            "Checked only while this is true; an `expect` with it needs `throughout`."
        ).with("expect", "always", "never")
        FieldCodec("since", \.since, .since, "From where counters count; else the last action.").with(
            "expect")
    }

    /// `always` and `never`. The table lists `while` with `expect`.
    static func invariant(_ verb: String, _ doc: String) -> ObjectCodec<InvariantStep> {
        ObjectCodec(.step, { InvariantStep(expectation: Expectation(span: $0.span)) }) {
            FieldCodec(verb, \.expectation, .object(expectation), doc).head
            FieldCodec("while", \.during, .keywords, doc)
        }
    }

    static let expectation: ObjectCodec<Expectation> = ObjectCodec(
        .expectation, { Expectation(span: $0.span) }
    ) {
        FieldCodec(
            "running", \.running, .nullable(.name(.version)), "The version that the page in front came from.")
        FieldCodec("pending", \.pending, .nullable(.name(.version)), "The version that waits for its moment.")
        FieldCodec(
            "lastKnownGood", \.lastKnownGood, .nullable(.name(.version)), "The good version taken last.")
        FieldCodec("page", \.page, .keywords, "What is in front.")
        FieldCodec(
            "pages", \.pages, .pages,
            "The versions that named pages came from, in all web views; null: not there.")
        FieldCodec(
            "route", \.route, .nullable(.target),
            "The address of the page in front: route, query and fragment; null: no page is there (rule U6).")
        FieldCodec("process", \.process, .keywords, "Whether the app's process lives.")
        FieldCodec("confirmed", \.confirmed, .flag, "Whether the running version has confirmed.")
        FieldCodec(
            "blacklist", \.blacklist, .listing(.name(.version)), "Versions on the blacklist (rule R5).")
        FieldCodec(
            "blame", \.blame, .blame,
            "Entries of the blacklist for versions, ended ones too (rules R4, R5).")
        FieldCodec("parked", \.parked, .listing(.name(.version)), "Versions that are parked (rule R3).")
        FieldCodec(
            "starts", \.starts, .map(key: .name(.version), \.version, .object(startCounts)),
            "How starts of a version ended (rule R3).")
        FieldCodec("started", \.started, .listing(.name(.version)), "Versions whose index was served.")
        FieldCodec(
            "stored", \.stored, .listing(.name(.version)),
            "Downloaded versions that are complete on the device.")
        FieldCodec(
            "storedFiles", \.storedFiles, .listing(.fileReferenceText),
            "Files whose content was downloaded and is complete on the device, as \"v2:/app.js\".")
        FieldCodec(
            "fetched", \.fetched, .fetched,
            "Files that were fetched, whatever their version: as a list of routes (\"/app.js\") or with numbers."
        )
        FieldCodec("requests", \.requests, .object(requests), "Requests that the origin got.")
        FieldCodec(
            "answers", \.answers, .answers,
            "Answers that pages got from the local server; a list: each of them.")
        FieldCodec(
            "clientAnswers", \.clientAnswers, .answers,
            "Answers that other clients than the app's pages got; a list: each of them (rule S6).")
        FieldCodec(
            "forwarded", \.forwarded, .forwarded,
            "Requests that the remote root received; a list: each of them (rule S7).")
        FieldCodec("bytes", \.bytes, .bounds(.size), "Body bytes received from the origin.")
        FieldCodec("reloads", \.reloads, .bounds(.count), "Page loads that replaced a page in front.")
        FieldCodec(
            "switches", \.switches, .bounds(.count), "Changes of the version that pages are loaded from.")
        FieldCodec(
            "whiteTime", \.whiteTime, .bounds(.microseconds), "Time with neither cover nor content (rule T4)."
        )
        FieldCodec("time", \.time, .bounds(.microseconds), "Virtual time that has passed.")
        FieldCodec(
            "times", \.times, .object(times),
            "How long the person in front waited for content (rule T4), and pages for answers (rule S9).")
        FieldCodec("progress", \.progress, .progress, "The shown progress (rule U7).")
        FieldCodec("screen", \.screen, .keywords, "The native surface that covers the page.")
        FieldCodec("log", \.log, .listing(.keyword(LogVocabulary.causes)), "Causes in the log (rule T1).")
        FieldCodec("logOf", \.logOf, .logOf, "Causes in the log that name a version (rule T1).")
        FieldCodec(
            "cookies", \.cookies, .listing(.text), "Names of the cookies that the app's pages have (rule S4)."
        )
        FieldCodec(
            "storage", \.storage, .listing(.text),
            "Keys that pages stored under the origin that they are served from now (rule S4).")
        FieldCodec(
            "port", \.port, .nullable(.whole(1...65_535)),
            "The local server's port; null: it listens on none (rules S4, S8).")
        FieldCodec("outcomes", \.outcomes, .listing(.text), "Outcomes that the origin accepted (rule T3).")
        FieldCodec(
            "messages", \.messages, .messages,
            "Messages that pages got without a request, as \"newVersionReady v2\"; those about progress, as \"progress v2 1 of 3 files, 400 of 900 B\", in has and hasNot only (rule T2)."
        )
        FieldCodec(
            "replies", \.replies, .listing(.text),
            "Answers to messages of pages, as \"checkForUpdates true\", \"error too long\"; a returned id follows as \"#7\" (rule N5)."
        )
        FieldCodec(
            "links", \.links, .listing(.text),
            "Links that native code took over, as pages gave them; those to the app's own server as routes (rule N5)."
        )
        FieldCodec(
            "nativeAnswers", \.nativeAnswers, .listing(.text),
            "What native code got from pages, as \"cart 7\" (the method and the result in JSON), or \"cart without a result\" (rule N5)."
        )
        FieldCodec(
            "report", \.report, .listing(.text), "Texts in the newest error report (rule T1).")
    }

    static let startCounts: ObjectCodec<StartsExpectation> = ObjectCodec(
        .startCounts, { StartsExpectation(version: Spanned("", $0.span)) }
    ) {
        FieldCodec("confirmed", \.confirmed, .bounds(.count), "Starts that ended confirmed.")
        FieldCodec("failed", \.failed, .bounds(.count), "Starts that failed.")
        FieldCodec("unclear", \.unclear, .bounds(.count), "Starts whose end proves nothing.")
        FieldCodec(
            "uncounted", \.uncounted, .bounds(.count), "Starts that ended in background, too early to say.")
    }

    static let blame: ObjectCodec<BlameExpectation> = ObjectCodec(
        .blame, { BlameExpectation(version: Spanned("", $0.span), span: $0.span) }
    ) {
        FieldCodec("cause", \.cause, .keyword(LogVocabulary.causes), "The cause of the entry.")
        FieldCodec("count", \.count, .bounds(.count), "The first, second or third entry of this version.")
        FieldCodec("ended", \.ended, .flag, "Whether it has ended.")
    }

    static let times: ObjectCodec<TimesExpectation> = ObjectCodec(.times, { TimesExpectation(span: $0.span) })
    {
        FieldCodec("launch", \.launch, .bounds(.microseconds), "From a launch to content, the longest.")
        FieldCodec("switch", \.switching, .bounds(.microseconds), "From a switch to content, the longest.")
        FieldCodec("rescue", \.rescue, .bounds(.microseconds), "From a rescue to content, the longest.")
        FieldCodec(
            "answerIdle", \.answerIdle, .bounds(.microseconds),
            "From a page's request to the whole answer of the local server while no update is under way, the longest (rule S9)."
        )
        FieldCodec(
            "answerDuringUpdate", \.answerDuringUpdate, .bounds(.microseconds),
            "The same from the beginning of a download until the version is pending or the download has ended."
        )
    }

    static let fetched: ObjectCodec<FetchedExpectation> = ObjectCodec(
        .fetched, { FetchedExpectation(span: $0.span) }
    ) {
        FieldCodec("files", \.files, .bounds(.count), "How many files of versions.")
        FieldCodec(\.routes, partOf: .name(.file))
    }

    static let requests: ObjectCodec<RequestsExpectation> = ObjectCodec(
        .requests, { RequestsExpectation(routes: [], span: $0.span) }
    ) {
        FieldCodec("manifest", \.manifest, .bounds(.count), "For the manifest.")
        FieldCodec(
            "index", \.index, .bounds(.count),
            "For Meteor's index, or the file that answers navigations.")
        FieldCodec("files", \.files, .bounds(.count), "For files of versions.")
        FieldCodec("outcomes", \.outcomes, .bounds(.count), "That report outcomes.")
        FieldCodec("all", \.all, .bounds(.count), "Of every kind.")
        FieldCodec("resumed", \.resumed, .bounds(.count), "That ask for the rest of a file.")
        FieldCodec(
            "conditional", \.conditional, .bounds(.count), "That ask for a file only if it has changed.")
        // Routes, the free keys of the schema.
        FieldCodec(
            [],
            read: { (record, requests) throws(RecordDecodingError) in
                for entry in record.entries where entry.key.utf8.first == UInt8(ascii: "/") {
                    requests.routes.append(
                        RouteRequests(
                            route: Spanned(entry.key, entry.keySpan),
                            count: try Codec<Bounds>.bounds(.count).read(entry.value)))
                }
            },
            print: { requests, pairs in
                for route in requests.routes {
                    pairs.add(route.route.value, Codec<Bounds>.bounds(.count).print(route.count))
                }
            })
    }

    static let answers: ObjectCodec<AnswersExpectation> = ObjectCodec(
        .answers, { AnswersExpectation(count: Bounds(span: $0.span), span: $0.span) }
    ) {
        FieldCodec(
            "asked", \.asked, .askedThing, "A route, with the query if it has one, or the kind of resource.")
        FieldCodec("type", \.type, .text, "The content type of the answer.")
        FieldCodec(
            "status", \.status, .whole(100...599),
            "The status of the answer, as the server sent it: 304 where the page then took its cache.")
        FieldCodec(
            "headers", \.headers, .listing(.text),
            "Its header fields, as \"location\" or \"location: /cart\"; only of what a page itself or another client asks for (rule S7)."
        )
        FieldCodec(
            "body", \.body, .listing(.text),
            "Texts in its body, or the whole body; only of what a page itself or another client asks for, and of no version's file (rule S7)."
        )
        FieldCodec("count", \.count, .bounds(.count), "How many such answers there were.").required
    }

    static let messages: ObjectCodec<MessagesExpectation> = ObjectCodec(
        .messages, { MessagesExpectation(span: $0.span) }
    ) {
        FieldCodec(\.texts, partOf: .text)
        FieldCodec("count", \.count, .bounds(.count), "How many, without those about progress.")
        FieldCodec("progress", \.progress, .bounds(.count), "How many about progress.")
    }

    static let progress: ObjectCodec<ProgressExpectation> = ObjectCodec(
        .progress, { ProgressExpectation(span: $0.span) }
    ) {
        FieldCodec("onlyGrows", \.onlyGrows, .flag, "Whether it never went back.")
        FieldCodec("percent", \.percent, .bounds(.percent), "The percentage shown last.")
    }

    // MARK: - Objects that the validator decodes

    static func bounds(_ type: FieldType) -> [Field] {
        [
            Field("atLeast", type, "No less.").excluding(["between", "exact"]),
            Field("atMost", type, "No more.").excluding(["between", "exact"]),
            Field("between", .list(type, least: 2), "The least and the most.").excluding(["exact"]),
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

extension FieldCodec {
    /// `has` and `hasNot` in an object with other keys.
    fileprivate init(
        _ path: WritableKeyPath<Model, ListExpectation?> & Sendable, partOf codec: Codec<String>
    ) {
        let list = Codec<[Spanned<String>]>.list(codec)
        self.init(
            [
                Field("has", list.type, "These among them."), Field("hasNot", list.type, "None of these."),
            ],
            read: { (record, model) throws(RecordDecodingError) in
                let has =
                    try record["has"].map { (value) throws(RecordDecodingError) in try list.read(value) }
                    ?? []
                let hasNot =
                    try record["hasNot"].map { (value) throws(RecordDecodingError) in try list.read(value) }
                    ?? []
                if has.isEmpty, hasNot.isEmpty { return }
                model[keyPath: path] = .partial(has: has, hasNot: hasNot, span: record.span)
            },
            print: { model, pairs in
                guard case .partial(let has, let hasNot, _)? = model[keyPath: path] else { return }
                if !has.isEmpty { pairs.add("has", list.print(has)) }
                if !hasNot.isEmpty { pairs.add("hasNot", list.print(hasNot)) }
            })
    }
}

// MARK: - Values with more than one form

extension Codec {
    /// A list that must match exactly, or an object.
    fileprivate static func list(
        _ codec: Codec<String>, or object: ObjectCodec<Model>,
        make: @escaping @Sendable (ListExpectation) -> Model,
        exact: @escaping @Sendable (Model) -> [Spanned<String>]?
    ) -> Codec {
        let list = Codec<[Spanned<String>]>.list(codec)
        return Codec(
            .either([list.type, .object(object.schema)]),
            read: { (value) throws(RecordDecodingError) -> Model in
                if let record = value.record { return try object.read(record) }
                return make(.exact(try list.read(value), span: value.span))
            }, print: { model in exact(model).map(list.print) ?? object.print(model) })
    }
}

extension Codec<FetchedExpectation> {
    fileprivate static var fetched: Codec {
        .list(.name(.file), or: FieldTable.fetched) {
            FetchedExpectation(routes: $0, span: $0.span)
        } exact: {
            if $0.files == nil, case .exact(let routes, _)? = $0.routes { routes } else { nil }
        }
    }
}

extension Codec<MessagesExpectation> {
    fileprivate static var messages: Codec {
        .list(.text, or: FieldTable.messages) {
            MessagesExpectation(texts: $0, span: $0.span)
        } exact: {
            if case .exact(let texts, _)? = $0.texts { texts } else { nil }
        }
    }
}

extension Codec<ProgressExpectation> {
    fileprivate static var progress: Codec {
        let object = FieldTable.progress
        return Codec(
            .either([.keyword(["only grows"]), .object(.progress)]),
            read: { (value) throws(RecordDecodingError) -> ProgressExpectation in
                if let record = value.record { return try object.read(record) }
                return ProgressExpectation(onlyGrows: Spanned(true, value.span), span: value.span)
            }, print: object.print)
    }
}

extension Codec<[AnswersExpectation]> {
    fileprivate static var answers: Codec {
        let one = Codec<AnswersExpectation>.object(FieldTable.answers)
        let several = Codec.list(of: one, least: 1)
        return Codec(
            .either([one.type, several.type]), read: several.read,
            print: { $0.count == 1 ? one.print($0[0]) : several.print($0) })
    }
}

extension Codec<RequestedResource> {
    fileprivate static var askedThing: Codec {
        .text(.either([.keywords(of: ResourceKind.self), .target])) { text in
            ResourceKind(rawValue: text).map(RequestedResource.kind) ?? .route(text)
        } print: { asked in
            switch asked {
            case .route(let route): route
            case .kind(let kind): kind.rawValue
            }
        }
    }
}

extension Codec<[PageExpectation]> {
    fileprivate static var pages: Codec {
        let version = Codec<Spanned<String?>>.spanned(.nullable(.name(.version)))
        return .map(
            key: .name(.page), version.type,
            read: { (pair) throws(RecordDecodingError) -> PageExpectation in
                PageExpectation(page: Spanned(pair.key, pair.keySpan), version: try version.read(pair.value))
            }, print: { .init($0.page.value, version.print($0.version)) })
    }
}

extension Codec<[BlameExpectation]> {
    fileprivate static var blame: Codec {
        .map(
            key: .name(.version), .object(.blame),
            read: { (pair) throws(RecordDecodingError) -> BlameExpectation in
                var blame = try Codec<BlameExpectation>.object(FieldTable.blame).read(pair.value)
                blame.version = Spanned(pair.key, pair.keySpan)
                blame.span = pair.keySpan
                return blame
            }, print: { .init($0.version.value, FieldTable.blame.print($0)) })
    }
}

extension Codec<[LogExpectation]> {
    fileprivate static var logOf: Codec {
        let causes = Codec<ListExpectation>.listing(.keyword(LogVocabulary.causes))
        return .map(
            key: .name(.version), causes.type,
            read: { (pair) throws(RecordDecodingError) -> LogExpectation in
                LogExpectation(version: Spanned(pair.key, pair.keySpan), causes: try causes.read(pair.value))
            }, print: { .init($0.version.value, causes.print($0.causes)) })
    }
}

extension Codec<Since> {
    fileprivate static var since: Codec {
        Codec(
            .either([
                // A filling has steps of its own in place of the gap.
                .keyword(["start"] + Verb.allCases.filter { $0 != .gap }.map(\.rawValue)), .name(.mark),
                .name(.step),
            ]),
            taking: { value in
                guard let keyword = value.text?.value else { return nil }
                if keyword == "start" { return .start }
                if let verb = Verb(rawValue: keyword) { return .verb(verb) }
                if case .mark = value.content { return .mark(keyword) }
                return .step(keyword)
            },
            print: { since in
                switch since {
                case .start: .text("start")
                case .verb(let verb): .text(verb.rawValue)
                case .mark(let name), .step(let name): .text(name)
                }
            })
    }
}
