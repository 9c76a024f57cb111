import Core

/// Verification of a stored version before it is served in this process (R10): every length, and every hash
/// unless it was checked during this boot and there is no reason to doubt it. It continues after damage is
/// found, so that one download repairs everything.
struct VersionVerification: Sendable {
    enum Purpose: Sendable {
        case start
        /// A page load waits for it.
        case page
    }

    var key: VersionKey
    var purpose: Purpose
    /// Index of the next asset; first for lengths, then for hashes.
    var assetIndex = 0
    var isHashing = false
    var file: FileHandle?
    var offset = 0
    var hash = SHA256()
    var damages: [Damage] = []

    struct Damage: Hashable, Sendable {
        var digest: Digest256
        var reason: String
        var isMissing = false
    }
}

extension Updater {
    /// Whether the version must be verified: content of the store once per process, the app package never,
    /// because the system protects it.
    func needsVerification(_ key: VersionKey) -> Bool {
        guard let version = version(key), version.verification != .package else { return false }
        return !verifiedVersions.contains(key)
    }

    private func needsHashes(_ key: VersionKey) -> Bool {
        guard let boot = launch?.bootID, boot == record.boot else { return true }
        return !record.checked.contains(key)
    }

    mutating func stepVerification(_ check: VersionVerification, _ disk: inout some Disk)
        -> VersionVerification?
    {
        var check = check
        guard let version = version(check.key) else {
            continueAfterVerification(check)
            return nil
        }
        let isDone =
            check.isHashing ? hashStep(&check, version, &disk) : lengthStep(&check, version, &disk)
        guard isDone else { return check }
        verificationEnded(check)
        return nil
    }

    private func lengthStep(
        _ check: inout VersionVerification, _ version: StoredVersion, _ disk: inout some Disk
    )
        -> Bool
    {
        var callCount = 0
        while check.assetIndex < version.storedAssets.count {
            if callCount == 16 { return false }
            let stored = version.storedAssets[check.assetIndex]
            check.assetIndex += 1
            guard case .blob(let digest) = stored.location else { continue }
            callCount += 1
            do {
                let status = try disk.status(StorePaths.blob(digest))
                guard status.kind == .file, status.size == stored.size else {
                    check.reportDamage(digest, "length \(status.size) instead of \(stored.size)")
                    continue
                }
            } catch {
                check.reportDamage(digest, "\(error)", isMissing: error.code == .notFound)
            }
        }
        // A missing file means that something else removed files here, so lengths are not sufficient.
        guard needsHashes(check.key) || check.damages.contains(where: \.isMissing) else { return true }
        check.assetIndex = 0
        check.isHashing = true
        return false
    }

    /// Reads and hashes at most 256 KiB.
    private func hashStep(
        _ check: inout VersionVerification, _ version: StoredVersion, _ disk: inout some Disk
    )
        -> Bool
    {
        var budget = FileReading.chunkSize
        var calls = 0
        while check.assetIndex < version.storedAssets.count {
            guard case .blob(let digest) = version.storedAssets[check.assetIndex].location,
                !check.damages.contains(where: { $0.digest == digest })
            else {
                check.assetIndex += 1
                continue
            }
            if budget <= 0 || calls > 12 { return false }
            do throws(DiskError) {
                let file: FileHandle
                if let open = check.file {
                    file = open
                } else {
                    file = try disk.open(StorePaths.blob(digest), .read)
                }
                check.file = file
                let chunk = try disk.read(file, at: check.offset, count: budget)
                calls += 3
                check.hash.update(chunk)
                check.offset += chunk.count
                let wanted = budget
                budget -= max(chunk.count, 4_096)
                guard chunk.count < wanted || check.offset >= version.storedAssets[check.assetIndex].size
                else { return false }
                disk.closeQuietly(file)
                if check.hash.finish() != digest { check.reportDamage(digest, "other hash") }
            } catch {
                calls += 3
                if let file = check.file { disk.closeQuietly(file) }
                check.reportDamage(digest, "\(error)", isMissing: error.code == .notFound)
            }
            check.nextFile()
        }
        return true
    }

    private mutating func verificationEnded(_ check: VersionVerification) {
        guard check.damages.isEmpty else {
            for damage in check.damages { markDamaged(damage.digest, check.key, damage.reason) }
            if check.damages.contains(where: \.isMissing) { record.checked = [] }
            choice = nil
            // Damage is recorded before another version is served instead (R10).
            switch check.purpose {
            case .start: commit(then: .opened)
            case .page: commit(then: .answerPageLoads)
            }
            return
        }
        verifiedVersions.append(check.key)
        recordChecked(check.key)
        continueAfterVerification(check)
    }

    private mutating func continueAfterVerification(_ check: VersionVerification) {
        switch check.purpose {
        case .start: version(check.key) == nil ? chooseAtStart() : ready()
        case .page: answerWaitingPageLoads()
        }
    }

    /// Notes that the version's bytes were found complete during this boot.
    mutating func recordChecked(_ key: VersionKey) {
        if record.boot != launch?.bootID { record.checked = [] }
        record.boot = launch?.bootID
        guard launch?.bootID != nil, !record.checked.contains(key) else { return }
        record.checked.append(key)
        if record.checked.count > 8 { record.checked.removeFirst() }
    }

    func isDamaged(_ key: VersionKey) -> Bool { isDamaged(key, record) }

    /// Whether content of the version is damaged according to this record, the durable one or the one in
    /// memory.
    func isDamaged(_ key: VersionKey, _ record: StoreRecord) -> Bool {
        guard !record.damaged.isEmpty, let version = version(key) else { return false }
        return version.blobs.contains { record.damaged.contains($0) }
    }

    /// R10: all versions that use the content are taken out of use together, without blame.
    mutating func markDamaged(_ digest: Digest256, _ key: VersionKey, _ reason: String) {
        if !record.damaged.contains(digest) { record.damaged.append(digest) }
        let affected = versions.filter { $0.blobs.contains(digest) }.map(\.key)
        verifiedVersions.removeAll { affected.contains($0) }
        record.checked.removeAll { affected.contains($0) }
        log(.contentDamaged, key, "content=\(digest.hex.prefix(12)) \(reason)")
    }

    /// The server met a read error: the content is verified again, including hashes, before the next page
    /// load is served from it (R10). A temporary error has no consequence; a damaged sector is found then.
    mutating func readFailed(_ key: VersionKey, _ path: DiskPath) {
        guard let version = version(key) else { return }
        let affected = version.blobs.filter { StorePaths.blob($0) == path }
        guard !affected.isEmpty else { return }
        log(.readFailed, key, "content=\(path.name.prefix(12))")
        if start?.key == key { start?.hasReadError = true }
        let users = versions.filter { user in user.blobs.contains { affected.contains($0) } }.map(\.key)
        verifiedVersions.removeAll { users.contains($0) }
        record.checked.removeAll { users.contains($0) }
        commit()
    }
}

extension VersionVerification {
    mutating func reportDamage(_ digest: Digest256, _ reason: String, isMissing: Bool = false) {
        guard !damages.contains(where: { $0.digest == digest }) else { return }
        damages.append(Damage(digest: digest, reason: reason, isMissing: isMissing))
    }

    mutating func nextFile() {
        file = nil
        hash = SHA256()
        offset = 0
        assetIndex += 1
    }
}
