import Core

// Requests to the local server: what pages and other clients send, and what the remote root received.
extension FieldTable {
    static let request: ObjectCodec<RequestSpec> = ObjectCodec(.request, { RequestSpec(span: $0.span) }) {
        FieldCodec("method", \.method, .keywords, "Its method; else GET.")
        FieldCodec("headers", \.headers, .sentHeaders, "Fields by their names, beside the browser's own.")
        FieldCodec("body", \.body, .text, "The text of its body.")
    }

    static let client: ObjectCodec<ClientSpec> = ObjectCodec(.client, { ClientSpec(span: $0.span) }) {
        FieldCodec("is", \.kind, .keywords, else: .app, "Who connects.")
        FieldCodec(
            "asks", \.target, .target, "What it requests; else it connects and sends nothing (rule S10).")
        FieldCodec("with", \.request, .object(request), "Method, headers and body of the request.")
            .needing("asks")
        FieldCodec(
            "sends", \.pieces, .list(.text, least: 1),
            "Pieces that it sends as they are, a tenth of a second apart; {host} stands for this server's own, {cookies} for those of the app's pages (rules S6, S10)."
        )
        .excluding("asks", "cookies", "requests")
        FieldCodec(
            "finishes", \.finishes, .flag, else: false,
            "Whether it then ends its side of the connection, and still reads."
        )
        .needing("sends")
        FieldCodec(
            "cookies", \.hasCookies, .flag, else: false,
            "Whether it sends the cookies of the app's pages, with the server's key: browsers send them to every port of a host (rule S6)."
        )
        FieldCodec("host", \.host, .text, "The host that it names; else this server's own (rule S6).")
            .needing("asks")
        FieldCodec(
            "connections", \.connections, .whole(1...10_000), else: 1, "The number of its connections.")
        FieldCodec(
            "requests", \.requests, .whole(1...10_000), else: 1,
            "The number of requests on each connection, sent without a wait for answers."
        )
        FieldCodec(
            "reads", \.reads, .flag, else: true, "Whether it reads what the server answers (rule S10).")
    }

    static let native: ObjectCodec<NativeSpec> = ObjectCodec(
        .native, { NativeSpec(method: Spanned("", $0.span)) }
    ) {
        FieldCodec("asks", \.method, .text, "The method of the message.").required
        FieldCodec("params", \.params, .text, "JSON, sent as it is, valid or not; else null.")
        FieldCodec(
            "answers", \.answer, .keywords, else: .once,
            "Whether the page answers; its result is what it was sent."
        )
        FieldCodec("after", \.delay, .duration, "This long after the message it answers; else at once.")
    }

    static let forwarded: ObjectCodec<ForwardedExpectation> = ObjectCodec(
        .forwarded, { ForwardedExpectation(count: Bounds(span: $0.span), span: $0.span) }
    ) {
        FieldCodec("asked", \.asked, .target, "The route, with the query if it has one.")
        FieldCodec("method", \.method, .keywords, "The method.")
        FieldCodec(
            "has", \.has, .list(.text),
            "Fields that the request has, by name in any case, or with the value: \"X-Cart: 7\".")
        FieldCodec("hasNot", \.hasNot, .list(.text), "Fields that it does not have.")
        FieldCodec("body", \.body, .text, "The whole body.")
        FieldCodec("count", \.count, .bounds(.count), "How many such requests there were.").required
    }
}

extension Codec<[SentHeader]> {
    fileprivate static var sentHeaders: Codec {
        let value = Codec<Spanned<String>>.spanned(.text)
        return .map(
            key: .text, value.type,
            read: { (pair) throws(RecordDecodingError) -> SentHeader in
                SentHeader(name: Spanned(pair.key, pair.keySpan), value: try value.read(pair.value))
            }, print: { .init($0.name.value, value.print($0.value)) })
    }
}

extension Codec<[ForwardedExpectation]> {
    static var forwarded: Codec {
        let one = Codec<ForwardedExpectation>.object(FieldTable.forwarded)
        let several = Codec.list(of: one, least: 1)
        return Codec(
            .either([one.type, several.type]), read: several.read,
            print: { $0.count == 1 ? one.print($0[0]) : several.print($0) })
    }
}
