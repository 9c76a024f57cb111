import Core

/// Finds files of a scenario's versions through their inheritance. Routes of a version are sorted at its
/// first use, so that a version of many files costs little more for each of them. Compares bytes, as origins
/// and file systems do.
struct FileLookup {
    private let scenario: Scenario
    /// The most files that ``content(of:)`` follows: more of them are a circle.
    private let budget: Int
    /// Versions that were needed so far, each with its ancestors.
    private var ancestries = LookupTable<String, [IndexedVersion]>()

    init(_ scenario: Scenario) {
        self.scenario = scenario
        budget = scenario.versions.reduce(scenario.versions.count) { $0 + $1.files.count }
    }

    /// The version and the versions that it inherits from, nearest first. Ends also when `from` leads in a
    /// circle.
    mutating func ancestry(of name: String) -> [IndexedVersion] {
        if let known = ancestries[name] { return known }
        var chain: [IndexedVersion] = []
        var next: String? = name
        while let current = next, chain.count <= scenario.versions.count,
            let version = scenario.version(current)
        {
            chain.append(ancestries[current]?.first ?? IndexedVersion(version))
            next = version.from?.value
        }
        ancestries[name] = chain
        return chain
    }

    /// The nearest declaration of a file; nil when there is none or a nearer version is without it.
    static func spec(of route: String, in ancestry: [IndexedVersion]) -> FileSpec? {
        for level in ancestry.indices {
            if ancestry[level].isWithout(route) { return nil }
            if let file = ancestry[level].file(at: route) { return ancestry[level].spec.files[file] }
        }
        return nil
    }

    /// The file in which this file's content was new, and its size in bytes; nil when the version does not
    /// have the file, or `same` leads in a circle.
    mutating func content(of file: FileReference) -> (content: FileReference, size: Int)? {
        content(of: file, budget: budget)
    }

    private mutating func content(
        of file: FileReference, budget: Int
    ) -> (content: FileReference, size: Int)? {
        if budget < 0 { return nil }
        var changed: String?
        // By index, because a loop over elements copies every declaration that it passes.
        let ancestry = ancestry(of: file.version)
        for level in ancestry.indices {
            let name = ancestry[level].spec.name.value
            if let index = ancestry[level].file(at: file.route) {
                let own = FileReference(version: changed ?? name, route: file.route)
                guard let same = ancestry[level].spec.files[index].same?.value else {
                    return (own, ancestry[level].spec.files[index].size?.value ?? 0)
                }
                guard let original = content(of: same, budget: budget - 1) else { return nil }
                return (changed == nil ? original.content : own, original.size)
            }
            if ancestry[level].isWithout(file.route) { return nil }
            if changed == nil, ancestry[level].changes(file.route) { changed = name }
        }
        return nil
    }
}

/// A version with its routes in sorted order.
struct IndexedVersion {
    let spec: VersionSpec
    /// Indices of `spec.files`, sorted by route; of equal routes, the first one first.
    private let files: [Int]
    private let without: [String]
    private let changes: [String]

    init(_ spec: VersionSpec) {
        self.spec = spec
        files = spec.files.indices.sorted { left, right in
            let (first, second) = (spec.files[left].route.value, spec.files[right].route.value)
            if TextBytes.precedes(first, second) { return true }
            return left < right && TextBytes.areEqual(first, second)
        }
        without = spec.without.map(\.value).sorted(by: TextBytes.precedes)
        changes = spec.changes.map(\.value).sorted(by: TextBytes.precedes)
    }

    /// Index of the version's own declaration of a file.
    func file(at route: String) -> Int? {
        TextBytes.index(of: route, in: files.indices) { spec.files[files[$0]].route.value }.map { files[$0] }
    }

    func isWithout(_ route: String) -> Bool { Scenario.has(route, without) }

    func changes(_ route: String) -> Bool { Scenario.has(route, changes) }
}
