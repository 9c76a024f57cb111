import Core

/// What a disk error says about the file that a call was for. Only ``absent``, and content that was read
/// whole and is wrong, change what the record says about a version: any other error may be gone at the next
/// try, and a device that forgot a good version for it would run an older one from then on (R10).
enum DiskErrorClass: Hashable, Sendable {
    /// Nothing has that name (ENOENT, ENOTDIR).
    case absent
    /// The device has no room (ENOSPC, EDQUOT). Files that exist can be read.
    case full
    /// The volume can't be written (EROFS). Files that exist can be read.
    case readOnly
    /// Says nothing about the content: locked device, descriptors or memory used up, one failed read. The
    /// call is tried again.
    case transient
}

extension DiskError {
    var errorClass: DiskErrorClass {
        switch code {
        case .notFound, .notADirectory: .absent
        // A call that only reads needs neither room nor permission to write.
        case .noSpace, .quota: call.onlyReads ? .transient : .full
        case .readOnly: call.onlyReads ? .transient : .readOnly
        case .inputOutput, .denied, .tooManyOpen, .interrupted, .locked, .noMemory, .exists, .isADirectory,
            .notEmpty, .crossDevice, .nameTooLong, .badHandle, .invalid, .other:
            .transient
        // The limit of a file's size.
        case .tooBig: call.onlyReads ? .transient : .full
        }
    }

    /// The sync of a file or directory failed.
    var isOfSync: Bool { call == .sync || call == .syncDirectory }

    /// The file is longer than what this updater writes: it was read, and is not what it should be
    /// (``FileReading``). An error of the disk's own call has no path, because it is for a handle.
    var isTooLong: Bool { code == .tooBig && call == .read && path != nil }
}

extension DiskCall {
    fileprivate var onlyReads: Bool {
        switch self {
        case .read, .size, .status, .list, .close, .freeSpace: true
        case .open, .write, .truncate, .sync, .syncDirectory, .makeDirectory, .rename, .remove,
            .removeDirectory, .lock:
            false
        }
    }
}
