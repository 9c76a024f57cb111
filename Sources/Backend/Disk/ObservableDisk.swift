import Core

/// A data volume as an observer sees it, without a call of the app: what processes read now, and what is
/// durable.
///
/// Promises of an observable disk
/// - Observing changes nothing: no call is counted, takes time or fails by a fault.
/// - A path keeps its index for as long as the disk exists.
/// - If ``revision`` is the same as before, both images are the same as before.
package protocol ObservableDisk: Sendable {
    /// Grows with every call that may have changed something; never goes back.
    var revision: Int { get }

    /// Paths that calls have touched since a revision, oldest first, and the current revision. `changes` is
    /// nil if the disk does not know them; the caller has to compare everything then.
    func changes(since revision: Int) -> (changes: [DiskChange]?, revision: Int)

    /// The path that a ``DiskChange/pathIndex`` stands for.
    func path(at index: Int) -> DiskPath

    /// The index of a path; nil if no call has named it.
    func index(of path: DiskPath) -> Int?

    /// All files at and beneath a path, sorted by the bytes of their paths.
    func files(under path: DiskPath, in image: DiskImage) -> [DiskPath]

    /// The content of a file; nil if no file is there.
    /// - Parameter isPristine: leaves damage of the medium out.
    func content(of path: DiskPath, in image: DiskImage, isPristine: Bool) -> FileContent?

    /// The content of the file whose path has this index.
    func content(at index: Int, in image: DiskImage, isPristine: Bool) -> FileContent?

    /// Paths of the files that the process has open, without locks: a path for each handle.
    var openPaths: [DiskPath] { get }
}

/// One of the two images of a disk.
package enum DiskImage: Hashable, Sendable, CaseIterable {
    /// What processes see.
    case live
    /// What is certainly on the medium: what a power cut leaves if no pending operation survives.
    case durable
}

/// A path of the data volume that a call touched.
package struct DiskChange: Hashable, Sendable {
    /// Index that the disk gave the path; the same path always has the same one.
    package let pathIndex: Int
    /// Whether the call was a sync, after which earlier changes may be durable.
    package let isSync: Bool

    package init(pathIndex: Int, isSync: Bool) {
        self.pathIndex = pathIndex
        self.isSync = isSync
    }
}

/// The disk type of a backend whose disks can't be observed. It has no values:
/// ``Backend/withDisk(of:_:)`` returns nil.
package enum HiddenDisk: ObservableDisk {
    package var revision: Int { switch self {} }
    package func changes(since revision: Int) -> (changes: [DiskChange]?, revision: Int) { switch self {} }
    package func path(at index: Int) -> DiskPath { switch self {} }
    package func index(of path: DiskPath) -> Int? { switch self {} }
    package func files(under path: DiskPath, in image: DiskImage) -> [DiskPath] { switch self {} }
    package func content(of path: DiskPath, in image: DiskImage, isPristine: Bool) -> FileContent? {
        switch self {}
    }
    package func content(at index: Int, in image: DiskImage, isPristine: Bool) -> FileContent? {
        switch self {}
    }
    package var openPaths: [DiskPath] { switch self {} }
}
