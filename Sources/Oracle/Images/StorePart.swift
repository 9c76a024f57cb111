import Core

/// A part of the updater's store, for counting what a scenario damages.
package enum StorePart: String, CaseIterable, Hashable, Sendable {
    case record, starts, table, content, download, other

    /// - Parameter path: path on the data volume.
    package init(path: String) {
        switch StoredFile(DiskPath(.data, path)) {
        case .recordA, .recordB: self = .record
        case .notInImage: self = .starts
        case .table: self = .table
        case .blob: self = .content
        case .partial, .note, .partialManifest, .partialFinished: self = .download
        case .stray: self = .other
        }
    }
}
