import Core

/// What is known about damaged content (R10): stored files that lack their length or hash, or can't be read.
///
/// The record lists them by digest. All versions that use one are out of use together, without blame, until a
/// download has replaced it. The list has a limit, because a record must stay below the limit of its own
/// reader (R8). Where more is damaged, the versions that use it leave the record as a whole, and
/// ``StoreRecord/distrustsUnusedContent`` says that their files must not be used again. It is set until
/// garbage collection has removed all of them.
extension Updater {
    func isDamaged(_ key: VersionKey) -> Bool { isDamaged(key, record) }

    /// Whether content of the version is damaged according to this record, the durable one or the one in
    /// memory.
    func isDamaged(_ key: VersionKey, _ record: StoreRecord) -> Bool {
        guard !record.damaged.isEmpty, let version = versions.known(key) else { return false }
        return version.blobs.contains { record.damaged.contains($0) }
    }

    /// Whether a stored file of this name may be used for a download. Its length is checked besides.
    func isTrusted(_ digest: Digest256) -> Bool {
        if record.damaged.contains(digest) { return false }
        guard record.distrustsUnusedContent else { return true }
        let isUsed = record.versions.contains { version($0.key)?.blobs.contains(digest) == true }
        return isUsed || download?.blobs.contains(digest) == true
    }

    /// R10: takes all versions that use the content out of use together, without blame.
    /// - Parameter key: the version in which the damage was found.
    mutating func markDamaged(_ damages: [VersionVerification.Damage], _ key: VersionKey) {
        let known = record.damaged
        record.damaged += damages.map(\.digest).filter { !known.contains($0) }
        let users = versions.foundDamaged(damages.map(\.digest))
        record.checked.removeAll { users.contains($0) }
        for damage in damages.prefix(Updater.reportedDamages) {
            log(.contentDamaged, key, "content=\(damage.digest.hex.prefix(12)) \(damage.reason)")
        }
        let others = damages.count - Updater.reportedDamages
        if others > 0 { log(.contentDamaged, key, "and \(others) others") }
        // One that runs is left because of damage that was found in another one (T1).
        for user in users where user != key { log(.contentDamaged, user, "shared with \(key.id)") }
        if record.damaged.count > StoreRecord.damagedLimit { forgetDamagedVersions() }
    }

    /// Entries of one verification; more would push everything else out of the log.
    private static var reportedDamages: Int { 8 }

    private mutating func forgetDamagedVersions() {
        record.distrustsUnusedContent = true
        for entry in record.versions where isDamaged(entry.key) {
            log(.contentDamaged, entry.key, "is removed as a whole")
            forget(entry.key)
        }
        // What is left is content of versions that open pages still show and that no page load gets again.
        record.damaged = []
        dropDownload(.contentDamaged)
    }

    /// Garbage collection has removed everything that nothing refers to.
    mutating func unusedContentIsGone() {
        if !record.damaged.isEmpty {
            let before = record.damaged.count
            let stored = (versions.all + versions.leaving + versions.unused).flatMap(\.blobs)
            record.damaged.removeAll { !stored.contains($0) }
            if record.damaged.count < before { commit() }
        }
        let isUsedByRecord = versions.all.allSatisfy { version in
            version.verification == .package || record.versions.contains { $0.key == version.key }
        }
        guard record.distrustsUnusedContent, isUsedByRecord, versions.leaving.isEmpty,
            unfinishedDownloads.isEmpty
        else { return }
        record.distrustsUnusedContent = false
        commit()
    }
}
