import Core

/// The check of a stored version before anything of it is served in this process (R10): every length, and
/// every hash where this boot has not seen it done.
struct VersionCheck: Sendable {
    enum Purpose: Sendable {
        case start
        case page(PageAsk)
    }

    var key: VersionKey
    var purpose: Purpose
    /// The row that is next; lengths first, then hashes.
    var row = 0
    var isHashing = false
    var file: FileHandle?
    var offset = 0
    var hash = SHA256()
}

extension Updater {
    /// The app package is the system's to guard; what the store holds is checked once per process.
    func needsVerification(_ key: VersionKey) -> Bool {
        guard let version = version(key), version.verification != .package else { return false }
        return !verifiedHere.contains(key)
    }

    private func needsHashes(_ key: VersionKey) -> Bool {
        guard let boot = launch?.bootID, boot == record.boot else { return true }
        return !record.checked.contains(key)
    }

    mutating func stepVerify(_ check: VersionCheck, _ disk: inout some Disk) -> VersionCheck? {
        var check = check
        guard let version = version(check.key) else {
            verified(check, damage: nil)
            return nil
        }
        do {
            let isDone =
                check.isHashing
                ? try hashStep(&check, version, &disk) : try lengthStep(&check, version, &disk)
            guard isDone else { return check }
        } catch {
            if let file = check.file { disk.closeQuietly(file) }
            verified(check, damage: error)
            return nil
        }
        verified(check, damage: nil)
        return nil
    }

    private struct Damage: Error {
        var digest: Digest256
        var why: String
    }

    private func lengthStep(_ check: inout VersionCheck, _ version: StoredVersion, _ disk: inout some Disk)
        throws
        -> Bool
    {
        var asked = 0
        while check.row < version.places.count {
            if asked == 16 { return false }
            let place = version.places[check.row]
            check.row += 1
            guard case .blob(let digest) = place.location else { continue }
            asked += 1
            do {
                let status = try disk.status(StorePaths.blob(digest))
                guard status.kind == .file, status.size == place.size else {
                    throw Damage(digest: digest, why: "length \(status.size) instead of \(place.size)")
                }
            } catch let error as DiskError {
                throw Damage(digest: digest, why: "\(error)")
            }
        }
        guard needsHashes(check.key) else { return true }
        check.row = 0
        check.isHashing = true
        return false
    }

    /// At most 256 KiB read and hashed.
    private func hashStep(_ check: inout VersionCheck, _ version: StoredVersion, _ disk: inout some Disk)
        throws
        -> Bool
    {
        var budget = FileReading.portion
        var calls = 0
        while check.row < version.places.count {
            guard case .blob(let digest) = version.places[check.row].location else {
                check.row += 1
                continue
            }
            if budget <= 0 || calls > 12 { return false }
            do {
                let file = try check.file ?? disk.open(StorePaths.blob(digest), .read)
                check.file = file
                let portion = try disk.read(file, at: check.offset, count: budget)
                calls += 3
                check.hash.update(portion)
                check.offset += portion.count
                let wanted = budget
                budget -= max(portion.count, 4_096)
                guard portion.count < wanted || check.offset >= version.places[check.row].size else {
                    return false
                }
                disk.closeQuietly(file)
                check.file = nil
            } catch {
                throw Damage(digest: digest, why: "\(error)")
            }
            guard check.hash.finish() == digest else { throw Damage(digest: digest, why: "other hash") }
            check.hash = SHA256()
            check.offset = 0
            check.row += 1
        }
        return true
    }

    private mutating func verified(_ check: VersionCheck, damage: (any Error)?) {
        if let damage = damage as? Damage {
            markDamaged(damage.digest, check.key, damage.why)
            choice = nil
            // Found damage is in the record before anything is served instead (R10).
            switch check.purpose {
            case .start: commit(then: .opened)
            case .page(let ask):
                commit()
                consider(ask)
            }
            return
        }
        verifiedHere.append(check.key)
        noteChecked(check.key)
        switch check.purpose {
        case .start: ready()
        case .page(let ask): consider(ask)
        }
    }

    /// The version's bytes have been seen whole under this boot.
    mutating func noteChecked(_ key: VersionKey) {
        if record.boot != launch?.bootID { record.checked = [] }
        record.boot = launch?.bootID
        guard launch?.bootID != nil, !record.checked.contains(key) else { return }
        record.checked.append(key)
        if record.checked.count > 8 { record.checked.removeFirst() }
    }

    func isDamaged(_ key: VersionKey) -> Bool {
        guard !record.damaged.isEmpty, let version = version(key) else { return false }
        return version.blobs.contains { record.damaged.contains($0) }
    }

    /// R10: every version that uses the content is out of use together, without blame.
    mutating func markDamaged(_ digest: Digest256, _ key: VersionKey, _ why: String) {
        if !record.damaged.contains(digest) { record.damaged.append(digest) }
        let hit = versions.filter { $0.blobs.contains(digest) }.map(\.key)
        verifiedHere.removeAll { hit.contains($0) }
        record.checked.removeAll { hit.contains($0) }
        log(.contentDamaged, key, "content=\(digest.hex.prefix(12)) \(why)")
    }

    /// The server met a read error: the content is checked again before the next page load gets it.
    mutating func readFailed(_ key: VersionKey, _ path: DiskPath) {
        guard let version = version(key) else { return }
        for blob in version.blobs where StorePaths.blob(blob) == path {
            markDamaged(blob, key, "read error while serving")
            commit()
        }
    }
}
