import Core

extension Scenario {
    /// All files of a version, its own and the inherited ones, sorted by route. Empty for a name that
    /// is not declared.
    package func files(of name: String) -> [ResolvedFile] {
        var lookup = FileLookup(self)
        let ancestry = lookup.ancestry(of: name)
        let routes = ancestry.flatMap { $0.spec.files.map(\.route.value) }.sorted(by: TextBytes.precedes)
        var files: [ResolvedFile] = []
        for (index, route) in routes.enumerated() {
            if index > 0, TextBytes.areEqual(routes[index - 1], route) { continue }
            guard let spec = FileLookup.spec(of: route, in: ancestry) else { continue }
            let file = FileReference(version: name, route: route)
            let (content, size) = lookup.content(of: file) ?? (file, 0)
            files.append(ResolvedFile(route: route, size: size, content: content, spec: spec))
        }
        return files
    }

    /// Whether a sorted list contains a route. Compares bytes.
    static func has(_ route: String, _ sorted: [String]) -> Bool {
        TextBytes.index(of: route, in: sorted.indices) { sorted[$0] } != nil
    }
}
