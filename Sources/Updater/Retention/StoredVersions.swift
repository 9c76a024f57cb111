import Core

/// The complete versions on this device, and what this process knows about their content.
///
/// **Invariants**
/// - Each key occurs once in ``all``.
/// - The content of a version that was taken out of use is retained until the durable record no longer names
///   the version, because a process that ends before would start from that record (R7).
/// - A version counts as verified only while no read of its content has failed since and none of it is known
///   to be damaged (R10).
struct StoredVersions: Sendable {
    /// The embedded version, if there is one, and those that the record names.
    private(set) var all: [StoredVersion] = []
    /// Versions that are no longer in use and that the durable record names.
    private(set) var leaving: [StoredVersion] = []
    /// Versions that were taken out of use and that the durable record no longer names, the latest last.
    /// Their content is stored until garbage collection has removed it.
    private(set) var unused: [StoredVersion] = []
    /// Versions whose lengths and, where needed, hashes have been checked in this process.
    private var verified: [VersionKey] = []
    /// Versions with a file that can't be read now: skipped by this process, unchanged in the record (R10).
    private var unreadable: [VersionKey] = []
    /// Content that could not be read in this process.
    private var unreadContent: [Digest256] = []
    /// Content for which this launch counts as one in which it could not be read.
    private var countedContent: [Digest256] = []
    /// Version whose files were last passed to the server.
    private var lastServed: (version: StoredVersion, files: ServedVersion)?

    /// The embedded version, once its manifest has been read.
    var inPackage: StoredVersion? { all.first { $0.verification == .package } }

    func version(_ key: VersionKey) -> StoredVersion? { all.first { $0.key == key } }

    /// The version if its table has been read and it is in use, or the durable record still names it.
    func known(_ key: VersionKey) -> StoredVersion? {
        version(key) ?? leaving.first { $0.key == key }
    }

    func isVerified(_ key: VersionKey) -> Bool { verified.contains(key) }

    func isUnreadable(_ key: VersionKey) -> Bool { unreadable.contains(key) }

    func isUnread(_ digest: Digest256) -> Bool { unreadContent.contains(digest) }

    /// The files of a version as passed to the server; the last result is kept.
    mutating func files(of version: StoredVersion) -> ServedVersion {
        if let lastServed, lastServed.version == version { return lastServed.files }
        let files = version.served()
        lastServed = (version, files)
        return files
    }

    // MARK: Versions

    /// The store is opened anew.
    mutating func readAnew() {
        all = []
        unused = []
        unreadable = []
    }

    /// The manifest of the app package has been read.
    mutating func addEmbedded(_ version: StoredVersion) {
        all.removeAll { $0.key == version.key }
        all.insert(version, at: 0)
    }

    /// The table of a version that the record names has been read.
    mutating func addRead(_ version: StoredVersion) { all.append(version) }

    /// The download of a version is complete.
    /// - Parameter isVerified: whether this process knows that none of its content is damaged.
    mutating func addDownloaded(_ version: StoredVersion, isVerified: Bool) {
        all.removeAll { $0.key == version.key }
        all.append(version)
        verified.removeAll { $0 == version.key }
        if isVerified { verified.append(version.key) }
    }

    /// Takes versions out of use.
    /// - Parameter durable: entries of the durable record.
    mutating func remove(named durable: [VersionEntry], where leaves: (StoredVersion) -> Bool) {
        for version in all where leaves(version) {
            if durable.contains(where: { $0.key == version.key }) {
                leaving.append(version)
            } else {
                addUnused(version)
            }
        }
        all.removeAll(where: leaves)
    }

    /// The record has been written.
    /// - Parameter durable: its entries.
    /// - Returns: whether it named versions until now that are not used any more.
    mutating func recordWritten(_ durable: [VersionEntry]) -> Bool {
        let left = leaving.filter { version in !durable.contains { $0.key == version.key } }
        if left.isEmpty { return false }
        for version in left { addUnused(version) }
        leaving.removeAll { version in left.contains { $0.key == version.key } }
        return true
    }

    /// Only so many are kept that a bounded step can look for content in all of them.
    private static let mostUnused = 3

    private mutating func addUnused(_ version: StoredVersion) {
        unused.removeAll { $0.key == version.key }
        unused.append(version)
        if unused.count > StoredVersions.mostUnused { unused.removeFirst() }
    }

    /// Garbage collection has removed the content of these versions that no other one needs.
    mutating func unusedContentRemoved(_ keys: [VersionKey]) {
        unused.removeAll { keys.contains($0.key) }
    }

    // MARK: Content

    /// All of the version has been read and is what its table says.
    mutating func verificationSucceeded(_ key: VersionKey) {
        unreadable.removeAll { $0 == key }
        verified.append(key)
    }

    /// The version has a file that can't be read now.
    mutating func skip(_ key: VersionKey) {
        if !unreadable.contains(key) { unreadable.append(key) }
    }

    /// Content could not be read.
    mutating func readFailed(_ digests: [Digest256]) {
        unreadContent += digests.filter { !unreadContent.contains($0) }
    }

    /// Content could not be read in this launch.
    /// - Returns: whether that is the first time.
    mutating func countUnread(_ digest: Digest256) -> Bool {
        if countedContent.contains(digest) { return false }
        countedContent.append(digest)
        return true
    }

    /// The versions that use this content are to be verified again.
    /// - Returns: their keys.
    mutating func verifyAgain(usersOf digests: [Digest256]) -> [VersionKey] {
        let sorted = digests.sorted()
        let users = all.filter { user in user.blobs.contains { sorted.containsBisected($0) } }.map(\.key)
        verified.removeAll { users.contains($0) }
        return users
    }

    /// The content is damaged: it can be read, and is not what it should be.
    /// - Returns: keys of the versions that use it.
    mutating func foundDamaged(_ digests: [Digest256]) -> [VersionKey] {
        let users = verifyAgain(usersOf: digests)
        unreadable.removeAll { users.contains($0) }
        return users
    }
}
