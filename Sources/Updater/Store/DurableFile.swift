import Core

/// Writes a small file and makes it durable, with its name.
///
/// An existing file is replaced by a rename, so that a name which the record refers to always exists (the
/// table of a version whose damaged content was downloaded again, R7). A crash leaves at most the new file
/// under its temporary name, which garbage collection removes because nothing refers to it.
///
/// After an error the new file is removed, because its content is unknown, and it is never synced again.
struct DurableFile: Sendable {
    private enum Stage: Sendable {
        case open
        case write(FileWriting)
        case fileSynced(FileHandle)
        case folderSynced
    }

    private let path: DiskPath
    private let bytes: [UInt8]
    private var stage = Stage.open
    /// Name under which the file is written.
    private var target: DiskPath

    init(_ path: DiskPath, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        target = path
    }

    /// - Parameter syncError: the error of the sync that it waited for.
    func step(after syncError: DiskError?, _ disk: inout some Disk) throws(DiskError) -> JobStep<DurableFile>
    {
        var next = self
        switch stage {
        case .open:
            if try disk.statusIfPresent(path) != nil {
                next.target = path.parent / (path.name + ".new")
                if try disk.statusIfPresent(next.target) != nil { try disk.remove(next.target) }
            }
            next.stage = .write(FileWriting(try disk.open(next.target, .create), bytes))
            return .next(next)
        case .write(var writing):
            do throws(DiskError) {
                let isDone = try writing.step(&disk)
                next.stage = isDone ? .fileSynced(writing.file) : .write(writing)
                return isDone ? .sync(.file(writing.file), then: next) : .next(next)
            } catch {
                discard(writing.file, &disk)
                throw error
            }
        case .fileSynced(let file):
            if let syncError {
                discard(file, &disk)
                throw syncError
            }
            try disk.close(file)
            if target != path { try disk.rename(target, to: path) }
            next.stage = .folderSynced
            return .sync(.directory(path.parent), then: next)
        case .folderSynced:
            if let syncError { throw syncError }
            return .done
        }
    }

    /// The file is no longer wanted: it is closed, and removed unless it has its name already.
    func abandon(_ disk: inout some Disk) {
        switch stage {
        case .open, .folderSynced: break
        case .write(let writing): discard(writing.file, &disk)
        case .fileSynced(let file): discard(file, &disk)
        }
    }

    private func discard(_ file: FileHandle, _ disk: inout some Disk) {
        disk.closeQuietly(file)
        _ = disk.removeQuietly(target)
    }
}
