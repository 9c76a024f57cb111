import Foundation

/// Files and folders through system calls, because error messages need the system's reason.
enum PlainFile {
    /// Writes a file, replacing an old one; creates missing parent folders.
    static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
        try write(to: path) { (sink: ReportFormat.Sink) throws(ReportError) in try sink(bytes) }
    }

    /// Writes a file in parts.
    static func write(
        to path: String, _ fill: (ReportFormat.Sink) throws(ReportError) -> Void
    ) throws(ReportError) {
        try makeFolder(parent(path))
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        guard file >= 0 else { throw failure(path) }
        do throws(ReportError) {
            try fill { (bytes) throws(ReportError) in try append(bytes, to: file, path) }
        } catch {
            close(file)
            throw error
        }
        // Some systems report only here that the disk is full.
        guard close(file) == 0 else { throw failure(path) }
    }

    private static func append(_ bytes: [UInt8], to file: Int32, _ path: String) throws(ReportError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Writes a file beside its final name and renames it when it is complete, so that a process that is
    /// killed leaves no half file under that name. What is there and is no plain file (a pipe, a link) is
    /// written in place.
    static func replace(
        _ path: String, _ fill: (ReportFormat.Sink) throws(ReportError) -> Void
    ) throws(ReportError) {
        if exists(path), !isPlain(path) { return try write(to: path, fill) }
        let temporary = PlainFile.temporary(path)
        do throws(ReportError) {
            try write(to: temporary, fill)
            try move(temporary, to: path)
        } catch {
            unlink(temporary)
            throw ReportError(path: path, why: error.why)
        }
    }

    /// Creates a folder with its parents, unless it exists.
    static func makeFolder(_ path: String) throws(ReportError) {
        if path.isEmpty || isFolder(path) { return }
        try makeFolder(parent(path))
        guard mkdir(path, 0o777) != 0 else { return }
        let reason = errno
        // Another process may have created it meanwhile.
        if reason == EEXIST, isFolder(path) { return }
        errno = reason == EEXIST ? ENOTDIR : reason
        throw failure(path)
    }

    /// Renames a file; an existing target is replaced atomically.
    static func move(_ path: String, to target: String) throws(ReportError) {
        guard rename(path, target) == 0 else { throw failure(target) }
    }

    /// Renames a folder, unless the target exists and is not empty.
    ///
    /// - Returns: whether it was renamed; false when the name is taken.
    static func claim(_ path: String, as target: String) throws(ReportError) -> Bool {
        if rename(path, target) == 0 { return true }
        if [EEXIST, ENOTEMPTY, ENOTDIR, EISDIR].contains(errno), exists(target) { return false }
        throw failure(target)
    }

    /// Whether there is a file, folder or link; links are not followed.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func isLink(_ path: String) -> Bool { kind(path) == S_IFLNK }

    private static func isPlain(_ path: String) -> Bool { kind(path) == S_IFREG }

    private static func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// A unique name in the same folder, for what is renamed when it is complete.
    static func temporary(_ path: String) -> String {
        "\(path).\(getpid())-\(UUID().uuidString.prefix(8)).unfinished"
    }

    /// Runs `work` while no other process has the lock of this folder; without a lock where the system has
    /// none.
    static func withLock<Failure>(_ folder: String, _ work: () throws(Failure) -> Void) throws(Failure) {
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        if handle >= 0 { while flock(handle, LOCK_EX) != 0, errno == EINTR {} }
        // Closing the descriptor releases the lock, also when this process dies.
        defer { if handle >= 0 { close(handle) } }
        try work()
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func parent(_ path: String) -> String {
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = bare.lastIndex(of: "/") else { return "" }
        return slash == bare.startIndex ? "/" : String(bare[..<slash])
    }

    private static func failure(_ path: String) -> ReportError {
        ReportError(path: path, why: String(cString: strerror(errno)))
    }
}
