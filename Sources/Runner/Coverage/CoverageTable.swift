import Oracle

/// How often runs have reached each ``CoverageCell``, so that a search without findings says how much it has
/// tried.
package struct CoverageTable: Hashable, Sendable {
    package private(set) var counts: [CoverageCell: Int] = [:]

    package init() {}

    package init(_ entries: [CoverageCount]) {
        for entry in entries { add(entry.cell, entry.count) }
    }

    package mutating func add(_ cell: CoverageCell, _ count: Int = 1) { counts[cell, default: 0] += count }

    package mutating func add(_ other: CoverageTable) {
        counts.merge(other.counts) { $0 + $1 }
    }

    package mutating func add(_ decisions: [DecisionCount]) {
        for decision in decisions where decision.count > 0 {
            add(CoverageCell(.decision, decision.id), decision.count)
        }
    }

    package var isEmpty: Bool { counts.isEmpty }

    /// Reached cells in the order of ``CoverageCell/all``.
    package var entries: [CoverageCount] {
        counts.sorted { $0.key < $1.key }.map { CoverageCount(cell: $0.key, count: $0.value) }
    }

    /// Cells that were reached and are not in ``CoverageCell/all``, in their order: that list is wrong.
    package var unexpected: [CoverageCell] { counts.keys.filter { $0.index == nil }.sorted() }
}

/// How often a cell was reached.
package struct CoverageCount: Hashable, Sendable {
    package var cell: CoverageCell
    package var count: Int

    package init(cell: CoverageCell, count: Int) {
        self.cell = cell
        self.count = count
    }
}

extension CoverageTable {
    /// For another process of the same program: lines with an index in ``CoverageCell/all``, or the text of a
    /// cell that is not in it, and a count.
    package var encoded: String {
        counts.map { cell, count in "\(cell.index.map { "\($0)" } ?? cell.text)\t\(count)" }
            .joined(separator: "\n")
    }

    /// - Returns: nil if the text is not of the form of ``encoded``.
    package init?(encoded text: String) {
        self.init()
        for line in text.split(separator: "\n") {
            let sides = line.split(separator: "\t")
            guard sides.count == 2, let count = Int(sides[1]) else { return nil }
            if let index = Int(sides[0]), CoverageCell.all.indices.contains(index) {
                add(CoverageCell.all[index], count)
            } else if let cell = CoverageCell(String(sides[0])) {
                add(cell, count)
            } else {
                return nil
            }
        }
    }
}
