/// A ``CoverageTable`` as people read it: what has the most holes comes first.
package struct CoverageSummary: Sendable {
    /// One disturbance or one end of a process.
    package struct Line: Sendable {
        package var name: String
        /// For each circumstance in which it can happen, how often it has; in the order of the circumstances.
        package var counts: [(circumstance: Circumstance, count: Int)]

        package var holes: Int { counts.count { $0.count == 0 } }
        package var isHole: Bool { holes == counts.count }
    }

    package private(set) var lines: [Line] = []
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
            guard let circumstance = cell.circumstance else {
                causes.append((cell.name, count))
                continue
            }
            let name = cell.group == .end ? "process ends: \(cell.name)" : cell.name
            if lines.last?.name != name { lines.append(Line(name: name, counts: [])) }
            lines[lines.count - 1].counts.append((circumstance, count))
        }
        causes = causes.filter { $0.count == 0 } + causes.filter { $0.count > 0 }
        // Stable: of equally many holes in the order of the cells.
        lines = lines.enumerated().sorted {
            ($0.element.isHole ? 0 : 1, -$0.element.holes, $0.offset)
                < ($1.element.isHole ? 0 : 1, -$1.element.holes, $1.offset)
        }.map(\.element)
    }
}
