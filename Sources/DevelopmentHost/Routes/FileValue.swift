import Core
import HTTP1
import LocalServer

/// Reads the values that files of routes and of mock handlers have in common. Errors are a `JSONFault` with
/// its position, also for an unknown key.
enum FileValue {
    /// - Throws: if `node` is not an object, or has another key.
    static func requireKeys(_ node: JSONNode, _ keys: [String], _ what: String) throws(JSONFault) {
        guard let members = node.members else {
            throw JSONFault("\(what) must be an object", label: "this is \(node.kindName)", at: node.span)
        }
        for member in members where !keys.contains(member.key) {
            throw JSONFault(
                "\(what) has no \"\(member.key)\"", at: member.keySpan,
                help: "it has " + keys.joined(separator: ", "))
        }
    }

    /// Checks that the file names its format, so that another file is not taken for it.
    static func requireFormat(_ format: String, _ root: JSONNode, _ what: String) throws(JSONFault) {
        guard let named = root["format"], named.string == format else {
            throw JSONFault(
                "the file does not say that it is \(what)", at: root["format"]?.span ?? root.span,
                help: "format: \"\(format)\"")
        }
    }

    static func optionalText(_ node: JSONNode?) throws(JSONFault) -> String? {
        guard let node else { return nil }
        guard let text = node.string else {
            throw JSONFault("this must be text", label: "this is \(node.kindName)", at: node.span)
        }
        return text
    }

    static func flag(_ node: JSONNode?) throws(JSONFault) -> Bool? {
        guard let node else { return nil }
        guard let flag = node.bool else {
            throw JSONFault("this must be true or false", label: "this is \(node.kindName)", at: node.span)
        }
        return flag
    }

    /// One text, or a list of texts.
    static func texts(_ node: JSONNode?) throws(JSONFault) -> [String] {
        guard let node else { return [] }
        var texts: [String] = []
        for element in node.array ?? [node] {
            if let text = try optionalText(element) { texts.append(text) }
        }
        return texts
    }

    /// The member `path`, which is required.
    static func pattern(_ node: JSONNode) throws(JSONFault) -> RoutePattern {
        guard let path = node["path"], let pattern = path.string.flatMap({ RoutePattern($0) }) else {
            throw JSONFault(
                "path must be a pattern of paths", at: node["path"]?.span ?? node.span,
                help: "\"/status\", \"/game/*/score\" or \"/api/**\"")
        }
        return pattern
    }

    /// The member `methods`; empty: all.
    static func methods(_ node: JSONNode) throws(JSONFault) -> [RequestMethod] {
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
        return methods
    }

    /// `250 ms`, `2 s`, `1 min`, `1 h`.
    static func duration(_ node: JSONNode, atMost maximum: TimeSpan, _ what: String) throws(JSONFault)
        -> TimeSpan
    {
        if let duration = duration(node.string ?? ""), duration <= maximum { return duration }
        let minutes = maximum.microseconds / 60_000_000
        throw JSONFault(
            "\(what) must be a time of at most \(minutes) min", at: node.span,
            help: "\"250 ms\", \"2 s\" or \"1 min\"")
    }

    private static func duration(_ text: String) -> TimeSpan? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let count = Int64(parts[0]), (0...100_000_000).contains(count) else {
            return nil
        }
        return switch parts[1] {
        case "ms": .milliseconds(count)
        case "s": .seconds(count)
        case "min": .minutes(count)
        case "h": .minutes(count * 60)
        default: nil
        }
    }
}
