import Core
import HTTP1
import LocalServer

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
/// `path` and `answers` are required; the default status is 200. `body` is text, `json` any value, with its
/// content type; a header may have a list of values. `ends: "reset"` closes the connection before an answer,
/// `"break-off"` after `after` bytes of the body, `"stall"` sends nothing more behind them; a stall without
/// `after` sends nothing at all. Errors are a `JSONFault` with its position, also for an
/// unknown key.
package enum MockFile {
    package static let format = "otalab-mocks-1"
    /// Longest delay of an answer; a longer one would look like a hang.
    static let longestDelay = TimeSpan.minutes(10)

    package static func read(_ bytes: [UInt8]) throws(JSONFault) -> MockHandlers {
        let root = try JSONReader.read(bytes, dialect: .json5)
        try FileValue.requireKeys(root, ["format", "mocks"], "a file of mock handlers")
        try FileValue.requireFormat(format, root, "one of mock handlers")
        guard let list = root["mocks"], let nodes = list.array else {
            throw JSONFault("mocks must be a list", at: root["mocks"]?.span ?? root.span)
        }
        var handlers: [MockHandler] = []
        for (index, node) in nodes.enumerated() {
            let handler = try handler(node, index)
            if handlers.contains(where: { $0.name == handler.name }) {
                throw JSONFault(
                    "two handlers are named \"\(handler.name)\"", at: node["name"]?.span ?? node.span)
            }
            handlers.append(handler)
        }
        return MockHandlers(handlers)
    }

    private static func handler(_ node: JSONNode, _ index: Int) throws(JSONFault) -> MockHandler {
        try FileValue.requireKeys(
            node, ["name", "path", "methods", "on", "answers", "repeats"], "a mock handler")
        let pattern = try FileValue.pattern(node)
        guard let list = node["answers"], let nodes = list.array, !nodes.isEmpty else {
            throw JSONFault("answers must be a list of at least one", at: node["answers"]?.span ?? node.span)
        }
        var answers: [MockAnswer] = []
        for node in nodes { answers.append(try answer(node)) }
        return MockHandler(
            name: try FileValue.optionalText(node["name"]) ?? "\(index + 1)", pattern: pattern,
            methods: try FileValue.methods(node),
            isOn: try FileValue.flag(node["on"]) ?? true, answers: answers,
            repeats: try FileValue.flag(node["repeats"]) ?? false)
    }

    private static func answer(_ node: JSONNode) throws(JSONFault) -> MockAnswer {
        try FileValue.requireKeys(
            node, ["status", "headers", "body", "json", "delay", "ends", "after"], "an answer")
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
            answer.body = Array((try FileValue.optionalText(node["body"]) ?? "").utf8)
        }
        if let delay = node["delay"] {
            answer.delay = try FileValue.duration(delay, atMost: longestDelay, "delay")
        }
        answer.end = try end(node, bodySize: answer.body.count)
        return answer
    }

    private static func end(_ node: JSONNode, bodySize: Int) throws(JSONFault) -> MockAnswer.End {
        var after: Int?
        if let count = node["after"] {
            guard let bytes = count.integer, (0...Int64(max(bodySize - 1, 0))).contains(bytes), bodySize > 0
            else {
                throw JSONFault("after must be a number of bytes, fewer than the body has", at: count.span)
            }
            after = Int(bytes)
        }
        let keyword = try FileValue.optionalText(node["ends"])
        if keyword == nil || keyword == "reset", let count = node["after"] {
            throw JSONFault("after belongs to \"break-off\" and \"stall\"", at: count.span)
        }
        switch keyword {
        case nil: return .complete
        case "reset": return .isReset
        case "stall": return .stalls(after: after)
        case "break-off" where bodySize > 0: return .breaksOff(after: after ?? bodySize / 2)
        case "break-off":
            throw JSONFault("an answer that breaks off needs a body", at: node["ends"]?.span ?? node.span)
        default:
            throw JSONFault(
                "ends must say how the answer ends", at: node["ends"]?.span ?? node.span,
                help: "\"reset\", \"break-off\" or \"stall\"")
        }
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
            for value in try FileValue.texts(member.value) { fields.append(member.key, value) }
        }
        return fields
    }
}
