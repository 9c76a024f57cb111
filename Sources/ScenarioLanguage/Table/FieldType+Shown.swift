import Core

// Which values a type accepts, and its description in messages.
extension FieldType {
    /// Whether a type accepts nodes of this kind.
    func takes(_ kind: JSONNode.Kind) -> Bool {
        switch (self, kind) {
        case (.either(let types), _): types.contains { $0.takes(kind) }
        case (.bounds(let type), _):
            type.takes(kind) || JSONNode(kind, span: .init(start: 0, end: 0)).members != nil
        case (.listing, .array), (.listing, .object), (.list, .array), (.object, .object), (.map, .object):
            true
        case (.anything, _): true
        case (.null, .null), (.flag, .bool), (.yes, .bool(true)), (.whole, .number): true
        case (_, .string): takesText
        default: false
        }
    }

    var takesText: Bool {
        switch self {
        case .text, .duration, .signedDuration, .size, .percent, .amount, .route, .target, .keyword, .name,
            .prefixed:
            true
        case .bitRate, .byteRate: true
        case .userAction, .fileReference, .damageTarget, .crashOutcome: true
        case .flag, .yes, .null, .whole, .list, .listing, .bounds, .object, .map, .either, .anything: false
        }
    }

    /// Whether a number in quotes could be valid: text and names.
    var takesFreeText: Bool {
        switch self {
        case .text, .name, .route, .target: true
        case .either(let types): types.contains(where: \.takesFreeText)
        default: false
        }
    }

    var wantsUnit: Bool {
        switch self {
        case .duration, .signedDuration, .size, .percent, .amount, .bitRate, .byteRate: true
        case .either(let types): types.contains(where: \.wantsUnit)
        case .bounds(let type): type.wantsUnit
        default: false
        }
    }

    var example: String? {
        switch self {
        case .duration: "\"20s\""
        case .signedDuration: "\"+1h\""
        case .size: "\"40 KB\""
        case .percent: "\"60%\""
        case .amount: "\"60%\" or \"40 KB\""
        case .bitRate: "\"10 Mbit/s\""
        case .byteRate: "\"120 MB/s\""
        case .prefixed(let keyword, let type):
            type.example.map { "\"\(keyword) " + $0.split(separator: "\"")[0] + "\"" } ?? "\"\(keyword) …\""
        case .either(let types): types.compactMap(\.example).first
        case .bounds(let type): type.example
        default: nil
        }
    }

    /// Description of the type in messages: "a duration such as "20s"".
    package var shown: String {
        switch self {
        case .text: "text"
        case .anything: "any value"
        case .flag: "true or false"
        case .yes: "true"
        case .null: "null"
        case .whole: "a whole number"
        case .duration: "a duration such as \"20s\""
        case .signedDuration: "a duration with its sign such as \"+1h\""
        case .size: "a size such as \"40 KB\""
        case .percent: "a percentage such as \"60%\""
        case .amount: "an amount such as \"60%\" or \"40 KB\""
        case .bitRate: "a rate such as \"10 Mbit/s\""
        case .byteRate: "a rate such as \"120 MB/s\""
        case .route: "a route such as \"/app.js\""
        case .target: "a route such as \"/cart?id=7#top\""
        case .keyword(let keywords) where keywords.count > 9:
            "a keyword such as \"\(keywords[0])\" or \"\(keywords[1])\""
        case .keyword(let keywords): Self.choice(keywords.map { "\"\($0)\"" })
        case .name(let kind): "the name of a \(kind.noun)"
        case .prefixed: example ?? "text"
        case .userAction: "something that a user does"
        case .fileReference: "a file such as \"v1:/app.js\""
        case .damageTarget: "a stored file such as \"v1:/app.js\""
        case .crashOutcome: "\"kill\", \"torn 4\", or survivors in hexadecimal such as \"3f\""
        case .list(let type, _): "a list of \(type.shown)"
        case .listing: "a list, or { has, hasNot }"
        case .bounds(let type): "\(type.shown), or { atLeast, atMost, between, exact }"
        case .object(.fact): "{ is: …, because: \"…\" }"
        case .object: "an object"
        case .map: "an object"
        case .either(let types): Self.choice(types.map(\.shown))
        }
    }

    private static func choice(_ keywords: [String]) -> String {
        guard keywords.count > 1, let last = keywords.last else { return keywords.first ?? "nothing" }
        return keywords.dropLast().joined(separator: ", ") + " or " + last
    }
}
