import Core

/// The inheritance between the versions of a scenario, and the routes of each version, computed once.
///
/// Guarantees: linear time in the size of the file, also when a thousand versions inherit one from the
/// other; a circle of `from` ends. Versions are given by their index in the scenario.
struct VersionTree {
    private let versions: [VersionSpec]
    private let indices: LookupTable<String, Int>
    /// Index of the version in `from`, for each version.
    private let parents: [Int?]
    /// Routes computed so far, for each version.
    private var known: [[String]?]

    init(_ versions: [VersionSpec]) {
        self.versions = versions
        // Of two equal names, the first one counts.
        let indices = LookupTable(versions.indices.reversed().map { (versions[$0].name.value, $0) })
        self.indices = indices
        parents = versions.indices.map { index in versions[index].from.flatMap { indices[$0.value] } }
        known = Array(repeating: nil, count: versions.count)
    }

    func index(of name: String) -> Int? { indices[name] }

    /// Whether `from` leads from a version back to itself.
    func isInCircle(_ index: Int) -> Bool {
        var next = parents[index]
        for _ in versions.indices {
            guard let here = next else { return false }
            if here == index { return true }
            next = parents[here]
        }
        return false
    }

    /// Whether a version inherits from a real build, whose files are known only when the build is read.
    func inheritsFolder(_ index: Int) -> Bool {
        var next = parents[index]
        for _ in versions.indices {
            guard let here = next else { return false }
            if versions[here].folder != nil { return true }
            next = parents[here]
        }
        return false
    }

    /// Routes that a version inherits, sorted by bytes.
    mutating func inherited(_ index: Int) -> [String] { parents[index].map { routes(of: $0) } ?? [] }

    /// All routes of a version, its own and the inherited ones, sorted by bytes. In a circle of `from`, the
    /// routes of all its versions.
    mutating func routes(of index: Int) -> [String] {
        // The versions from this one up to the nearest whose routes are known.
        var line: [Int] = []
        var next: Int? = index
        while let here = next, known[here] == nil, line.count <= versions.count {
            line.append(here)
            next = parents[here]
        }
        let isCircle = line.count > versions.count
        var routes = next.flatMap { known[$0] } ?? []
        for here in line.reversed() {
            routes = VersionTree.merged(routes, ownRoutes(here))
            let without = versions[here].without
            if !without.isEmpty {
                routes.removeAll { route in without.contains { TextBytes.areEqual($0.value, route) } }
            }
            if !isCircle { known[here] = routes }
        }
        return routes
    }

    private func ownRoutes(_ index: Int) -> [String] {
        versions[index].files.map(\.route.value).sorted(by: TextBytes.precedes)
    }

    /// Merges two sorted lists, each text once.
    private static func merged(_ left: [String], _ right: [String]) -> [String] {
        if left.isEmpty { return right }
        if right.isEmpty { return left }
        var all: [String] = []
        all.reserveCapacity(left.count + right.count)
        var (one, two) = (0, 0)
        while one < left.count, two < right.count {
            if TextBytes.precedes(right[two], left[one]) {
                all.append(right[two])
                two += 1
            } else {
                if TextBytes.areEqual(left[one], right[two]) { two += 1 }
                all.append(left[one])
                one += 1
            }
        }
        return all + left[one...] + right[two...]
    }
}
