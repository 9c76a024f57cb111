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
/// The first entry that matches is used (``RouteTable``). `to` is required: `remote` (with WebSockets if
/// `upgrades` is true), `file`, `site`, or `folder`; of a folder the file has name and age, and the caller
/// has to find its files. Errors are a `JSONFault` with its position, also for an unknown key.
package struct RouteFile: Hashable, Sendable {
    package static let format = "otalab-routes-1"
    package static let defaultAge = TimeSpan.minutes(60)
    /// RFC 9111 sets no limit; a longer age is a mistake for a file that has no hash in its name.
    static let longestAge = TimeSpan.minutes(60 * 24 * 365)

    package var remote: RemoteRoot?
    /// Entries in order of precedence.
    package var entries: [Entry]

    /// One entry, with the name of a folder in place of its files.
    package struct Entry: Hashable, Sendable {
        package var pattern: RoutePattern
        /// Methods that it matches; empty: all.
        package var methods: [RequestMethod]
        package var target: Target

        package init(_ pattern: RoutePattern, methods: [RequestMethod] = [], _ target: Target) {
            self.pattern = pattern
            self.methods = methods
            self.target = target
        }
    }

    /// What answers; see ``RouteTarget``.
    package enum Target: Hashable, Sendable {
        case site
        case file
        case remote(upgrades: Bool)
        /// Files of the folder with this name, which belong to no version, below the pattern's base path.
        case folder(String, age: TimeSpan)
    }

    package init(remote: RemoteRoot? = nil, entries: [Entry] = []) {
        self.remote = remote
        self.entries = entries
    }

    package static func read(_ bytes: [UInt8]) throws(JSONFault) -> RouteFile {
        let root = try JSONReader.read(bytes, dialect: .json5)
        try FileValue.requireFormat(format, root, "one of routes")
        try FileValue.requireKeys(root, ["format", "remote", "routes"], "a file of routes")
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
        for node in nodes { file.entries.append(try entry(node)) }
        return file
    }

    private static func entry(_ node: JSONNode) throws(JSONFault) -> Entry {
        try FileValue.requireKeys(node, ["path", "methods", "to", "upgrades", "folder", "age"], "a route")
        let pattern = try FileValue.pattern(node)
        let keyword = try FileValue.optionalText(node["to"]) ?? ""
        let target: Target
        switch keyword {
        case "remote": target = .remote(upgrades: try FileValue.flag(node["upgrades"]) ?? false)
        case "site": target = .site
        case "file": target = .file
        case "folder":
            guard let name = try FileValue.optionalText(node["folder"]), !name.isEmpty, pattern.takesRest
            else {
                throw JSONFault(
                    "a folder needs its name, and a path that ends in /**", at: node["to"]?.span ?? node.span)
            }
            let age = try node["age"].map { (age) throws(JSONFault) in
                try FileValue.duration(age, atMost: longestAge, "age")
            }
            target = .folder(name, age: age ?? defaultAge)
        default:
            throw JSONFault(
                "to must say who answers", at: node["to"]?.span ?? node.span,
                help: "\"remote\", \"folder\", \"file\" or \"site\"")
        }
        for (key, owner) in [("upgrades", "remote"), ("folder", "folder"), ("age", "folder")]
        where owner != keyword {
            if let node = node[key] { throw JSONFault("\(key) belongs to \"\(owner)\"", at: node.span) }
        }
        return Entry(pattern, methods: try FileValue.methods(node), target)
    }
}

extension RouteFile.Entry {
    /// `/api/**=remote`, `/live/**=remote+upgrades`, `/**=site`, `/assets/**=file`, `/static/**=folder:DIR`;
    /// nil for anything else.
    package init?(text: String) {
        guard let equals = text.lastIndex(of: "=") else { return nil }
        guard let pattern = RoutePattern(String(text[..<equals])) else { return nil }
        let keyword = text[text.index(after: equals)...]
        let folder = "folder:"
        switch keyword {
        case "remote": self.init(pattern, .remote(upgrades: false))
        case "remote+upgrades": self.init(pattern, .remote(upgrades: true))
        case "site": self.init(pattern, .site)
        case "file": self.init(pattern, .file)
        case _ where keyword.hasPrefix(folder) && keyword != folder && pattern.takesRest:
            self.init(pattern, .folder(String(keyword.dropFirst(folder.count)), age: RouteFile.defaultAge))
        default: return nil
        }
    }
}
