import ScenarioLanguage

/// The names of files that no step names. Their content is other content too, of the same size.
struct FileNames: Transformation {
    let name = "other names for the files"
    let reason = "what a file is called means nothing"

    func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
        try base.requireNoRace()
        let scenario = base.scenario
        let named = FileNames.textOutsideFiles(of: scenario)
        let routes = scenario.versions.flatMap { $0.files.map(\.route.value) }
        // By its bytes: a name in two spellings is two names.
        var names: [[UInt8]: String] = [:]
        for route in routes where names[Array(route.utf8)] == nil {
            guard let slash = route.lastIndex(of: "/") else { continue }
            let last = route[route.index(after: slash)...]
            // The index answers navigations by its name; a hash in the route is that of the content.
            if last.isEmpty || last.hasSuffix(".html") || route.contains("{") || named.contains(last) {
                continue
            }
            names[Array(route.utf8)] = route[...slash] + "z" + last
        }
        if names.isEmpty { throw NotApplicable("steps name every file") }
        if names.values.contains(where: { routes.contains($0) }) { throw NotApplicable("a name is taken") }
        func other(_ route: String) -> String { names[Array(route.utf8)] ?? route }
        var changed = scenario
        for index in changed.versions.indices {
            var version = changed.versions[index]
            for file in version.files.indices {
                version.files[file].route.value = other(version.files[file].route.value)
                if let same = version.files[file].same?.value {
                    version.files[file].same?.value = FileReference(
                        version: same.version, route: other(same.route))
                }
                if let map = version.files[file].sourceMap?.value {
                    version.files[file].sourceMap?.value = other(map)
                }
            }
            for position in version.changes.indices {
                version.changes[position].value = other(version.changes[position].value)
            }
            for position in version.without.indices {
                version.without[position].value = other(version.without[position].value)
            }
            changed.versions[index] = version
        }
        let pairs = names.sorted { $0.value < $1.value }
            .map { Variant.Route(changed: $0.value, own: String(decoding: $0.key, as: UTF8.self)) }
        return [Variant(name: name, scenario: changed, routes: pairs)]
    }

    /// The scenario's text without the lists of files.
    private static func textOutsideFiles(of scenario: Scenario) -> String {
        var text = ""
        for pair in ScenarioPrinter.tree(of: scenario).members {
            guard pair.key == "versions" else {
                text += pair.value.line
                continue
            }
            for version in pair.value.members {
                for part in version.value.members where !["files", "changes", "without"].contains(part.key) {
                    text += part.value.line
                }
            }
        }
        return text
    }
}

extension PrintedValue {
    fileprivate var members: [Pair] {
        if case .object(let pairs) = self { pairs } else { [] }
    }
}
