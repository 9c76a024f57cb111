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
        switch path.parent {
        case StorePaths.root:
            switch path {
            case StorePaths.recordA: self = .recordA
            case StorePaths.recordB: self = .recordB
            case StorePaths.lock, StorePaths.starts: self = .unseen
            default: self = .stray
            }
        case StorePaths.tables: self = .table(Digest256(hex: path.name))
        case StorePaths.partial:
            switch path {
            case StorePaths.partialManifest: self = .partialManifest
            case StorePaths.partialFinished: self = .partialFinished
            default: self = .partial(Digest256(hex: path.name))
            }
        default:
            let digest = Digest256(hex: path.name)
            if let digest, StorePaths.blob(digest) == path { self = .blob(digest) } else { self = .stray }
        }
    }
}
