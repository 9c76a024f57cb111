import Core

// Verbs with several keys: deploys and pages.
extension FieldTable {
    static let deploy: ObjectCodec<DeploySpec> = ObjectCodec(
        .step, { _ in DeploySpec(nil) }
    ) {
        // The keyword "embedded" is an order too.
        FieldCodec(
            [
                Field(
                    "deploy", .either([.name(.version), .keyword(["embedded"])]),
                    "The origin publishes a version; \"embedded\": the order to leave all downloaded ones."
                ).head
            ],
            read: { record, deploy in
                let given = record["deploy"]?.text
                if given?.value == "embedded" { deploy.order = .embedded } else { deploy.version = given }
            },
            print: { deploy, pairs in pairs.add("deploy", .text(deploy.version?.value ?? "embedded")) })
        FieldCodec("to", \.edges, .oneOrMore(.name(.edge)), "The edges that get it; else all.").with("deploy")
        FieldCodec("audience", \.audience, .object(audience), "Who is offered it; else everybody (rule U9).")
            .with("deploy").excluding("parts", "keepFiles").printedLast
        FieldCodec(
            [
                Field("order", order.type, "The order in the manifest.").with(["deploy"]).fallback("update")
            ],
            read: { (record, deploy) throws(RecordDecodingError) in
                guard let given = record["order"] else { return }
                let keyword = try order.read(given)
                if deploy.version != nil {
                    deploy.order = keyword
                } else if keyword != .update, keyword != .embedded {
                    deploy.surplusOrder = Spanned(keyword, given.span)
                }
            },
            print: { deploy, pairs in
                if deploy.version != nil, deploy.order != .update {
                    pairs.add("order", order.print(deploy.order))
                }
            })
        FieldCodec(
            "parts", \.parts, .keywords, else: .all, "Files or manifest first, in a deploy of two steps."
        )
        .with("deploy")
        FieldCodec(
            "keepFiles", \.keepsOldFiles, .flag, else: true,
            "Whether older versions' files stay on the origin."
        ).with("deploy")
        FieldCodec(
            "serial", \.serial, .whole(0...largestWhole),
            "The serial that the manifest states; else one more than the last one (rule U8)."
        ).with("deploy")
        FieldCodec(
            "date", \.date, .signedDuration,
            "The date that the manifest states, from the origin's clock; else its time (rule U8)."
        ).with("deploy")
        FieldCodec(
            "signedBy", \.signedBy, .list(.name(.key)),
            "Keys that sign the manifest; an empty list: none. Else the app's first key (rule U16)."
        ).with("deploy")
        FieldCodec(
            "signature", \.signature, .keywords, else: .good, "The first of these signatures (rule U16)."
        ).with("deploy").needing("signedBy")
        FieldCodec(
            "expires", \.expires, .signedDuration,
            "When the manifest expires, from the origin's time (rule U16)."
        ).with("deploy").needing("signedBy")
        FieldCodec(
            "keys", \.keys, .list(.name(.key), least: 1),
            "Keys that replace the app's once this version has confirmed (rule U16)."
        ).with("deploy").needing("signedBy")
    }

    private static let order: Codec<DeployOrder> = .keywords

    static let audience: ObjectCodec<Audience> = ObjectCodec(.audience, { _ in Audience() }) {
        FieldCodec("user", \.user, .text, "Only this user.")
        FieldCodec("cohort", \.cohort, .text, "Only users of this cohort.")
        FieldCodec("channel", \.channel, .text, "Only devices on this channel.")
        FieldCodec(
            "share", \.share, .whole(0...largestWhole),
            "Only this share of the devices, of `of`; each decides by the manifest (rule U9)."
        ).excluding("user", "cohort", "channel")
        FieldCodec(
            "of", \.of, .whole(1...largestWhole), "What `share` is a part of; else \(Audience.standardOf)."
        ).needing("share")
        FieldCodec(
            "salt", \.salt, .text, "Selects which devices are in the share; else the version's id."
        ).needing("share")
    }

    /// Largest number that JSON readers read exactly.
    private static let largestWhole: Int64 = 1 << 53 - 1

    // MARK: - Pages

    static let pageActions: [(keyword: String, model: PageAction)] = [
        ("reload", .reload), ("reload from origin", .reloadFromOrigin),
        ("location.replace", .replaceLocation),
        ("taps a link", .tapsLink), ("submits a form", .submitsForm), ("goes back", .goesBack),
        ("dies", .dies),
    ]

    static let page: ObjectCodec<PageSpec> = ObjectCodec(.step, { _ in PageSpec(action: .reload) }) {
        FieldCodec(
            [
                Field(
                    "page",
                    .either([.keyword(pageActions.map(\.keyword)), .keyword(["in front"]), .name(.page)]),
                    "An action of the page in front; \"in front\" or a name selects the page that calls, asks and so on."
                ).head.needing(
                    oneOf: [
                        "calls", "asks", "embeds", "follows", "pushes", "opens", "does", "stores",
                        "setsCookie", "sends",
                    ],
                    unless: pageActions.map(\.keyword))
            ],
            read: { (record, spec) throws(RecordDecodingError) in
                guard let page = record["page"]?.text else {
                    throw RecordDecodingError(what: "page", span: record.span)
                }
                if let known = pageActions.first(where: { $0.keyword == page.value }) {
                    spec.action = known.model
                } else if page.value != "in front" {
                    spec.page = page
                }
            },
            print: { spec, pairs in
                let known = pageActions.first { $0.model == spec.action }
                let page = spec.page?.value ?? known?.keyword ?? "in front"
                pairs.add("page", .text(page))
            })
        ofNamedPages
        FieldCodec(
            "with", \.request, .object(request),
            "Method, headers and body of what the page requests (rule S7)."
        ).with("page").needing("asks").excluding("keepsAsking")
    }

    private static let ofNamedPages: FieldCodec<PageSpec> = FieldCodec(
        pageActionCases.fields,
        read: { (record, spec) throws(RecordDecodingError) in
            if let action = try pageActionCases.read(record) { spec.action = action }
        },
        print: { spec, pairs in
            let isWhole = spec.page == nil && pageActions.contains { $0.model == spec.action }
            if !isWhole { pairs.add(pageActionCases.pairs(spec.action)) }
        })

    private static let pageActionCases: EnumCodec<PageAction> = EnumCodec {
        CaseCodec(
            "calls", .spanned(.keywords), "What the page calls on the native side.", make: PageAction.calls
        ) {
            if case .calls(let call) = $0 { call } else { nil }
        }.with("page")
        CaseCodec(
            "sends", .spanned(.text), "A message to native code, sent as it is, valid or not (rule N5).",
            and: .message, make: PageAction.sends(_:size:)
        ) {
            if case .sends(let text, let size) = $0 { (text, size) } else { nil }
        }.with("page").excluding("calls")
        CaseCodec(
            "asks", .spanned(.target), "What the page requests.", and: .again,
            make: { .asks($0, keepsAsking: $1) }
        ) {
            if case .asks(let route, let span, _) = $0 { (route, span) } else { nil }
        }.with("page").excluding("calls", "sends")
        CaseCodec(
            "embeds", .spanned(.target), "Embeds this route in a frame of the page (rules S1, S3).",
            make: PageAction.embeds
        ) {
            if case .embeds(let route) = $0 { route } else { nil }
        }.with("page").excluding("calls", "sends", "asks")
        CaseCodec(
            "follows", .spanned(.target), "Follows a link of the page to this route (rule N5).",
            make: PageAction.follows
        ) {
            if case .follows(let route) = $0 { route } else { nil }
        }.with("page").excluding("calls", "sends", "asks", "embeds")
        CaseCodec(
            "pushes", .spanned(.target),
            "The page's address from now on, without a request, as history.pushState does (rule N5).",
            make: PageAction.pushes
        ) {
            if case .pushes(let route) = $0 { route } else { nil }
        }.with("page").excluding("calls", "sends", "asks", "embeds", "follows")
        CaseCodec(
            "opens", .spanned(.target), "Opens another web view at this route.",
            make: PageAction.opens
        ) {
            if case .opens(let route) = $0 { route } else { nil }
        }.with("page").excluding("calls", "sends", "asks", "embeds", "follows", "pushes")
        CaseCodec(
            "does", .keywords(pageActions + [("closes", .closes)]),
            "What a named page does; the app's first one can't be closed."
        ) {
            $0
        } value: { action in
            action == .closes || pageActions.contains { $0.model == action } ? action : nil
        }.with("page").excluding("calls", "sends", "asks", "embeds", "follows", "pushes", "opens")
        CaseCodec(
            "stores", .spanned(.text), "What the page stores under its origin, by its key.",
            make: PageAction.stores
        ) {
            if case .stores(let key) = $0 { key } else { nil }
        }.with("page").excluding("calls", "sends", "asks", "embeds", "follows", "pushes", "opens", "does")
        CaseCodec(
            "setsCookie", .spanned(.text), "A lasting cookie that the page sets, by its name.",
            make: PageAction.setsCookie
        ) {
            if case .setsCookie(let name) = $0 { name } else { nil }
        }.with("page").excluding(
            "calls", "sends", "asks", "embeds", "follows", "pushes", "opens", "does", "stores")
    }
}

extension CaseModifier<Spanned<Int>?> {
    /// The size of a message. Its field is allowed with `page`, as all keys of page actions are.
    fileprivate static var message: CaseModifier {
        .optional(
            "size", .spanned(.size), "Pads the message with spaces to this size, 16 MB at most (rule N5).",
            change: { $0.with(["page"]).needing("sends") })
    }
}

extension CaseModifier<Spanned<TimeSpan>?> {
    /// The time for which a page keeps asking.
    fileprivate static var again: CaseModifier {
        .optional(
            "keepsAsking", .spanned(.duration),
            "Asks six times at once, past the cache, and again at each answer for this time, while the page is shown.",
            change: { $0.with(["page"]).needing("asks") })
    }
}
