/// A small synchronous file system with POSIX semantics and typed errors: the only dependency that the
/// shipped modules call directly. It has no syncs, because these may take seconds: they are effects, which a
/// shell performs beside the steps (``SyncTarget``).
///
/// Guarantees, the same on a device and in the laboratory:
/// - Every call succeeds completely or throws; only ``write(_:_:at:)`` may accept fewer bytes than offered.
/// - The effect of a call survives the end of the process. It survives a power cut only after a sync of the
///   file *and* of every directory that got a new name.
/// - ``list(_:)`` returns names in any order; a caller that depends on an order sorts them.
/// - A removed or replaced file stays readable through the handles that are open on it.
///
/// Errors are a ``DiskError``; `inputOutput` never means "absent". After a failed sync the
/// content of the file is unknown: delete it and write it anew, never sync it a second time.
///
/// Deliberately not here: paths as text from outside (``DiskPath`` says why), memory mapping, links,
/// times and modes of files, waiting.
public protocol Disk {
    /// Opens a file. `create` creates a new, empty one and throws `exists` when the name is taken.
    mutating func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> FileHandle

    /// Closes the handle. May report an error of earlier writes; the handle is closed nevertheless.
    mutating func close(_ file: FileHandle) throws(DiskError)

    /// Reads at most `count` bytes from `offset`; fewer only at the end of the file.
    mutating func read(_ file: FileHandle, at offset: Int, count: Int) throws(DiskError) -> [UInt8]

    /// Writes at `offset`.
    /// - Returns: number of bytes accepted: at least one, maybe not all.
    mutating func write(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError)
        -> Int

    /// Sets the file's length to `size` bytes; new bytes are zero.
    mutating func truncate(_ file: FileHandle, to size: Int) throws(DiskError)

    /// Length of the open file in bytes.
    mutating func size(_ file: FileHandle) throws(DiskError) -> Int

    /// Kind and size of the file with a name.
    mutating func status(_ path: DiskPath) throws(DiskError) -> FileStatus

    /// The names in a directory, in any order, without `.` and `..`.
    mutating func list(_ path: DiskPath) throws(DiskError) -> [String]

    /// Creates a directory; throws `exists` when the name is taken.
    mutating func makeDirectory(_ path: DiskPath) throws(DiskError)

    /// Replaces an existing *file* at `target` atomically for observers; throws `crossDevice` between
    /// volumes.
    mutating func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError)

    /// Removes a file's name.
    mutating func remove(_ path: DiskPath) throws(DiskError)

    /// Removes an empty directory.
    mutating func removeDirectory(_ path: DiskPath) throws(DiskError)

    /// Takes an exclusive lock on a file, made if absent; held until closed or the process ends.
    /// Throws `locked` when another process holds it.
    mutating func lock(_ path: DiskPath) throws(DiskError) -> FileHandle

    /// Free bytes on the volume, as its file system reports them.
    mutating func freeSpace(_ volume: Volume) throws(DiskError) -> UntrustedInteger
}

/// A disk with syncs, as a shell sees it.
public protocol SyncingDisk: Disk {
    /// Makes data and length of the file durable (`fsync`; `F_FULLFSYNC` on Apple's systems).
    mutating func sync(_ file: FileHandle) throws(DiskError)

    /// Makes the names in the directory durable.
    mutating func syncDirectory(_ path: DiskPath) throws(DiskError)
}

extension SyncingDisk {
    /// Performs a sync.
    /// - Returns: nil if everything that it covers is durable.
    public mutating func sync(_ target: SyncTarget) -> DiskError? {
        do throws(DiskError) {
            switch target {
            case .file(let file): try sync(file)
            case .directory(let path): try syncDirectory(path)
            }
            return nil
        } catch {
            return error
        }
    }
}

/// How a file is opened. No mode truncates: a file that is rewritten in place can lose its old content to
/// a power cut before the new content is durable.
public enum OpenMode: Hashable, Sendable {
    /// An existing file, for reading; throws `notFound` when there is none.
    case read
    /// An existing file, for reading and writing; throws `notFound` when there is none.
    case update
    /// A new file, for reading and writing; throws `exists` when the name is taken.
    case create
}

/// An open file of this process; not valid in any other process.
public struct FileHandle: Hashable, Sendable {
    /// Number that the disk chose, for example a file descriptor.
    public let id: Int32

    public init(id: Int32) { self.id = id }
}

/// Kind and size of a file.
public struct FileStatus: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case file, directory, other }

    public var kind: Kind
    /// Size of a file in bytes; 0 for anything else.
    public var size: Int

    public init(kind: Kind, size: Int) {
        self.kind = kind
        self.size = size
    }
}
