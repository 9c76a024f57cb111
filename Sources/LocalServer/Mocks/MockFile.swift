import Core
import HTTP1

/// Reads mock handlers from a file in JSON5:
///
///     {
///         format: "otalab-mocks-1",
///         mocks: [
///             {
///                 name: "score", path: "/api/game/*/score", methods: ["GET"], on: true,
///                 answers: [
///                     { status: 503, headers: { "Retry-After": "1" }, delay: "2 s" },
///                     { json: { score: 7 } },
///                 ],
///                 repeats: false,
///             },
///         ],
///     }
///
/// `path` and `answers` are required; an answer is 200 without a word said. `body` is text, `json` any value
/// with its content type; a header may have a list of values. What is wrong is a `JSONFault` with its place:
/// an unknown key too.
public enum MockFile {
    public static let format = "otalab-mocks-1"
    /// An answer later than this is a hang.
    static let longestDelay = TimeSpan.minutes(10)

    public static func read(_ bytes: [UInt8]) throws(JSONFault) -> MockBook {
        let root = try JSONReader.read(bytes, dialect: .json5)
        try known(root, ["format", "mocks"], "a file of mock handlers")
        guard let named = root["format"], named.string == format else {
            throw JSONFault(
                "the file does not say that it is one of mock handlers",
                at: root["format"]?.span ?? root.span,
                help: "format: \"\(format)\"")
        }
        guard let list = root["mocks"], let nodes = list.array else {
            throw JSONFault("mocks must be a list", at: root["mocks"]?.span ?? root.span)
        }
        var handlers: [MockHandler] = []
        for (number, node) in nodes.enumerated() {
            let handler = try handler(node, number)
            if handlers.contains(where: { $0.name == handler.name }) {
                throw JSONFault(
                    "two handlers are named \"\(handler.name)\"", at: node["name"]?.span ?? node.span)
            }
            handlers.append(handler)
        }
        return MockBook(handlers)
    }

    private static func handler(_ node: JSONNode, _ number: Int) throws(JSONFault) -> MockHandler {
        try known(node, ["name", "path", "methods", "on", "answers", "repeats"], "a mock handler")
        guard let path = node["path"], let pattern = path.string.flatMap({ RoutePattern($0) }) else {
            throw JSONFault(
                "path must be a pattern of paths", at: node["path"]?.span ?? node.span,
                help: "\"/status\", \"/game/*/score\" or \"/api/**\"")
        }
        guard let list = node["answers"], let nodes = list.array, !nodes.isEmpty else {
            throw JSONFault("answers must be a list of at least one", at: node["answers"]?.span ?? node.span)
        }
        var answers: [MockAnswer] = []
        for node in nodes { answers.append(try answer(node)) }
        var methods: [RequestMethod] = []
        for text in try texts(node["methods"]) {
            let method = RequestMethod(text)
            guard method.isKnown, method != .connect, method != .trace else {
                throw JSONFault(
                    "\"\(text)\" never reaches a handler", at: node["methods"]?.span ?? node.span,
                    help: "GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")
            }
            methods.append(method)
        }
        return MockHandler(
            name: try text(node["name"]) ?? "\(number + 1)", pattern: pattern, methods: methods,
            isOn: try flag(node["on"]) ?? true, answers: answers,
            repeats: try flag(node["repeats"]) ?? false)
    }

    private static func answer(_ node: JSONNode) throws(JSONFault) -> MockAnswer {
        try known(node, ["status", "headers", "body", "json", "delay"], "an answer")
        var answer = MockAnswer()
        if let status = node["status"] {
            guard let code = status.integer, (200...599).contains(code) else {
                throw JSONFault("status must be a number from 200 to 599", at: status.span)
            }
            answer.status = StatusCode(Int(code))
        }
        answer.fields = try fields(node["headers"])
        if let json = node["json"] {
            if let body = node["body"] { throw JSONFault("an answer has one body", at: body.span) }
            var writer = JSONWriter()
            writer.node(json)
            answer.body = writer.bytes
            if !answer.fields.contains("Content-Type") {
                answer.fields.append("Content-Type", "application/json; charset=utf-8")
            }
        } else {
            answer.body = Array((try text(node["body"]) ?? "").utf8)
        }
        if let delay = node["delay"] { answer.delay = try span(delay) }
        return answer
    }

    private static func fields(_ node: JSONNode?) throws(JSONFault) -> HeaderFields {
        var fields = HeaderFields()
        guard let node else { return fields }
        guard let members = node.members else { throw JSONFault("headers must be an object", at: node.span) }
        for member in members {
            let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade"]
            if framing.contains(where: { HeaderFields.areEqual($0, member.key) }) {
                throw JSONFault("the server frames its answers itself", at: member.keySpan)
            }
            for value in try texts(member.value) { fields.append(member.key, value) }
        }
        return fields
    }

    // MARK: Values

    private static func known(_ node: JSONNode, _ keys: [String], _ what: String) throws(JSONFault) {
        guard let members = node.members else {
            throw JSONFault("\(what) must be an object", label: "this is \(node.kindName)", at: node.span)
        }
        for member in members where !keys.contains(member.key) {
            throw JSONFault(
                "\(what) has no \"\(member.key)\"", at: member.keySpan,
                help: "it has " + keys.joined(separator: ", "))
        }
    }

    private static func text(_ node: JSONNode?) throws(JSONFault) -> String? {
        guard let node else { return nil }
        guard let text = node.string else {
            throw JSONFault("this must be text", label: "this is \(node.kindName)", at: node.span)
        }
        return text
    }

    private static func flag(_ node: JSONNode?) throws(JSONFault) -> Bool? {
        guard let node else { return nil }
        guard let flag = node.bool else {
            throw JSONFault("this must be true or false", label: "this is \(node.kindName)", at: node.span)
        }
        return flag
    }

    /// One text, or a list of them.
    private static func texts(_ node: JSONNode?) throws(JSONFault) -> [String] {
        guard let node else { return [] }
        var texts: [String] = []
        for element in node.array ?? [node] {
            if let text = try text(element) { texts.append(text) }
        }
        return texts
    }

    /// `250 ms`, `2 s`, `1 min`.
    private static func span(_ node: JSONNode) throws(JSONFault) -> TimeSpan {
        let parts = (node.string ?? "").split(separator: " ")
        if parts.count == 2, let count = Int64(parts[0]), (0...600_000).contains(count) {
            var span: TimeSpan?
            switch parts[1] {
            case "ms": span = .milliseconds(count)
            case "s": span = .seconds(count)
            case "min": span = .minutes(count)
            default: span = nil
            }
            if let span, span <= longestDelay { return span }
        }
        throw JSONFault(
            "delay must be a time of at most 10 min", at: node.span, help: "\"250 ms\", \"2 s\" or \"1 min\"")
    }
}
