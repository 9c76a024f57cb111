import ScenarioLanguage

/// The lines of the protocol as JSON Schema (draft-07), for authors of adapters: the schema itself is of a
/// line that an adapter writes, `#/definitions/command` of one that it reads.
///
/// Guarantees: a line that is valid by it is read. One of a kind that it does not have is ignored, and keys
/// that it does not have are, too, because later versions add some.
package enum ProtocolSchema {
    package static var text: String {
        var root = SchemaNode()
        root.set("$schema", "http://json-schema.org/draft-07/schema#")
        root.set("title", "OTALab adapter protocol 1: a line that an adapter writes")
        root.set("oneOf", all: messages)
        root.set("definitions", .with { $0.set("command", .with { $0.set("oneOf", all: commands) }) })
        return root.text
    }

    // MARK: Values

    private static func of(_ type: String, _ description: String? = nil) -> SchemaNode {
        .with {
            $0.set("type", type)
            $0.set("description", description)
        }
    }

    private static func words(_ words: [String]) -> SchemaNode { .with { $0.set("enum", words) } }

    private static func words<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> SchemaNode
    where Word.RawValue == String {
        words(Word.allCases.map(\.rawValue))
    }

    private static func count(_ most: Int64, orNull: Bool = false) -> SchemaNode {
        .with {
            if orNull { $0.set("type", ["integer", "null"]) } else { $0.set("type", "integer") }
            $0.set("minimum", 0)
            $0.set("maximum", most)
        }
    }

    private static func list(_ element: SchemaNode) -> SchemaNode {
        .with {
            $0.set("type", "array")
            $0.set("items", element)
        }
    }

    private static let version = SchemaNode.with {
        $0.set("type", "integer")
        $0.set("minimum", 1)
        $0.set("maximum", 1)
    }
    private static let view = count(99)
    /// Path and query, percent-encoded.
    private static let route = SchemaNode.with {
        $0.set("type", "string")
        $0.set("pattern", "^/([!-.0-~][!-~]*)?$")
    }
    private static let routeOrNull = SchemaNode.with {
        $0.set("type", ["string", "null"])
        $0.set("pattern", "^/([!-.0-~][!-~]*)?$")
    }
    private static let textOrNull = SchemaNode.with { $0.set("type", ["string", "null"]) }
    private static let ids = list(of("string"))
    /// A year.
    private static let longest: Int64 = 366 * 24 * 3_600_000

    /// An object with these keys; `is` and such have one word each.
    private static func object(
        _ description: String, _ fixed: (key: String, word: String)? = nil,
        required: [(String, SchemaNode)] = [], optional: [(String, SchemaNode)] = []
    ) -> SchemaNode {
        .with { node in
            node.set("description", description)
            node.set("type", "object")
            node.set("required", (fixed.map { [$0.key] } ?? []) + required.map(\.0))
            node.set(
                "properties",
                .with { properties in
                    if let fixed { properties.set(fixed.key, words([fixed.word])) }
                    for (key, value) in required + optional { properties.set(key, value) }
                })
        }
    }

    // MARK: What an adapter writes

    private static var messages: [SchemaNode] {
        [
            object(
                "The first message.", ("is", "subject"),
                required: [
                    ("protocol", version),
                    ("name", of("string")), ("version", of("string")),
                ],
                optional: [
                    ("dialects", ids), ("clock", words(SubjectDescription.Clock.self)),
                    ("serves", words(SubjectDescription.Serving.self)),
                    ("does", list(words(SubjectDescription.Skill.self))),
                    ("tells", list(words(SubjectDescription.Telling.self))), ("policy", policy),
                ]),
            object(
                "Its server accepts connections.", ("is", "listening"),
                optional: [("start", routeOrNull)]),
            object(
                "It navigates a web view by itself.", ("is", "load"), required: [("url", route)],
                optional: [("view", view)]),
            object(
                "What is left out has not changed.", ("is", "status"),
                optional: [
                    ("current", textOrNull), ("pending", textOrNull), ("good", ids), ("blacklist", ids),
                    ("parked", ids),
                ]),
            object(
                "For the report.", ("is", "told"),
                required: [("what", words(SubjectMessage.Telling.What.self))],
                optional: [("version", textOrNull), ("cause", textOrNull), ("text", textOrNull)]),
            object(
                "A message for a page's document.", ("is", "message"), required: [("json", SchemaNode())],
                optional: [("view", view)]),
            object(
                "Which native screen the user sees.", ("is", "screen"),
                required: [("shows", words(SubjectScreen.self))]),
            object(
                "The answer to a command.",
                required: [("to", count(Int64(Int32.max))), ("ok", of("boolean"))],
                optional: [
                    ("why", textOrNull), ("next", count(longest, orNull: true)), ("open", count(10_000)),
                    ("status", count(599)), ("type", textOrNull), ("headers", of("object")),
                    ("file", textOrNull), ("base64", textOrNull),
                ]),
        ]
    }

    private static var policy: SchemaNode {
        object(
            "What it is meant to do; rules that depend on it are judged by this.",
            required: [
                ("confirm", words(SubjectPolicy.Proof.self)), ("startupTimeout", count(longest)),
                ("switchAt", list(words(SubjectPolicy.Moment.self))), ("retries", count(100)),
                ("blacklists", of("boolean")),
            ])
    }

    // MARK: What it reads

    private static var commands: [SchemaNode] {
        func command(
            _ name: String, _ description: String, required: [(String, SchemaNode)] = [],
            optional: [(String, SchemaNode)] = []
        ) -> SchemaNode {
            object(
                description, ("do", name), required: [("id", count(Int64(Int32.max)))] + required,
                optional: optional)
        }
        return [
            command(
                "launch", "The first command.", required: [("front", of("boolean"))],
                optional: [
                    ("boot", of("string")),
                    ("died", words(SubjectLaunch.Ending.self)), ("link", of("string")),
                    ("time", count(longest)), ("wall", of("integer")),
                ]),
            command("check", "The app's own code asks for an update."),
            command("push", "A silent push arrived."),
            command(
                "front", "The app comes to the front, or leaves it.", required: [("is", of("boolean"))]),
            command(
                "active", "The app becomes active, or inactive while it is still visible.",
                required: [("is", of("boolean"))]),
            command(
                "user", "The user pressed a button of a native screen.",
                required: [("presses", words(["retry", "tryAgain", "report"]))]),
            command(
                "network", "The platform reports a change.",
                required: [("is", words(["online", "offline", "metered"]))]),
            command(
                "page", "What a platform's web view reports.",
                required: [
                    ("view", view),
                    ("is", words(["navigating", "committed", "shown", "loaded", "died", "closed"])),
                ],
                optional: [
                    ("url", of("string")), ("how", words(["reload", "link", "form", "history", "other"])),
                ]),
            command(
                "call", "The page calls native code.", required: [("view", view), ("url", of("string"))],
                optional: [
                    ("method", of("string")), ("params", SchemaNode()), ("message", of("object")),
                ]),
            command("status", "Answered after a status message."),
            command("rest", "Answered when nothing is under way any more."),
            command(
                "advance", "With the clock own: so much time has passed.", required: [("ms", count(longest))]),
        ]
    }
}
