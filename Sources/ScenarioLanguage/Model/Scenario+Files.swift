import Core

extension Scenario {
    /// All files of a version, its own and the inherited ones, sorted by route. Empty for a name that
    /// is not declared.
    package func files(of name: String) -> [ResolvedFile] {
        var routes: [String] = []
        for version in ancestry(of: name).reversed() {
            for file in version.files where !Scenario.isRoute(file.route.value, among: routes) {
                routes.append(file.route.value)
            }
            routes.removeAll { route in version.without.contains { TextBytes.areEqual($0.value, route) } }
        }
        return routes.sorted(by: TextBytes.precedes).compactMap { route in
            spec(of: route, in: name).map { resolved(FileReference(version: name, route: route), $0) }
        }
    }

    /// Whether a sorted list contains a route. Compares bytes.
    static func has(_ route: String, _ sorted: [String]) -> Bool {
        TextBytes.index(of: route, in: sorted.indices) { sorted[$0] } != nil
    }

    /// Compares bytes, as origins and file systems do.
    private static func isRoute(_ route: String, among routes: [String]) -> Bool {
        routes.contains { TextBytes.areEqual($0, route) }
    }

    /// The file in which this file's content was new, and its size in bytes; nil when the version does not
    /// have the file, or `same` leads in a circle.
    func content(of file: FileReference) -> (content: FileReference, size: Int)? {
        content(of: file, budget: versions.reduce(versions.count) { $0 + $1.files.count })
    }

    private func resolved(_ file: FileReference, _ spec: FileSpec) -> ResolvedFile {
        let (content, size) = content(of: file) ?? (file, 0)
        return ResolvedFile(route: file.route, size: size, content: content, spec: spec)
    }

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

    private func spec(of route: String, in name: String) -> FileSpec? {
        for version in ancestry(of: name) {
            if let spec = version.files.first(where: { $0.route.value == route }) { return spec }
        }
        return nil
    }

    private func content(of file: FileReference, budget: Int) -> (content: FileReference, size: Int)? {
        if budget < 0 { return nil }
        var changed: String?
        for version in ancestry(of: file.version) {
            if let spec = version.files.first(where: { TextBytes.areEqual($0.route.value, file.route) }) {
                let own = FileReference(version: changed ?? version.name.value, route: file.route)
                guard let same = spec.same?.value else { return (own, spec.size?.value ?? 0) }
                guard let original = content(of: same, budget: budget - 1) else { return nil }
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
