import Foundation

/// Files and folders by the system's own calls, since its reason is what a person needs to read.
enum PlainFile {
    /// Makes the folders on the way, and the file anew.
    static func write(_ bytes: [UInt8], to path: String) throws(ReportError) {
        try makeFolder(above(path))
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
        guard file >= 0 else { throw failure(path) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure(path)
                close(file)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        // Some systems find out only here that there is no space.
        guard close(file) == 0 else { throw failure(path) }
    }

    static func makeFolder(_ path: String) throws(ReportError) {
        if path.isEmpty || isFolder(path) { return }
        try makeFolder(above(path))
        guard mkdir(path, 0o777) != 0 else { return }
        let reason = errno
        // Another job may have made it meanwhile.
        if reason == EEXIST, isFolder(path) { return }
        errno = reason == EEXIST ? ENOTDIR : reason
        throw failure(path)
    }

    /// What is there is replaced in one moment.
    static func move(_ path: String, to target: String) throws(ReportError) {
        guard rename(path, target) == 0 else { throw failure(target) }
    }

    /// A folder with something in it never takes the place of another one that has.
    ///
    /// - Returns: whether it was moved; false: the name is taken.
    static func claim(_ path: String, as target: String) throws(ReportError) -> Bool {
        if rename(path, target) == 0 { return true }
        if [EEXIST, ENOTEMPTY, ENOTDIR, EISDIR].contains(errno), isThere(target) { return false }
        throw failure(target)
    }

    /// A link too, wherever it leads.
    static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// A name beside this one that no other process has.
    static func unfinished(_ path: String) -> String {
        "\(path).\(getpid())-\(UUID().uuidString.prefix(8)).unfinished"
    }

    /// Alone among processes that ask for the same folder; where the system can't do that, all the same.
    static func alone<Failure>(_ folder: String, _ work: () throws(Failure) -> Void) throws(Failure) {
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        if handle >= 0 { while flock(handle, LOCK_EX) != 0, errno == EINTR {} }
        // The lock ends with the descriptor, also if this process dies before.
        defer { if handle >= 0 { close(handle) } }
        try work()
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func above(_ path: String) -> String {
        let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = bare.lastIndex(of: "/") else { return "" }
        return slash == bare.startIndex ? "/" : String(bare[..<slash])
    }

    private static func failure(_ path: String) -> ReportError {
        ReportError(place: path, why: String(cString: strerror(errno)))
    }
}
