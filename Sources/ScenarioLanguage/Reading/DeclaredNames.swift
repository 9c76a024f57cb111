import Core

/// The names that a file declares, collected before its values are validated.
struct DeclaredNames {
    /// All names except those of files, which can be thousands.
    private var entries: [Declaration] = []
    /// Routes of files as they are declared, with or without a leading slash; a route can be in several
    /// versions.
    private var files: [Spanned<String>] = []
    /// Declarations of files by route, when there are many.
    private var filesByRoute: LookupTable<String, SourceSpan>?
    /// Whether names of files are unknown, because a version comes from a folder.
    private(set) var filesAreOpen = false
    /// Location of `cases`, whose values may refer to declarations after them.
    var casesSpan: SourceSpan?

    /// Most files that are searched linearly, because sorting them would take as long.
    private static let few = 64

    private struct Declaration {
        var kind: NameKind
        var name: Spanned<String>
    }

    func all(_ kind: NameKind) -> [String] {
        if kind == .file {
            return files.filter { file(TextFastPath.rooted($0.value)) == $0.span }
                .map { TextFastPath.rooted($0.value) }
        }
        return entries.filter { $0.kind == kind }.map(\.name.value)
    }

    func declaration(of name: String, as kind: NameKind) -> Spanned<String>? {
        if kind == .file { return file(name).map { Spanned(name, $0) } }
        for index in entries.indices where entries[index].kind == kind && entries[index].name.value == name {
            return entries[index].name
        }
        return nil
    }

    /// Location of the first declaration of a file with this route.
    private func file(_ route: String) -> SourceSpan? {
        if let filesByRoute { return filesByRoute[route] }
        let bare = route.utf8.first == UInt8(ascii: "/") ? String(route.utf8.dropFirst()) : nil
        for index in files.indices {
            let key = files[index].value
            let isWhole = key.utf8.first == UInt8(ascii: "/")
            if key == (isWhole ? route : bare) { return files[index].span }
        }
        return nil
    }

    /// Whether a name that a step gives is used before that step.
    func isLater(_ kind: NameKind, _ name: String, than use: SourceSpan) -> Bool {
        guard kind == .mark || kind == .page || kind == .step || kind == .fault else { return false }
        if let casesSpan, casesSpan.start <= use.start, use.end <= casesSpan.end { return false }
        guard let declared = declaration(of: name, as: kind) else { return false }
        return declared.span.start > use.start
    }

    /// Collects the names of a file's tree and ignores its mistakes.
    init(_ root: JSONNode, devices: [String]) {
        casesSpan = root["cases"]?.span
        for device in devices { add(.device, device, root.span) }
        for member in root["devices"]?.members ?? [] { add(.handset, member.key, member.keySpan) }
        for member in root["versions"]?.members ?? [] {
            add(.version, member.key, member.keySpan)
            if member.value["folder"] != nil { filesAreOpen = true }
            for file in member.value["files"]?.members ?? [] {
                files.append(Spanned(file.key, file.keySpan))
            }
        }
        if files.count > DeclaredNames.few {
            filesByRoute = LookupTable(files.reversed().map { (TextFastPath.rooted($0.value), $0.span) })
        }
        if let app = root["app"] {
            add(.native, app["native"])
            for member in app["builds"]?.members ?? [] {
                add(.build, member.key, member.keySpan)
                add(.native, member.value["native"])
            }
            if app["builds"] == nil { add(.build, "1.0", app.span) }
        }
        for member in root["keys"]?.members ?? [] { add(.key, member.key, member.keySpan) }
        for edge in root["origin"]?["edges"]?.array ?? [] { add(.edge, edge) }
        if all(.edge).isEmpty { add(.edge, "origin", root.span) }
        for step in root["steps"]?.array ?? [] { collect(step) }
    }

    private mutating func collect(_ step: JSONNode) {
        add(.mark, step["mark"])
        if let name = step["as"] {
            add(.step, name)
            if step["launch"] != nil || step["relaunch"] != nil || step["page"] != nil { add(.page, name) }
            if step["fault"] != nil { add(.fault, name) }
        }
        for inner in step["steps"]?.array ?? [] { collect(inner) }
    }

    private mutating func add(_ kind: NameKind, _ node: JSONNode?) {
        if let node, let text = node.string { add(kind, text, node.span) }
    }

    private mutating func add(_ kind: NameKind, _ name: String, _ span: SourceSpan) {
        entries.append(Declaration(kind: kind, name: Spanned(name, span)))
    }

    /// Second declarations of a name of the same kind.
    var duplicates: [(kind: NameKind, second: Spanned<String>, first: Spanned<String>)] {
        var found: [(NameKind, Spanned<String>, Spanned<String>)] = []
        for (index, entry) in entries.enumerated() where [.edge, .mark, .step].contains(entry.kind) {
            let before = entries[..<index].first {
                $0.kind == entry.kind && $0.name.value == entry.name.value
            }
            if let before { found.append((entry.kind, entry.name, before.name)) }
        }
        return found
    }

    /// Names given in steps that are also keywords where such names are used.
    var reserved: [Spanned<String>] {
        let keywords =
            FieldTable.pageActions.map(\.keyword) + ["in front", "start"] + Verb.allCases.map(\.rawValue)
        return entries.filter { [.mark, .step].contains($0.kind) && keywords.contains($0.name.value) }.map(
            \.name)
    }
}
