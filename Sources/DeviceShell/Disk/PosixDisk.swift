import Core

/// The disk of a real device: each volume is a folder of the file system, each operation a few system calls.
///
/// Guarantees
/// - Semantics and error codes are those of ``Disk``; tests compare it with the simulated disk call by call.
/// - No call leaves its volume: paths are checked component by component and opened relative to the root's
///   descriptor; a symlink as the last component is never followed.
/// - The package volume is read-only, even where its folder is writable.
/// - A sync reaches the storage medium: `F_FULLFSYNC` on Apple's systems, `fsync` elsewhere.
/// - Interrupted calls are repeated; descriptors are not inherited by child processes; `deinit` closes all.
///
/// Errors are the system's `errno` as a ``DiskError``. Deliberately not here: protection against symlinks
/// that another process creates in the middle of a path, because both folders belong to the app alone.
///
/// One thread at a time. A sync can take seconds; for another thread there is a ``PendingSync``, which needs
/// nothing of the disk any more (``pendingSync(of:)``).
public final class PosixDisk: SyncingDisk {
    private let data: Int32
    private let package: Int32?
    private let access: Access
    private var openFiles: [OpenFile] = []
    /// Size of the file that the last call opened, so that ``size(_:)`` right after it needs no system call.
    private var justOpened: (descriptor: Int32, size: Int)?

    /// Who may read what the disk creates; the process's umask takes away from it.
    public enum Access: Sendable {
        /// The app alone, as its data.
        case own
        /// Everyone, as what a web server serves.
        case everyone

        fileprivate var file: UInt32 { self == .own ? 0o600 : 0o644 }
        fileprivate var folder: UInt32 { self == .own ? 0o700 : 0o755 }
    }

    /// Opens the two folders, which must exist.
    /// - Parameters:
    ///   - data: path of the folder for the data volume.
    ///   - package: path of the folder for the package volume; without it every path there is `notFound`.
    ///   - access: who may read new files and folders.
    /// - Throws: ``DiskError`` when a folder can't be opened.
    public init(data: String, package: String? = nil, access: Access = .own) throws(DiskError) {
        self.access = access
        self.data = try PosixDisk.openRoot(data, .data)
        guard let package else {
            self.package = nil
            return
        }
        do {
            self.package = try PosixDisk.openRoot(package, .package)
        } catch {
            SystemCalls.closeQuietly(self.data)
            throw error
        }
    }

    deinit {
        for file in openFiles { SystemCalls.closeQuietly(file.descriptor) }
        SystemCalls.closeQuietly(data)
        if let package { SystemCalls.closeQuietly(package) }
    }

    /// File descriptor of a handle, for `sendfile`; nil when the handle is not open.
    public func descriptor(of file: FileHandle) -> Int32? {
        openFiles.contains { $0.descriptor == file.id } ? file.id : nil
    }

    // MARK: - Files

    public func open(_ path: DiskPath, _ mode: OpenMode) throws(DiskError) -> FileHandle {
        let root = try root(path, .open)
        if mode != .read { try checkWritable(path, .open) }
        if path.text.isEmpty { throw DiskError(mode == .create ? .exists : .isADirectory, .open, path) }
        return try on(path, .open) { () throws(SystemError) in
            let flags: Int32
            switch mode {
            case .read: flags = FileFlags.read
            case .update: flags = FileFlags.update
            case .create: flags = FileFlags.create
            }
            let descriptor = try SystemCalls.openFile(at: root, path.text, flags, access.file)
            return try keep(descriptor, isWritable: mode != .read)
        }
    }

    public func lock(_ path: DiskPath) throws(DiskError) -> FileHandle {
        let root = try root(path, .lock)
        try checkWritable(path, .lock)
        if path.text.isEmpty { throw DiskError(.isADirectory, .lock, path) }
        return try on(path, .lock) { () throws(SystemError) in
            let descriptor = try SystemCalls.openFile(at: root, path.text, FileFlags.lock)
            do throws(SystemError) {
                try SystemCalls.lockNow(descriptor)
            } catch {
                SystemCalls.closeQuietly(descriptor)
                throw error
            }
            return try keep(descriptor, isWritable: true)
        }
    }

    public func close(_ file: FileHandle) throws(DiskError) {
        let descriptor = try opened(file, .close).descriptor
        openFiles.removeAll { $0.descriptor == descriptor }
        try on(nil, .close) { () throws(SystemError) in try SystemCalls.closeFile(descriptor) }
    }

    public func read(_ file: FileHandle, at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        let descriptor = try opened(file, .read).descriptor
        guard offset >= 0, count >= 0 else { throw DiskError(.invalid, .read) }
        return try on(nil, .read) { () throws(SystemError) in
            // Limited to the file's size, so that a large `count` does not allocate memory.
            let size = try SystemCalls.status(of: descriptor).size
            let most = min(count, max(size - offset, 0))
            if most == 0 { return [] }
            var failure: SystemError?
            let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
                do throws(SystemError) {
                    filled = try SystemCalls.readFully(
                        descriptor, UnsafeMutableRawBufferPointer(buffer), at: offset)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return bytes
        }
    }

    public func write(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError)
        -> Int
    {
        let descriptor = try writable(file, .write)
        guard offset >= 0 else { throw DiskError(.invalid, .write) }
        if bytes.isEmpty { return 0 }
        guard offset <= Int.max - bytes.count else { throw DiskError(.tooBig, .write) }
        return try on(nil, .write) { () throws(SystemError) in
            try bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
                try SystemCalls.writeSome(descriptor, UnsafeRawBufferPointer(buffer), at: offset)
            }
        }
    }

    public func truncate(_ file: FileHandle, to size: Int) throws(DiskError) {
        let descriptor = try writable(file, .truncate)
        guard size >= 0 else { throw DiskError(.invalid, .truncate) }
        try on(nil, .truncate) { () throws(SystemError) in try SystemCalls.resize(descriptor, to: size) }
    }

    public func size(_ file: FileHandle) throws(DiskError) -> Int {
        let descriptor = try opened(file, .size).descriptor
        if let known = justOpened, known.descriptor == descriptor { return known.size }
        return try on(nil, .size) { () throws(SystemError) in try SystemCalls.status(of: descriptor).size }
    }

    public func sync(_ file: FileHandle) throws(DiskError) {
        if let failure = try pendingSync(of: .file(file)).perform() { throw failure }
    }

    /// Begins a sync that can be performed on another thread, after this disk has closed the file, and after
    /// its deallocation. It covers what was written until now.
    /// - Throws: as ``sync(_:)`` and ``syncDirectory(_:)`` do for a handle that is not open and a directory
    ///   that can't be opened; `tooManyOpen` when the process has no file descriptor left.
    package func pendingSync(of target: SyncTarget) throws(DiskError) -> PendingSync {
        switch target {
        case .file(let file):
            let descriptor = try opened(file, .sync).descriptor
            let copy = try on(nil, .sync) { () throws(SystemError) in
                try SystemCalls.duplicate(descriptor)
            }
            return PendingSync(owning: copy, .sync)
        case .directory(let path):
            let root = try root(path, .syncDirectory)
            let descriptor = try on(path, .syncDirectory) { () throws(SystemError) in
                try SystemCalls.openDirectory(at: root, path.text)
            }
            return PendingSync(owning: descriptor, .syncDirectory, path)
        }
    }

    // MARK: - Names

    public func syncDirectory(_ path: DiskPath) throws(DiskError) {
        if let failure = try pendingSync(of: .directory(path)).perform() { throw failure }
    }

    public func status(_ path: DiskPath) throws(DiskError) -> FileStatus {
        let root = try root(path, .status)
        return try on(path, .status) { () throws(SystemError) in
            try SystemCalls.status(at: root, path.text)
        }
    }

    public func list(_ path: DiskPath) throws(DiskError) -> [String] {
        let root = try root(path, .list)
        return try on(path, .list) { () throws(SystemError) in
            try SystemCalls.names(in: try SystemCalls.openDirectory(at: root, path.text))
        }
    }

    public func makeDirectory(_ path: DiskPath) throws(DiskError) {
        let root = try root(path, .makeDirectory)
        try checkWritable(path, .makeDirectory)
        if path.text.isEmpty { throw DiskError(.exists, .makeDirectory, path) }
        try on(path, .makeDirectory) { () throws(SystemError) in
            try SystemCalls.makeDirectory(at: root, path.text, access.folder)
        }
    }

    public func rename(_ source: DiskPath, to target: DiskPath) throws(DiskError) {
        if source.volume != target.volume { throw DiskError(.crossDevice, .rename, source) }
        let root = try root(source, .rename)
        try checkWritable(source, .rename)
        if source.text.isEmpty || !PosixDisk.isRelative(target.text) || target.text.isEmpty {
            throw DiskError(.invalid, .rename, source)
        }
        try on(source, .rename) { () throws(SystemError) in
            try SystemCalls.move(at: root, source.text, target.text)
        }
    }

    public func remove(_ path: DiskPath) throws(DiskError) {
        let root = try root(path, .remove)
        try checkWritable(path, .remove)
        if path.text.isEmpty { throw DiskError(.isADirectory, .remove, path) }
        try on(path, .remove) { () throws(SystemError) in
            try SystemCalls.unlinkFile(at: root, path.text)
        }
    }

    public func removeDirectory(_ path: DiskPath) throws(DiskError) {
        let root = try root(path, .removeDirectory)
        try checkWritable(path, .removeDirectory)
        if path.text.isEmpty { throw DiskError(.invalid, .removeDirectory, path) }
        try on(path, .removeDirectory) { () throws(SystemError) in
            try SystemCalls.unlinkDirectory(at: root, path.text)
        }
    }

    public func freeSpace(_ volume: Volume) throws(DiskError) -> UntrustedInteger {
        switch volume {
        case .package: return 0
        case .data:
            return try on(nil, .freeSpace) { () throws(SystemError) in try SystemCalls.freeBytes(data) }
        }
    }

    // MARK: - Roots and handles

    private static func openRoot(_ path: String, _ volume: Volume) throws(DiskError) -> Int32 {
        do {
            return try SystemCalls.openRoot(path)
        } catch {
            throw DiskError(error.code, .open, DiskPath(volume, ""))
        }
    }

    /// Descriptor of the volume's root; throws `invalid` for a path that ``DiskPath`` does not allow.
    private func root(_ path: DiskPath, _ call: DiskCall) throws(DiskError) -> Int32 {
        guard PosixDisk.isRelative(path.text) else { throw DiskError(.invalid, call, path) }
        switch path.volume {
        case .data: return data
        case .package:
            guard let package else { throw DiskError(.notFound, call, path) }
            return package
        }
    }

    /// Whether no component is empty, `.` or `..`, and there is no NUL. Every operation calls it, so it makes
    /// one pass without copying.
    private static func isRelative(_ text: String) -> Bool {
        if text.isEmpty { return true }
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        // Length of the component so far, and whether it consists of dots.
        var (length, isDots) = (0, true)
        // Of an empty component `isDots` is true.
        func isPart() -> Bool { !(isDots && length < 3) }
        for byte in text.utf8 {
            if byte == 0 { return false }
            if byte == slash {
                if !isPart() { return false }
                (length, isDots) = (0, true)
            } else {
                length += 1
                isDots = isDots && byte == dot
            }
        }
        return isPart()
    }

    private func checkWritable(_ path: DiskPath, _ call: DiskCall) throws(DiskError) {
        if path.volume == .package { throw DiskError(.readOnly, call, path) }
    }

    /// Takes ownership of a new descriptor; closes it and throws when it is not a regular file.
    private func keep(_ descriptor: Int32, isWritable: Bool) throws(SystemError) -> FileHandle {
        do throws(SystemError) {
            let status = try SystemCalls.status(of: descriptor)
            justOpened = (descriptor, status.size)
            switch status.kind {
            case .file: break
            case .directory: throw SystemError.isADirectory
            case .other: throw SystemError.notAFile
            }
        } catch {
            SystemCalls.closeQuietly(descriptor)
            throw error
        }
        openFiles.append(OpenFile(descriptor: descriptor, isWritable: isWritable))
        return FileHandle(id: descriptor)
    }

    private func opened(_ file: FileHandle, _ call: DiskCall) throws(DiskError) -> OpenFile {
        guard let open = openFiles.first(where: { $0.descriptor == file.id }) else {
            throw DiskError(.badHandle, call)
        }
        return open
    }

    private func writable(_ file: FileHandle, _ call: DiskCall) throws(DiskError) -> Int32 {
        let open = try opened(file, call)
        justOpened = nil
        guard open.isWritable else { throw DiskError(.badHandle, call) }
        return open.descriptor
    }

    private func on<Answer>(
        _ path: DiskPath?, _ call: DiskCall, _ body: () throws(SystemError) -> Answer
    ) throws(DiskError) -> Answer {
        do {
            return try body()
        } catch {
            throw DiskError(error.code, call, path)
        }
    }
}

/// A descriptor that this disk opened and has not closed.
private struct OpenFile {
    let descriptor: Int32
    let isWritable: Bool
}
