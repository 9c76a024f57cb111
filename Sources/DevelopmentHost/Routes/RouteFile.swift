import Core
import HTTP1
import LocalServer

/// Reads a route table, and where API requests go, from a file in JSON5:
///
///     {
///         format: "otalab-routes-1",
///         remote: "http://127.0.0.1:3000/v1",
///         routes: [
///             { path: "/api/**", to: "remote", upgrades: true },
///             { path: "/api/status", methods: ["GET"], to: "remote" },
///             { path: "/static/**", to: "folder", folder: "shared", age: "1 h" },
///             { path: "/assets/**", to: "file" },
///             { path: "/**", to: "site" },
///         ],
///     }
///
/// The first row that fits counts (``RouteTable``). `to` is required: `remote` (with WebSockets where
/// `upgrades` is true), `file`, `site`, or `folder`, whose name and age are told and whose files whoever
/// reads the file has to find. What is wrong is a `JSONFault` with its place: an unknown key too.
package struct RouteFile: Hashable, Sendable {
    package static let format = "otalab-routes-1"
    package static let usualAge = TimeSpan.minutes(60)
    /// RFC 9111 asks for no limit; a longer one is a mistake in a file that has no hash in its name.
    static let longestAge = TimeSpan.minutes(60 * 24 * 365)

    package var remote: RemoteRoot?
    package var rows: [Row]

    package struct Row: Hashable, Sendable {
        package var pattern: RoutePattern
        /// Empty: all.
        package var methods: [RequestMethod]
        package var target: Target

        package init(_ pattern: RoutePattern, methods: [RequestMethod] = [], _ target: Target) {
            self.pattern = pattern
            self.methods = methods
            self.target = target
        }
    }

    package enum Target: Hashable, Sendable {
        case site
        case file
        case remote(upgrades: Bool)
        /// Files that belong to no version, below the pattern's own path.
        case folder(String, age: TimeSpan)
    }

    package init(remote: RemoteRoot? = nil, rows: [Row] = []) {
        self.remote = remote
        self.rows = rows
    }

    package static func read(_ bytes: [UInt8]) throws(JSONFault) -> RouteFile {
        let root = try JSONReader.read(bytes, dialect: .json5)
        try FileValue.says(format, root, "one of routes")
        try FileValue.known(root, ["format", "remote", "routes"], "a file of routes")
        var file = RouteFile()
        if let node = root["remote"] {
            do {
                file.remote = try RemoteRoot(node.string ?? "")
            } catch {
                throw JSONFault(
                    "remote can't be reached: \(error.rawValue)", at: node.span,
                    help: "\"http://HOST:PORT/BASE\"")
            }
        }
        guard let list = root["routes"] else { return file }
        guard let nodes = list.array else { throw JSONFault("routes must be a list", at: list.span) }
        for node in nodes { file.rows.append(try row(node)) }
        return file
    }

    private static func row(_ node: JSONNode) throws(JSONFault) -> Row {
        try FileValue.known(node, ["path", "methods", "to", "upgrades", "folder", "age"], "a route")
        let pattern = try FileValue.pattern(node)
        let word = try FileValue.text(node["to"]) ?? ""
        let target: Target
        switch word {
        case "remote": target = .remote(upgrades: try FileValue.flag(node["upgrades"]) ?? false)
        case "site": target = .site
        case "file": target = .file
        case "folder":
            guard let name = try FileValue.text(node["folder"]), !name.isEmpty, pattern.takesRest else {
                throw JSONFault(
                    "a folder needs its name, and a path that ends in /**", at: node["to"]?.span ?? node.span)
            }
            let age = try node["age"].map { (age) throws(JSONFault) in
                try FileValue.span(age, atMost: longestAge, "age")
            }
            target = .folder(name, age: age ?? usualAge)
        default:
            throw JSONFault(
                "to must say who answers", at: node["to"]?.span ?? node.span,
                help: "\"remote\", \"folder\", \"file\" or \"site\"")
        }
        for (key, owner) in [("upgrades", "remote"), ("folder", "folder"), ("age", "folder")]
        where owner != word {
            if let node = node[key] { throw JSONFault("\(key) belongs to \"\(owner)\"", at: node.span) }
        }
        return Row(pattern, methods: try FileValue.methods(node), target)
    }
}

extension RouteFile.Row {
    /// `/api/**=remote`, `/live/**=remote+upgrades`, `/**=site`, `/assets/**=file`, `/static/**=folder:DIR`;
    /// nil for anything else.
    package init?(text: String) {
        guard let equals = text.lastIndex(of: "=") else { return nil }
        guard let pattern = RoutePattern(String(text[..<equals])) else { return nil }
        let word = text[text.index(after: equals)...]
        let folder = "folder:"
        switch word {
        case "remote": self.init(pattern, .remote(upgrades: false))
        case "remote+upgrades": self.init(pattern, .remote(upgrades: true))
        case "site": self.init(pattern, .site)
        case "file": self.init(pattern, .file)
        case _ where word.hasPrefix(folder) && word != folder && pattern.takesRest:
            self.init(pattern, .folder(String(word.dropFirst(folder.count)), age: RouteFile.usualAge))
        default: return nil
        }
    }
}
