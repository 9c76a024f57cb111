import Core

extension PosixDisk {
    /// Name and first line of a cache directory tag (https://bford.info/cachedir/): backup programs that
    /// follow it leave the folder out.
    static let cacheTag = "CACHEDIR.TAG"
    static let cacheTagSignature = "Signature: 8a477f597d28d172789f06886806bc55"

    /// Marks the data volume's folder as one that backups leave out (M18): what is in it can be downloaded
    /// again, and a record that comes back without its files, or on another device, is worth nothing (N2).
    ///
    /// Phones don't read this tag. There the app chooses the folder: on Android one in `noBackupFilesDir`, on
    /// iOS any folder whose URL has `isExcludedFromBackup` set.
    public func excludeDataFromBackups() throws(DiskError) {
        let tag = DiskPath(.data, PosixDisk.cacheTag)
        do {
            _ = try status(tag)
            return
        } catch {
            guard error.code == .notFound else { throw error }
        }
        let file = try open(tag, .create)
        let text = PosixDisk.cacheTagSignature + "\n# What is in this folder can be downloaded again.\n"
        _ = try write(file, Array(text.utf8)[...], at: 0)
        try close(file)
    }
}
