extension Scenario {
    /// All rows of a version, its own and the inherited ones, sorted by route. Empty for a name that
    /// is not declared.
    public func files(of name: String) -> [ResolvedFile] {
        var chain: [VersionSpec] = []
        var next: String? = name
        while let current = next, chain.count <= versions.count, let version = version(current) {
            chain.append(version)
            next = version.from?.value
        }
        var files: [ResolvedFile] = []
        for version in chain.reversed() {
            for route in version.without { files.removeAll { $0.route == route.value } }
            for route in version.changes {
                guard let index = files.firstIndex(where: { $0.route == route.value }) else { continue }
                files[index].content = FileReference(version: version.name.value, route: route.value)
            }
            for spec in version.files {
                let row = resolved(spec, in: version)
                if let index = files.firstIndex(where: { $0.route == row.route }) {
                    files[index] = row
                } else {
                    files.append(row)
                }
            }
        }
        return files.sorted { $0.route < $1.route }
    }

    private func resolved(_ spec: FileSpec, in version: VersionSpec) -> ResolvedFile {
        let route = spec.route.value
        var row = ResolvedFile(
            route: route, size: spec.size?.value ?? 0,
            content: FileReference(version: version.name.value, route: route), spec: spec)
        // Only earlier versions can be named, so that this ends.
        if let same = spec.same?.value,
            let original = files(of: same.version).first(where: { $0.route == same.route })
        {
            row.size = original.size
            row.content = original.content
        }
        return row
    }
}
