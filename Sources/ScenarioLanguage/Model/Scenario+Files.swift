import Core

extension Scenario {
    /// All files of a version, its own and the inherited ones, sorted by route. Empty for a name that
    /// is not declared.
    package func files(of name: String) -> [ResolvedFile] {
        let ancestry = ancestry(of: name)
        let budget = contentBudget
        let routes = ancestry.flatMap { $0.files.map(\.route.value) }.sorted(by: TextBytes.precedes)
        var files: [ResolvedFile] = []
        for (index, route) in routes.enumerated() {
            if index > 0, TextBytes.areEqual(routes[index - 1], route) { continue }
            guard let spec = Scenario.spec(of: route, in: ancestry) else { continue }
            let file = FileReference(version: name, route: route)
            let (content, size) = content(of: file, in: ancestry, budget: budget) ?? (file, 0)
            files.append(ResolvedFile(route: route, size: size, content: content, spec: spec))
        }
        return files
    }

    /// Whether a sorted list contains a route. Compares bytes.
    static func has(_ route: String, _ sorted: [String]) -> Bool {
        TextBytes.index(of: route, in: sorted.indices) { sorted[$0] } != nil
    }

    /// The file in which this file's content was new, and its size in bytes; nil when the version does not
    /// have the file, or `same` leads in a circle.
    func content(of file: FileReference) -> (content: FileReference, size: Int)? {
        content(of: file, in: ancestry(of: file.version), budget: contentBudget)
    }

    /// The most files that ``content(of:)`` follows: more of them are a circle.
    private var contentBudget: Int { versions.reduce(versions.count) { $0 + $1.files.count } }

    /// The version and the versions that it inherits from, nearest first. Ends also when `from` leads in a
    /// circle.
    private func ancestry(of name: String) -> [VersionSpec] {
        var chain: [VersionSpec] = []
        var next: String? = name
        while let current = next, chain.count <= versions.count, let version = version(current) {
            chain.append(version)
            next = version.from?.value
        }
        return chain
    }

    /// The nearest declaration of a file; nil when there is none or a nearer version is without it.
    private static func spec(of route: String, in ancestry: [VersionSpec]) -> FileSpec? {
        for index in ancestry.indices {
            if ancestry[index].without.contains(where: { TextBytes.areEqual($0.value, route) }) { return nil }
            if let spec = ancestry[index].file(at: route) { return spec }
        }
        return nil
    }

    private func content(
        of file: FileReference, in ancestry: [VersionSpec], budget: Int
    ) -> (content: FileReference, size: Int)? {
        if budget < 0 { return nil }
        var changed: String?
        for version in ancestry {
            if let spec = version.file(at: file.route) {
                let own = FileReference(version: changed ?? version.name.value, route: file.route)
                guard let same = spec.same?.value else { return (own, spec.size?.value ?? 0) }
                let inherited = self.ancestry(of: same.version)
                guard let original = content(of: same, in: inherited, budget: budget - 1) else { return nil }
                return (changed == nil ? original.content : own, original.size)
            }
            if version.without.contains(where: { TextBytes.areEqual($0.value, file.route) }) { return nil }
            if changed == nil, version.changes.contains(where: { TextBytes.areEqual($0.value, file.route) }) {
                changed = version.name.value
            }
        }
        return nil
    }
}

extension VersionSpec {
    /// The version's own declaration of a file. Compares bytes, as origins and file systems do.
    fileprivate func file(at route: String) -> FileSpec? {
        // By index, because a search by element copies every declaration that it passes.
        files.indices.first { TextBytes.areEqual(files[$0].route.value, route) }.map { files[$0] }
    }
}
