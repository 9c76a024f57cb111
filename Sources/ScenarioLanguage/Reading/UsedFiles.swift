import Core

/// Finds a file that a scenario uses. The path is the relative path of the used file, resolved against the
/// folder of the scenario. nil when the file can't be read.
package typealias UsedFileReader = (_ path: String) -> [UInt8]?

/// Merges the files that a scenario uses into its tree. Members of the scenario replace those of the used
/// files; a used file can't use others.
///
/// A used file is an object with some of ``keys``. Objects are merged member by member; any other value is
/// replaced completely. A version of the scenario that says nothing of files keeps those of the used version
/// of its name, and is merged with it member by member; one that does replaces it. The offsets of used files
/// follow those of the scenario (``SourceFile/included``), so that a mistake in a used file is reported
/// there.
struct UsedFiles {
    /// Keys that scenarios can share. Steps are not among them, so that each scenario has its own.
    static let keys = ["device", "devices", "app", "origin", "versions", "limits"]
    /// Most used files of a scenario.
    static let most = 8

    private(set) var file: SourceFile
    private(set) var diagnostics: [Diagnostic] = []
    private let find: UsedFileReader

    init(_ file: SourceFile, find: UsedFileReader?) {
        self.file = file
        self.find = find ?? { _ in nil }
    }

    mutating func merged(_ root: JSONNode) -> JSONNode {
        guard let use = root["use"], let members = root.members else { return root }
        // Other values are reported with the other mistakes of the file.
        guard (use.array ?? [use]).allSatisfy({ $0.string != nil }) else { return root }
        var parts: [JSONNode] = []
        var paths: [String] = []
        for node in use.array ?? [use] {
            guard let name = node.string else { continue }
            if parts.count == UsedFiles.most {
                report(.outOfRange, "too many used files", label: "at most \(UsedFiles.most)", at: node.span)
                break
            }
            guard let path = path(name, node.span) else { continue }
            if paths.contains(path) {
                report(.duplicateName, "'\(name)' is used twice", label: "again", at: node.span)
                continue
            }
            paths.append(path)
            if let part = part(path, name, node.span) { parts.append(part) }
        }
        if !diagnostics.isEmpty { return root }
        var all = members.filter { $0.key != "use" }
        for key in UsedFiles.keys { join(key, parts, &all) }
        return JSONNode(.object(all), span: root.span)
    }

    /// The path of a used file, resolved against the scenario's folder.
    private mutating func path(_ name: String, _ span: SourceSpan) -> String? {
        if name.isEmpty || name.hasPrefix("/") {
            report(
                .impossible, "a used file that is not beside this one", label: "not a relative path",
                at: span, help: "write it from this file's folder on, as in \"../shared/shop.json5\"")
            return nil
        }
        let isAbsolute = file.path.hasPrefix("/")
        var parts = file.path.split(separator: "/").dropLast().map(String.init)
        for part in name.split(separator: "/").map(String.init) where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        let path = (isAbsolute ? "/" : "") + parts.joined(separator: "/")
        if path == file.path {
            report(.cycle, "the file uses itself", label: "goes round in a circle", at: span)
            return nil
        }
        return path
    }

    /// The tree of a used file, with its offsets shifted.
    private mutating func part(_ path: String, _ name: String, _ span: SourceSpan) -> JSONNode? {
        guard let bytes = find(path) else {
            report(
                .unknownName, "the used file '\(name)' can't be read", label: "not there",
                at: span, help: "searched for at \(path)")
            return nil
        }
        let base = file.include(SourceFile(path: path, bytes: bytes))
        do throws(JSONFault) {
            let tree = try JSONReader.read(bytes, dialect: .json5, limits: ScenarioReader.limits)
            let root = tree.shifted(by: base)
            check(root, usedAt: span)
            return root
        } catch {
            let at = error.span.shifted(by: base)
            diagnostics.append(
                Diagnostic(
                    .syntax, error.message, label: error.label, file: file, at: at, help: error.help,
                    related: [Diagnostic.Related(message: "used here", span: span)]))
            return nil
        }
    }

    private mutating func check(_ root: JSONNode, usedAt span: SourceSpan) {
        guard let members = root.members else {
            return report(
                .wrongType, "a used file holds one object", label: "this is \(root.kindName)",
                at: root.headSpan)
        }
        for member in members where !UsedFiles.keys.contains(member.key) && member.key != "schema" {
            if member.key == "use" {
                report(
                    .cycle, "a used file that uses another one", label: "one level is enough",
                    at: member.keySpan, help: "name both in the scenario: use: [\"…\", \"…\"]")
            } else {
                let isOfScenario = FieldTable.scenario.fields.contains { $0.key == member.key }
                report(
                    .unknownKey, "'\(member.key)' can't be shared", label: "not in a used file",
                    at: member.keySpan,
                    help: isOfScenario
                        ? "a used file holds " + UsedFiles.keys.joined(separator: ", ")
                        : Suggestion.help(for: member.key, among: UsedFiles.keys, choice: "keys here:"))
            }
        }
        if let schema = root["schema"], schema.integer != 1 {
            report(.unsupportedSchema, "this schema is not known here", label: "write 1", at: schema.span)
        }
    }

    private mutating func join(_ key: String, _ parts: [JSONNode], _ all: inout [JSONMember]) {
        let given = parts.compactMap { part in part.members?.first { $0.key == key } }
        guard let first = given.first else { return }
        let index = all.firstIndex { $0.key == key }
        let isJoined = given.allSatisfy { $0.value.members != nil }
        if !isJoined {
            if given.count > 1 { reportTwice(given[1], given[0]) }
            if index == nil { all.append(first) }
            return
        }
        var members: [JSONMember] = []
        for member in given.flatMap({ $0.value.members ?? [] }) {
            if let other = members.first(where: { $0.key == member.key }) {
                reportTwice(member, other)
            } else {
                members.append(member)
            }
        }
        guard let index else {
            all.append(
                JSONMember(
                    key: key, keySpan: first.keySpan,
                    value: JSONNode(.object(members), span: first.value.span))
            )
            return
        }
        guard var own = all[index].value.members else { return }
        if key == "versions" { own = own.map { UsedFiles.joined($0, members) } }
        members.removeAll { member in own.contains { $0.key == member.key } }
        all[index].value.kind = .object(members + own)
    }

    /// Keys of a version that say which files it has.
    private static let fileKeys = ["files", "from", "changes", "without", "folder"]

    /// A version of the scenario with the members of the used version that it does not state, unless it
    /// states files.
    private static func joined(_ version: JSONMember, _ used: [JSONMember]) -> JSONMember {
        guard let base = used.first(where: { $0.key == version.key })?.value.members,
            let own = version.value.members, !own.contains(where: { fileKeys.contains($0.key) })
        else { return version }
        var version = version
        version.value.kind = .object(base.filter { member in !own.contains { $0.key == member.key } } + own)
        return version
    }

    private mutating func reportTwice(_ second: JSONMember, _ first: JSONMember) {
        diagnostics.append(
            Diagnostic(
                .duplicateName, "'\(second.key)' is in two used files", label: "a second time",
                file: file, at: second.keySpan, help: "keep one of the two",
                related: [Diagnostic.Related(message: "the first one", span: first.keySpan)]))
    }

    private mutating func report(
        _ code: DiagnosticCode, _ message: String, label: String, at span: SourceSpan, help: String? = nil
    ) {
        diagnostics.append(Diagnostic(code, message, label: label, file: file, at: span, help: help))
    }
}

extension SourceSpan {
    fileprivate func shifted(by base: Int) -> SourceSpan {
        SourceSpan(start: start + base, end: end + base)
    }
}

extension JSONNode {
    fileprivate func shifted(by base: Int) -> JSONNode {
        var node = self
        node.span = span.shifted(by: base)
        switch kind {
        case .null, .bool, .number, .string: break
        case .array(let elements): node.kind = .array(elements.map { $0.shifted(by: base) })
        case .object(let members):
            node.kind = .object(
                members.map {
                    JSONMember(
                        key: $0.key, keySpan: $0.keySpan.shifted(by: base), value: $0.value.shifted(by: base))
                })
        }
        return node
    }
}
