import Core
import Updater

/// What a path of the store is for (`StorePaths`).
enum StoredFile: Hashable, Sendable {
    case recordA
    case recordB
    /// The lock and the starts file, which no image shows.
    case notInImage
    /// Nil if its name is no digest.
    case table(Digest256?)
    case partialManifest
    case partialFinished
    /// Nil if its name is no digest.
    case partial(Digest256?)
    /// What is noted beside the partial file of this name.
    case note(of: Digest256)
    case blob(Digest256)
    /// A path that the layout does not know.
    case stray

    var isRecord: Bool {
        switch self {
        case .recordA, .recordB: true
        case .notInImage, .table, .partialManifest, .partialFinished, .partial, .note, .blob, .stray: false
        }
    }

    init(_ path: DiskPath) {
        let text = path.text
        if let name = StoredFile.name(in: text, after: FolderPrefix.blobs) {
            let digest = name.utf8.count == 67 ? Digest256(hex: name.dropFirst(3)) : nil
            if let digest, StorePaths.blob(digest) == path { self = .blob(digest) } else { self = .stray }
        } else if let name = StoredFile.name(in: text, after: FolderPrefix.tables) {
            self = StoredFile.isFolder(name) ? .stray : .table(Digest256(hex: name))
        } else if let name = StoredFile.name(in: text, after: FolderPrefix.partial) {
            switch path {
            case StorePaths.partialManifest: self = .partialManifest
            case StorePaths.partialFinished: self = .partialFinished
            default: self = StoredFile.isFolder(name) ? .stray : StoredFile.part(name)
            }
        } else {
            switch path {
            case StorePaths.recordA: self = .recordA
            case StorePaths.recordB: self = .recordB
            case StorePaths.lock, StorePaths.starts, StorePaths.newStarts, StorePaths.newRecord:
                self = .notInImage
            default: self = .stray
            }
        }
    }

    private static func part(_ name: Substring) -> StoredFile {
        let part = StorePaths.partialName(name)
        guard let key = Digest256(hex: part) else { return .partial(nil) }
        return part == name ? .partial(key) : .note(of: key)
    }

    /// UTF-8 prefixes of the paths in each folder.
    private enum FolderPrefix {
        static let blobs = Array((StorePaths.blobs.text + "/").utf8)
        static let tables = Array((StorePaths.tables.text + "/").utf8)
        static let partial = Array((StorePaths.partial.text + "/").utf8)
    }

    private static func name(in text: String, after prefix: [UInt8]) -> Substring? {
        guard text.utf8.starts(with: prefix) else { return nil }
        return text[text.utf8.index(text.startIndex, offsetBy: prefix.count)...]
    }

    private static func isFolder(_ name: Substring) -> Bool { name.utf8.contains(UInt8(ascii: "/")) }
}
