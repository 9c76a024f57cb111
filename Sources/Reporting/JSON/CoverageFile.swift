import Core
import Runner

/// The file of `--coverage`: which cells were reached and how often, one line each, so that a difference
/// between two files is easy to read. `--require-coverage` reads it.
///
/// Guarantees: equal coverage gives equal bytes; what was written is read back equal. A cell that this
/// program does not know is an error with its position, because a gate that skips what it can't read proves
/// nothing.
package enum CoverageFile {
    package static let schema = "otalab-coverage-1"

    package static func bytes(_ table: CoverageTable) -> [UInt8] {
        shape.document(Content(cells: table.entries), schema: schema, wall: false)
    }

    package static func read(_ bytes: [UInt8]) throws(ResultsFault) -> CoverageTable {
        CoverageTable(try ResultsJSON.read(bytes, shape, schema: schema, name: "file of --coverage").cells)
    }

    private struct Content: Sendable {
        var cells: [CoverageCount]
    }

    private static let shape = JSONShape<Content>(
        name: "coverage file", doc: "Coverage cells that were reached.",
        blank: { Content(cells: []) },
        fields: [
            .required("cells", \.cells, .list(ResultsShapes.cell.form), "In the order of the page Coverage.")
        ])
}
