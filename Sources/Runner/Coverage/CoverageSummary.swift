/// A ``CoverageTable`` as people read it: what has the most holes comes first.
package struct CoverageSummary: Sendable {
    /// One disturbance or one end of a process.
    package struct Line: Sendable {
        package var name: String
        /// For each circumstance in which it can happen, how often it has; in the order of the circumstances.
        package var counts: [(circumstance: Circumstance, count: Int)]

        package var holes: Int { counts.count { $0.count == 0 } }
    }

    /// Decisions about one rule.
    package struct RuleLine: Sendable {
        /// Id of the rule.
        package var rule: String
        /// For the rule, and for each clause that an oracle decides apart, how often; those without a
        /// decision first.
        package var counts: [(id: String, count: Int)]

        package var sum: Int { counts.reduce(0) { $0 + $1.count } }
    }

    package private(set) var lines: [Line] = []
    /// Rules without any decision first, then those with the most clauses without one.
    package private(set) var rules: [RuleLine] = []
    /// All log causes, those that were never logged first.
    package private(set) var causes: [(name: String, count: Int)] = []
    /// Cells that can't be reached by the list of all cells, and were: the list is wrong.
    package let unexpected: [CoverageCell]
    /// Numbers of cells that were reached, and of all.
    package let reached: Int
    package let all = CoverageCell.all.count

    package init(_ table: CoverageTable) {
        unexpected = table.unexpected
        reached = CoverageCell.all.count { table.counts[$0] != nil }
        for cell in CoverageCell.all {
            let count = table.counts[cell] ?? 0
            if cell.group == .decision {
                add(cell.name, count)
                continue
            }
            guard let circumstance = cell.circumstance else {
                causes.append((cell.name, count))
                continue
            }
            let name = cell.group == .end ? "process ends: \(cell.name)" : cell.name
            if lines.last?.name != name { lines.append(Line(name: name, counts: [])) }
            lines[lines.count - 1].counts.append((circumstance, count))
        }
        causes = CoverageSummary.holesFirst(causes, \.count)
        for index in rules.indices {
            rules[index].counts = CoverageSummary.holesFirst(rules[index].counts, \.count)
        }
        lines = CoverageSummary.sorted(lines) { $0.counts.map(\.count) }
        rules = CoverageSummary.sorted(rules) { $0.counts.map(\.count) }
    }

    private mutating func add(_ id: String, _ count: Int) {
        let rule = String(id.prefix { $0 != "." })
        if rules.last?.rule != rule { rules.append(RuleLine(rule: rule, counts: [])) }
        rules[rules.count - 1].counts.append((id, count))
    }

    private static func holesFirst<Element>(
        _ elements: [Element], _ count: (Element) -> Int
    ) -> [Element] {
        elements.filter { count($0) == 0 } + elements.filter { count($0) > 0 }
    }

    /// What is a hole as a whole comes first, then what has the most holes; of equally many in the order of
    /// the cells.
    private static func sorted<Element>(_ elements: [Element], _ counts: (Element) -> [Int]) -> [Element] {
        let keys = elements.enumerated().map { offset, element in
            let counts = counts(element)
            let holes = counts.count { $0 == 0 }
            return (holes == counts.count ? 0 : 1, -holes, offset)
        }
        return keys.sorted(by: <).map { elements[$0.2] }
    }
}
