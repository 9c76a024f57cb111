import ScenarioLanguage

/// Removes versions: with all steps that name one, or with another version in its place. A version that is
/// derived from it gets its files.
struct RemoveVersions: ShrinkStrategy {
    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        let versions = tree["versions"]?.pairs ?? []
        if versions.count < 2 { return [] }
        var candidates: [PrintedValue] = []
        for version in versions.reversed() {
            var plain = tree
            plain["versions"] = .object(RemoveVersions.without(version, versions))
            candidates.append(RemoveVersions.withoutSteps(naming: version.key, plain))
            for other in versions where other.key != version.key {
                var renamed = tree
                renamed["versions"] = .object(RemoveVersions.without(version, versions))
                candidates.append(VersionReferences.renamed(renamed) { $0 == version.key ? other.key : $0 })
            }
        }
        return candidates
    }

    /// The other versions; those that are derived from it get what it has.
    private static func without(_ removed: PrintedValue.Pair, _ versions: [PrintedValue.Pair])
        -> [PrintedValue.Pair]
    {
        versions.filter { $0.key != removed.key }.map { version in
            guard version.value["from"] == .text(removed.key) else { return version }
            var value = version.value
            value["from"] = removed.value["from"]
            let own = value["files"]?.pairs ?? []
            let inherited = (removed.value["files"]?.pairs ?? []).filter { pair in
                !own.contains { $0.key == pair.key }
            }
            if !inherited.isEmpty { value["files"] = .object(inherited + own) }
            // Without an origin nothing is inherited that could change.
            if value["from"] == nil {
                value["changes"] = nil
                value["without"] = nil
            }
            return PrintedValue.Pair(version.key, value)
        }
    }

    private static func withoutSteps(naming name: String, _ tree: PrintedValue) -> PrintedValue {
        let paths = tree.locatedSteps.filter { step in
            step.step["steps"] == nil && VersionReferences.isNamed(name, in: step.step)
        }.map(\.path)
        return paths.reversed().reduce(tree) { $0.without($1) }
    }
}

/// Renames the versions `v1`, `v2` … in the order of the file.
struct RenameVersions: ShrinkStrategy {
    func candidates(_ tree: PrintedValue) -> [PrintedValue] {
        let names = (tree["versions"]?.pairs ?? []).map(\.key)
        let plain = names.indices.map { "v\($0 + 1)" }
        if names == plain { return [] }
        return [
            VersionReferences.renamed(tree) { name in names.firstIndex(of: name).map { plain[$0] } ?? name }
        ]
    }
}

/// Names of versions in a printed tree: `v2`, `v2:/app.js`, `of v2`, and keys.
enum VersionReferences {
    static func isNamed(_ name: String, in value: PrintedValue) -> Bool {
        switch value {
        case .null, .flag, .number: false
        case .text(let text): renamed(text) { $0 == name ? $0 + "'" : $0 } != text
        case .list(let values): values.contains { isNamed(name, in: $0) }
        case .object(let pairs): pairs.contains { $0.key == name || isNamed(name, in: $0.value) }
        }
    }

    static func renamed(_ value: PrintedValue, _ rename: (String) -> String) -> PrintedValue {
        switch value {
        case .null, .flag, .number: value
        case .text(let text): .text(renamed(text, rename))
        case .list(let values): .list(values.map { renamed($0, rename) })
        case .object(let pairs):
            .object(pairs.map { PrintedValue.Pair(rename($0.key), renamed($0.value, rename)) })
        }
    }

    private static func renamed(_ text: String, _ rename: (String) -> String) -> String {
        var words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard let last = words.indices.last else { return text }
        // Only the last word: a title can have any others.
        let parts = words[last].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count == 1 || parts[1].hasPrefix("/") else { return text }
        words[last] = rename(String(name)) + (parts.count > 1 ? ":" + parts[1] : "")
        return words.joined(separator: " ")
    }
}
