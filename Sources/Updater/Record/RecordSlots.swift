import Core

/// The two files that hold generations of the record (R8). A commit overwrites the older one, so that the
/// other is valid throughout.
///
/// After a failed sync neither is known to be durable as it reads, nor is its name: overwriting one could
/// leave none. The next two records are then written beside them, and take the older one's name when they
/// are durable.
struct RecordSlots: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case absent
        /// Exists, but is not readable as a record, or was left in an unknown state by a failed sync.
        case invalid
        /// Exists, but the disk could not read it: it may be readable again, as any generation.
        case unread
        case valid(generation: UInt64)
        /// Written by a newer format: not readable here, and not overwritten first (N2).
        case newer(generation: UInt64)

        var generation: UInt64? {
            switch self {
            case .absent, .invalid, .unread: nil
            case .valid(let generation), .newer(let generation): generation
            }
        }

        /// Whether a file is there that is no record as far as this process knows.
        var isUnusable: Bool { self == .invalid || self == .unread }
    }

    /// Added to the generation where a slot could not be read: more than it can be ahead of the other one.
    static let skippedGenerations: UInt64 = 1 << 20

    var a = Content.absent
    var b = Content.absent

    init(a: Content = .absent, b: Content = .absent) {
        self.a = a
        self.b = b
    }

    /// Path of the slot that a commit may overwrite: never the newest valid one, nor one that could not be
    /// read while the other is absent, because it may be readable again.
    var older: DiskPath {
        switch (a.generation, b.generation) {
        case (let first?, let second?): first < second ? StorePaths.recordA : StorePaths.recordB
        case (.some, nil): StorePaths.recordB
        case (nil, .some): StorePaths.recordA
        case (nil, nil): a.isUnusable && b == .absent ? StorePaths.recordB : StorePaths.recordA
        }
    }

    /// Whether neither can be read: what replaces one of them is then written beside it, so that a failure
    /// leaves what may be readable again.
    var areUnusable: Bool { a.isUnusable && b.isUnusable }

    /// Whether a slot could not be read and has not been overwritten since. Beside a record that this
    /// process has begun without one, it may count as the newer one as soon as it is readable again: a
    /// record that was begun so before has skipped as many generations.
    var hasUnread: Bool { a == .unread || b == .unread }

    /// Opens the older slot, to be written. Until its end the slot counts as invalid, so that an error leaves
    /// it to be created again by the next commit.
    /// - Parameter isBeside: whether it is to be written beside both slots, and replaces the older one at its
    ///   end.
    mutating func begin(_ record: StoreRecord, isBeside: Bool, _ disk: inout some Disk) throws(DiskError)
        -> SlotWriting
    {
        let path = older
        let previous = path == StorePaths.recordA ? a : b
        set(path, .invalid)
        if isBeside {
            _ = disk.removeQuietly(StorePaths.newRecord)
            let file = try disk.open(StorePaths.newRecord, .create)
            return SlotWriting(
                path: path, isBeside: true, generation: record.generation, isNew: true,
                writing: FileWriting(file, RecordCoding.encode(record)))
        }
        let isNew = previous.generation == nil
        if isNew, previous.isUnusable { _ = disk.removeQuietly(path) }
        let file = try disk.open(path, isNew ? .create : .update)
        return SlotWriting(
            path: path, isBeside: false, generation: record.generation, isNew: isNew,
            writing: FileWriting(file, RecordCoding.encode(record)))
    }

    /// The sync of the slot's file is over.
    /// - Throws: its error, or that of the close; the slot is then invalid. What was not synced is removed,
    ///   because this and later processes would read it although a power cut takes it back.
    mutating func end(_ slot: SlotWriting, after syncError: DiskError?, _ disk: inout some Disk)
        throws(DiskError)
    {
        if let syncError {
            disk.closeQuietly(slot.file)
            _ = disk.removeQuietly(slot.writtenPath)
            throw syncError
        }
        try disk.close(slot.file)
        if slot.isBeside { try disk.rename(slot.writtenPath, to: slot.path) }
        set(slot.path, .valid(generation: slot.generation))
    }

    /// The sync of the directory failed, so that the new name of the slot may be lost, although this and
    /// later processes would read it: it is removed. The next commit makes the same slot anew and leaves the
    /// other one alone. One that was written beside the slots stays: it replaced a record, and the other slot
    /// may not be durable.
    mutating func remove(_ slot: SlotWriting, _ disk: inout some Disk) {
        set(slot.path, .invalid)
        if slot.isBeside { return }
        _ = disk.removeQuietly(slot.path)
    }

    private mutating func set(_ path: DiskPath, _ content: Content) {
        if path == StorePaths.recordA { a = content } else { b = content }
    }
}

/// A record that is being written to one of the two slots.
struct SlotWriting: Sendable {
    let path: DiskPath
    /// Whether it is written beside the slots and renamed at its end.
    let isBeside: Bool
    let generation: UInt64
    /// Whether the name is new, so that the store's directory must be synced too.
    let isNew: Bool
    private var writing: FileWriting

    init(path: DiskPath, isBeside: Bool, generation: UInt64, isNew: Bool, writing: FileWriting) {
        self.path = path
        self.isBeside = isBeside
        self.generation = generation
        self.isNew = isNew
        self.writing = writing
    }

    var file: FileHandle { writing.file }

    /// Path under which the file is written.
    var writtenPath: DiskPath { isBeside ? StorePaths.newRecord : path }

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
