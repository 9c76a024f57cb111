import Core

/// The two files that hold generations of the record (R8). A commit overwrites the older one, so that the
/// other is valid throughout.
struct RecordSlots: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case absent
        /// Exists, but is not readable as a record, or was left in an unknown state by a failed sync.
        case invalid
        case valid(generation: UInt64)
        /// Written by a newer format: not readable here, and not overwritten first (N2).
        case newer(generation: UInt64)

        var generation: UInt64? {
            switch self {
            case .absent, .invalid: nil
            case .valid(let generation), .newer(let generation): generation
            }
        }
    }

    var a = Content.absent
    var b = Content.absent
    /// The slot written last.
    private var last: DiskPath?

    init(a: Content = .absent, b: Content = .absent) {
        self.a = a
        self.b = b
    }

    /// Path of the slot that a commit may overwrite: never the newest valid one.
    var older: DiskPath {
        switch (a.generation, b.generation) {
        case (let first?, let second?): first < second ? StorePaths.recordA : StorePaths.recordB
        case (.some, nil): StorePaths.recordB
        case (nil, _): StorePaths.recordA
        }
    }

    /// Writes and syncs the older slot.
    /// - Returns: true if the name is new, so that the store's directory must be synced too.
    /// - Throws: the disk's error; the slot is then invalid and is created again by the next commit.
    mutating func write(_ record: StoreRecord, _ disk: inout some Disk) throws(DiskError) -> Bool {
        let path = older
        last = path
        let previous = path == StorePaths.recordA ? a : b
        set(path, .invalid)
        let isNew = previous.generation == nil
        if isNew, previous == .invalid { _ = disk.removeQuietly(path) }
        let file = try disk.open(path, isNew ? .create : .update)
        let bytes = RecordCoding.encode(record)
        do {
            try disk.writeAll(file, bytes, at: 0)
            if !isNew { try disk.truncate(file, to: bytes.count) }
            try disk.sync(file)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
        set(path, .valid(generation: record.generation))
        return isNew
    }

    /// The sync of the directory failed, so that the new name of the slot written last may be lost, although
    /// this and later processes would read it: it is removed. The next commit makes the same slot anew and
    /// leaves the other one alone.
    mutating func removeLast(_ disk: inout some Disk) {
        guard let last else { return }
        set(last, .invalid)
        _ = disk.removeQuietly(last)
    }

    private mutating func set(_ path: DiskPath, _ content: Content) {
        if path == StorePaths.recordA { a = content } else { b = content }
    }
}
