/// Tables that the opening could not read. Whether that says something about a table is known when the starts
/// file is read, which counts the launches at which it was so (R10).
extension Updater {
    /// Each of these tables counts as damaged, or its version is left out by this process.
    mutating func settleUnreadTables(_ unread: [StoreOpening.UnreadTable]) {
        for table in unread {
            let digest = table.key.digest
            let isBroken =
                table.error.code == .inputOutput && store.phase != .readOnlyStore && isUnreadAgain(digest)
            if isBroken || countUnread(VersionVerification.Unread(digest: digest, error: table.error)) {
                let often = isBroken ? "again" : "at several launches"
                log(.contentDamaged, table.key, "table: \(table.error) \(often)")
            } else {
                // Any content may be of this version.
                store.forbidDeletion()
                skipUnreadable(table.key, "table: \(table.error)")
            }
        }
        let read = record.versions.map(\.key).filter { versions.version($0) != nil }.map(\.digest)
        if starts.file.hasUnread(read) { changeStartsFile { $0.forgetUnread(read) } }
    }
}
