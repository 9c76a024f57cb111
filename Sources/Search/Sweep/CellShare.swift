import Core

/// Which files try which cells when each cell is tried in a few files, and not in all that have it: then the
/// length of a sweep follows from the number of different cells, not from the size of the library.
///
/// Promises: each cell is tried in as many files as are asked for, or in all that have it if those are
/// fewer. The choice depends on cells, paths and seed alone, so that all shards make the same one, and
/// another seed makes another.
package struct CellShare: Sendable {
    /// By path; in it are ids of cells (``SweepCell/id``).
    private var cells: [String: Set<UInt64>] = [:]

    /// - Parameters:
    ///   - files: each file with the ids of its cells.
    ///   - filesPerCell: at least 1.
    package init(_ files: [(path: String, cells: Set<UInt64>)], filesPerCell: Int, seed: UInt64) {
        var owners: [UInt64: [(rank: UInt64, file: Int)]] = [:]
        for (index, file) in files.enumerated() {
            cells[file.path] = []
            for cell in file.cells {
                let rank = KeyedHash.hash(of: file.path.utf8, key: KeyedHash.Key(low: seed, high: cell))
                owners[cell, default: []].append((rank, index))
            }
        }
        for (cell, owners) in owners {
            for owner in owners.sorted(by: { $0 < $1 }).prefix(filesPerCell) {
                cells[files[owner.file].path]?.insert(cell)
            }
        }
    }

    /// The cells that a file tries; nil for a file whose cells are not known, which tries all.
    package subscript(path: String) -> Set<UInt64>? { cells[path] }
}
