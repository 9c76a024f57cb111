import Core
import Updater

/// What a path of the store is for (storage.md, layout).
enum StoredFile: Hashable, Sendable {
    case recordA
    case recordB
    /// The lock, and the note of starts: nothing of an image.
    case unseen
    /// Nil: its name is no digest.
    case table(Digest256?)
    case partialManifest
    case partialFinished
    /// Nil: its name is no digest, as that of a note.
    case partial(Digest256?)
    case blob(Digest256)
    /// A place where the layout has no file.
    case stray

    var isRecord: Bool {
        switch self {
        case .recordA, .recordB: true
        case .unseen, .table, .partialManifest, .partialFinished, .partial, .blob, .stray: false
        }
    }

    init(_ path: DiskPath) {
        let text = path.text
        if let name = StoredFile.name(in: text, after: Layout.blobs) {
            let digest = name.utf8.count == 67 ? Digest256(hex: name.dropFirst(3)) : nil
            if let digest, StorePaths.blob(digest) == path { self = .blob(digest) } else { self = .stray }
        } else if let name = StoredFile.name(in: text, after: Layout.tables) {
            self = StoredFile.isFolder(name) ? .stray : .table(Digest256(hex: name))
        } else if let name = StoredFile.name(in: text, after: Layout.partial) {
            switch path {
            case StorePaths.partialManifest: self = .partialManifest
            case StorePaths.partialFinished: self = .partialFinished
            default: self = StoredFile.isFolder(name) ? .stray : .partial(Digest256(hex: name))
            }
        } else {
            switch path {
            case StorePaths.recordA: self = .recordA
            case StorePaths.recordB: self = .recordB
            case StorePaths.lock, StorePaths.starts: self = .unseen
            default: self = .stray
            }
        }
    }

    /// What the paths in a folder begin with.
    private enum Layout {
        static let blobs = Array((StorePaths.blobs.text + "/").utf8)
        static let tables = Array((StorePaths.tables.text + "/").utf8)
        static let partial = Array((StorePaths.partial.text + "/").utf8)
    }

    private static func name(in text: String, after beginning: [UInt8]) -> Substring? {
        guard text.utf8.starts(with: beginning) else { return nil }
        return text[text.utf8.index(text.startIndex, offsetBy: beginning.count)...]
    }

    private static func isFolder(_ name: Substring) -> Bool { name.utf8.contains(UInt8(ascii: "/")) }
}
