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

    /// Opens the older slot, to be written. Until its end the slot counts as invalid, so that an error leaves
    /// it to be created again by the next commit.
    mutating func begin(_ record: StoreRecord, _ disk: inout some Disk) throws(DiskError) -> SlotWriting {
        let path = older
        let previous = path == StorePaths.recordA ? a : b
        set(path, .invalid)
        let isNew = previous.generation == nil
        if isNew, previous == .invalid { _ = disk.removeQuietly(path) }
        let file = try disk.open(path, isNew ? .create : .update)
        return SlotWriting(
            path: path, generation: record.generation, isNew: isNew,
            writing: FileWriting(file, RecordCoding.encode(record)))
    }

    /// The sync of the slot's file is over.
    /// - Throws: its error, or that of the close; the slot is then invalid.
    mutating func end(_ slot: SlotWriting, after syncError: DiskError?, _ disk: inout some Disk)
        throws(DiskError)
    {
        if let syncError {
            disk.closeQuietly(slot.file)
            throw syncError
        }
        try disk.close(slot.file)
        set(slot.path, .valid(generation: slot.generation))
    }

    /// The sync of the directory failed, so that the new name of the slot may be lost, although this and
    /// later processes would read it: it is removed. The next commit makes the same slot anew and leaves the
    /// other one alone.
    mutating func remove(_ slot: SlotWriting, _ disk: inout some Disk) {
        set(slot.path, .invalid)
        _ = disk.removeQuietly(slot.path)
    }

    private mutating func set(_ path: DiskPath, _ content: Content) {
        if path == StorePaths.recordA { a = content } else { b = content }
    }
}

/// A record that is being written to one of the two slots.
struct SlotWriting: Sendable {
    let path: DiskPath
    let generation: UInt64
    /// Whether the name is new, so that the store's directory must be synced too.
    let isNew: Bool
    private var writing: FileWriting

    init(path: DiskPath, generation: UInt64, isNew: Bool, writing: FileWriting) {
        self.path = path
        self.generation = generation
        self.isNew = isNew
        self.writing = writing
    }

    var file: FileHandle { writing.file }

    /// - Returns: true if everything is written, so that the file can be synced.
    /// - Throws: the disk's error; the file is closed then.
    mutating func step(_ disk: inout some Disk) throws(DiskError) -> Bool {
        do throws(DiskError) {
            guard try writing.step(&disk) else { return false }
            if !isNew { try disk.truncate(file, to: writing.count) }
            return true
        } catch {
            disk.closeQuietly(file)
            throw error
        }
    }
}
