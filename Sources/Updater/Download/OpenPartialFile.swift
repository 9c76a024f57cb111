import Core

/// A partial file that is open and that no transfer writes any more.
///
/// A close can report that bytes were not written, as a sync can (`close(2)`: EIO, ENOSPC, EDQUOT). The
/// system has then forgotten them, and the sync of the complete file succeeds without them: what such a file
/// contains is unknown, so it is removed and requested from its beginning (ST-2). Where it can't be removed,
/// its bytes are written anew when they are read again (``PartialReading``).
struct OpenPartialFile: Sendable {
    var file: FileHandle
    /// Name of the partial file.
    var key: Digest256
}

extension Updater {
    /// Closes a partial file, and removes it if the close fails.
    /// - Returns: the error of the close.
    @discardableResult
    mutating func closePartial(_ open: OpenPartialFile, _ disk: inout some Disk) -> DiskError? {
        do {
            try disk.close(open.file)
            return nil
        } catch {
            if removePartQuietly(open.key, &disk) { download?.partRemoved(open.key) }
            return error
        }
    }

    /// Closes files of transfers that were stopped. One that is continued meanwhile starts again where the
    /// close fails.
    mutating func closeFiles(_ disk: inout some Disk) {
        let (files, isMore) = partial.takeFilesToClose()
        for open in files {
            guard let error = closePartial(open, &disk),
                let index = download?.transfers.firstIndex(where: { $0.key == open.key })
            else { continue }
            stopAfterDiskError(index, error, &disk)
        }
        if isMore { jobs.add(.closeFiles) }
    }
}
