import Core

/// The check of a stored version before anything of it is served in this process (R10): every length, and
/// every hash where this boot has not seen it done, or where something gave reason to doubt it. It goes on
/// after the first find, so that one download repairs all that is damaged.
struct VersionCheck: Sendable {
    enum Purpose: Sendable {
        case start
        /// A page load waits for it.
        case page
    }

    var key: VersionKey
    var purpose: Purpose
    /// The row that is next; lengths first, then hashes.
    var row = 0
    var isHashing = false
    var file: FileHandle?
    var offset = 0
    var hash = SHA256()
    var found: [Damage] = []

    struct Damage: Hashable, Sendable {
        var digest: Digest256
        var why: String
        var isMissing = false
    }
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
            decideAgain(check)
            return nil
        }
        let isDone =
            check.isHashing ? hashStep(&check, version, &disk) : lengthStep(&check, version, &disk)
        guard isDone else { return check }
        verified(check)
        return nil
    }

    private func lengthStep(_ check: inout VersionCheck, _ version: StoredVersion, _ disk: inout some Disk)
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
                    check.find(digest, "length \(status.size) instead of \(place.size)")
                    continue
                }
            } catch {
                check.find(digest, "\(error)", isMissing: error.code == .notFound)
            }
        }
        // A missing file says that somebody cleared up here: lengths are no longer enough.
        guard needsHashes(check.key) || check.found.contains(where: \.isMissing) else { return true }
        check.row = 0
        check.isHashing = true
        return false
    }

    /// At most 256 KiB read and hashed.
    private func hashStep(_ check: inout VersionCheck, _ version: StoredVersion, _ disk: inout some Disk)
        -> Bool
    {
        var budget = FileReading.portion
        var calls = 0
        while check.row < version.places.count {
            guard case .blob(let digest) = version.places[check.row].location,
                !check.found.contains(where: { $0.digest == digest })
            else {
                check.row += 1
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
                if check.hash.finish() != digest { check.find(digest, "other hash") }
            } catch {
                calls += 3
                if let file = check.file { disk.closeQuietly(file) }
                check.find(digest, "\(error)", isMissing: error.code == .notFound)
            }
            check.nextFile()
        }
        return true
    }

    private mutating func verified(_ check: VersionCheck) {
        guard check.found.isEmpty else {
            for damage in check.found { markDamaged(damage.digest, check.key, damage.why) }
            if check.found.contains(where: \.isMissing) { record.checked = [] }
            choice = nil
            // Found damage is in the record before anything is served instead (R10).
            switch check.purpose {
            case .start: commit(then: .opened)
            case .page: commit(then: .consider)
            }
            return
        }
        verifiedHere.append(check.key)
        noteChecked(check.key)
        decideAgain(check)
    }

    private mutating func decideAgain(_ check: VersionCheck) {
        switch check.purpose {
        case .start: version(check.key) == nil ? chooseAtStart() : ready()
        case .page: considerWaiting()
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

    func isDamaged(_ key: VersionKey) -> Bool { isDamaged(key, record) }

    /// By what is durable, or by what memory knows.
    func isDamaged(_ key: VersionKey, _ record: Record) -> Bool {
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

    /// The server met a read error: the content is checked again, hashes included, before the next page load
    /// gets it (R10). A fault of the moment costs nothing; a damaged sector is found then.
    mutating func readFailed(_ key: VersionKey, _ path: DiskPath) {
        guard let version = version(key) else { return }
        let hit = version.blobs.filter { StorePaths.blob($0) == path }
        guard !hit.isEmpty else { return }
        log(.readFailed, key, "content=\(path.name.prefix(12))")
        if start?.key == key { start?.hasReadError = true }
        let users = versions.filter { user in user.blobs.contains { hit.contains($0) } }.map(\.key)
        verifiedHere.removeAll { users.contains($0) }
        record.checked.removeAll { users.contains($0) }
        commit()
    }
}

extension VersionCheck {
    mutating func find(_ digest: Digest256, _ why: String, isMissing: Bool = false) {
        guard !found.contains(where: { $0.digest == digest }) else { return }
        found.append(Damage(digest: digest, why: why, isMissing: isMissing))
    }

    mutating func nextFile() {
        file = nil
        hash = SHA256()
        offset = 0
        row += 1
    }
}
