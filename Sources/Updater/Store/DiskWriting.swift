import Core

extension Disk {
    /// Writes as much as eight calls can, despite short writes and interruptions.
    /// - Returns: number of bytes written.
    mutating func writeSome(_ file: FileHandle, _ bytes: ArraySlice<UInt8>, at offset: Int) throws(DiskError)
        -> Int
    {
        var done = 0
        for call in 1...8 where done < bytes.count {
            do {
                done += try write(file, bytes.dropFirst(done), at: offset + done)
            } catch {
                guard error.code == .interrupted, done > 0 || call < 8 else { throw error }
            }
        }
        return done
    }

    /// Writes everything, despite short writes and interruptions; for a few hundred bytes.
    package mutating func writeAll(_ file: FileHandle, _ bytes: [UInt8], at offset: Int) throws(DiskError) {
        var done = 0
        var interruptions = 0
        while done < bytes.count {
            do {
                done += try write(file, bytes[done...], at: offset + done)
            } catch {
                guard error.code == .interrupted, interruptions < 4 else { throw error }
                interruptions += 1
            }
        }
    }

    /// Closes a file after an error that is already being reported; a second error adds nothing.
    package mutating func closeQuietly(_ file: FileHandle) {
        do { try close(file) } catch { return }
    }

    /// Gives a file or directory its name anew, so that the next sync of its parent covers the name.
    ///
    /// To be called at once after a failed sync: the system has then forgotten the change, and a second sync,
    /// also by a later process, succeeds without it. A crash in between leaves the other name, which nothing
    /// refers to; an error leaves what was there.
    mutating func renameAnew(_ path: DiskPath) {
        let other = path.parent / (path.name + ".again")
        do {
            try rename(path, to: other)
            try rename(other, to: path)
        } catch { return }
    }

    /// Removes a name that may be absent. A failure is ignored here; garbage collection tries again at the
    /// next start.
    /// - Returns: false if something still has that name.
    mutating func removeQuietly(_ path: DiskPath) -> Bool {
        do throws(DiskError) {
            try removeIfPresent(path)
            return true
        } catch { return false }
    }

    /// Removes a name that may be absent.
    package mutating func removeIfPresent(_ path: DiskPath) throws(DiskError) {
        do { try remove(path) } catch { if error.code != .notFound { throw error } }
    }

    /// Nil if nothing has that name; an I/O error does not mean "absent".
    package mutating func statusIfPresent(_ path: DiskPath) throws(DiskError) -> FileStatus? {
        do {
            return try status(path)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}
