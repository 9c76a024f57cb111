import Core

/// Verification of a stored version before it is served in this process (R10): every length, and every hash
/// unless it was checked during this boot and there is no reason to doubt it. It continues after damage is
/// found, so that one download repairs everything.
struct VersionVerification: Sendable {
    enum Purpose: Sendable {
        case start
        /// A page load waits for it.
        case page
        /// The origin offers the version, which could not be read before.
        case offer
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
    /// Content that could not be read, also not when it was tried again.
    var unread: [Unread] = []

    /// Bytes that one step reads.
    var bytesPerStep: Int {
        switch purpose {
        case .start, .page: FileReading.urgentChunkSize
        case .offer: FileReading.backgroundChunkSize
        }
    }

    struct Unread: Hashable, Sendable {
        var digest: Digest256
        var error: DiskError
    }

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
        return !versions.isVerified(key)
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
        do {
            let isDone =
                try check.isHashing ? hashStep(&check, version, &disk) : lengthStep(&check, version, &disk)
            guard isDone else { return check }
        } catch {
            return verificationFailed(after: error, check, version)
        }
        store.retry.succeeded()
        verificationEnded(check)
        return nil
    }

    /// The error says nothing about the content: it is read again, and left out at last.
    private mutating func verificationFailed(
        after error: DiskError, _ failed: VersionVerification, _ version: StoredVersion
    ) -> VersionVerification? {
        var check = failed
        beginCoverClockOfWaiting()
        if check.purpose != .offer,
            let delay = store.retry.delay(
                .verify(check), at: now, inForeground: environment.inForeground, jitter: choose("verify"))
        {
            effects.append(.setTimer(.disk, after: delay))
            return nil
        }
        if case .blob(let digest) = version.storedAssets[check.assetIndex].location {
            check.unread.append(VersionVerification.Unread(digest: digest, error: error))
        }
        check.nextFile()
        return check
    }

    private func lengthStep(
        _ check: inout VersionVerification, _ version: StoredVersion, _ disk: inout some Disk
    ) throws(DiskError) -> Bool {
        var callCount = 0
        while check.assetIndex < version.storedAssets.count {
            if callCount == 16 { return false }
            let stored = version.storedAssets[check.assetIndex]
            guard case .blob(let digest) = stored.location else {
                check.assetIndex += 1
                continue
            }
            callCount += 1
            if let status = try disk.statusIfPresent(StorePaths.blob(digest)) {
                if status.kind != .file || status.size != stored.size {
                    check.reportDamage(digest, "length \(status.size) instead of \(stored.size)")
                }
            } else {
                check.reportDamage(digest, "it is not there", isMissing: true)
            }
            check.assetIndex += 1
        }
        // A missing file means that something else removed files here, so lengths are not sufficient.
        guard needsHashes(check.key) || check.damages.contains(where: \.isMissing) else { return true }
        check.assetIndex = 0
        check.isHashing = true
        return false
    }

    /// Reads and hashes what one step may.
    private func hashStep(
        _ check: inout VersionVerification, _ version: StoredVersion, _ disk: inout some Disk
    ) throws(DiskError) -> Bool {
        var budget = check.bytesPerStep
        var calls = 0
        while check.assetIndex < version.storedAssets.count {
            guard case .blob(let digest) = version.storedAssets[check.assetIndex].location,
                !check.isSettled(digest)
            else {
                check.assetIndex += 1
                continue
            }
            if budget <= 0 || calls > 12 { return false }
            calls += 3
            do throws(DiskError) {
                let file: FileHandle
                if let open = check.file {
                    file = open
                } else {
                    file = try disk.open(StorePaths.blob(digest), .read)
                }
                check.file = file
                let chunk = try disk.read(file, at: check.offset, count: budget)
                check.hash.update(chunk)
                check.offset += chunk.count
                let wanted = budget
                budget -= max(chunk.count, 4_096)
                guard chunk.count < wanted || check.offset >= version.storedAssets[check.assetIndex].size
                else { return false }
                disk.closeQuietly(file)
                if check.hash.finish() != digest { check.reportDamage(digest, "other hash") }
            } catch {
                if let file = check.file { disk.closeQuietly(file) }
                check.restartFile()
                if error.errorClass == .absent {
                    check.reportDamage(digest, "it is not there", isMissing: true)
                } else if error.code == .inputOutput, isUnreadAgain(digest) {
                    check.reportDamage(digest, "\(error) again")
                } else {
                    throw error
                }
            }
            check.nextFile()
        }
        return true
    }

    /// Whether these bytes could not be read before: by the server in this process, or by an earlier process.
    func isUnreadAgain(_ digest: Digest256) -> Bool {
        versions.isUnread(digest) || starts.file.unreadLaunches(of: digest) > 0
    }

    private mutating func verificationEnded(_ ended: VersionVerification) {
        var check = ended
        for unread in check.unread where countUnread(unread) {
            check.reportDamage(unread.digest, "\(unread.error) at several launches")
        }
        check.unread.removeAll { unread in check.damages.contains { $0.digest == unread.digest } }
        if let unread = check.unread.first, check.damages.isEmpty {
            versions.readFailed([unread.digest])
            skipUnreadable(check.key, "content=\(unread.digest.hex.prefix(12)) \(unread.error)")
            if check.purpose == .start { selection.choice = nil }
            continueAfterVerification(check)
            return
        }
        guard check.damages.isEmpty else {
            markDamaged(check.damages, check.key)
            if check.damages.contains(where: \.isMissing) { record.checked = [] }
            if check.purpose != .offer { selection.choice = nil }
            // Damage is recorded before another version is served instead (R10).
            switch check.purpose {
            case .start: commit(then: .opened)
            case .page: commit(then: .answerPageLoads)
            case .offer:
                commit()
                checks.require()
                scheduleRetry()
            }
            return
        }
        versions.verificationSucceeded(check.key)
        recordChecked(check.key)
        if let blobs = version(check.key)?.blobs, starts.file.hasUnread(blobs) {
            changeStartsFile { $0.forgetUnread(blobs) }
        }
        continueAfterVerification(check)
    }

    private mutating func continueAfterVerification(_ check: VersionVerification) {
        switch check.purpose {
        case .start: version(check.key) == nil || selection.choice == nil ? chooseAtStart() : ready()
        case .page: answerWaitingPageLoads()
        // A page that listened meanwhile was not told of it (T2).
        case .offer: if check.key == record.pending { commit(then: .readableAgain(check.key)) }
        }
    }

    /// The origin offers a version that this process could not read: it is read again. If that fails too, its
    /// content is damaged and downloaded again (R10).
    mutating func readAgain(_ key: VersionKey) {
        let isWaiting = jobs.contains { job in if case .verify = job { true } else { false } }
        guard version(key) != nil, !isWaiting else {
            return log(.readFailed, key, "is read again at the next launch")
        }
        log(.readFailed, key, "is read again")
        jobs.add(.verify(VersionVerification(key: key, purpose: .offer)))
    }

    /// The version has a file that can't be read now, which says nothing about it: this process does without
    /// the version, and the record keeps it. Its table names its content, which is retained.
    mutating func skipUnreadable(_ key: VersionKey, _ detail: String) {
        versions.skip(key)
        log(.readFailed, key, detail)
    }

    /// Whether this process does without the version.
    func isUnreadable(_ key: VersionKey) -> Bool {
        versions.isUnreadable(key) || (store.isPackageUnread && key == record.embedded)
    }

    /// Counts a launch in which the content could not be read, once, however often it is read. Without a user
    /// in front, the device may be locked, so that a denied access says nothing at all.
    /// - Returns: whether the content counts as damaged now.
    mutating func countUnread(_ unread: VersionVerification.Unread) -> Bool {
        let mayBeLocked = unread.error.code == .denied && !environment.inForeground
        guard store.phase != .readOnlyStore, !mayBeLocked else { return false }
        jobs.addStartsFile()
        return starts.file.countUnread(
            unread.digest, at: originNow ?? record.originTime, isFirst: versions.countUnread(unread.digest))
    }

    /// Notes that the version's bytes were found complete during this boot.
    mutating func recordChecked(_ key: VersionKey) {
        if record.boot != launch?.bootID { record.checked = [] }
        record.boot = launch?.bootID
        guard launch?.bootID != nil, !record.checked.contains(key) else { return }
        record.checked.append(key)
        if record.checked.count > 8 { record.checked.removeFirst() }
    }

    /// The server met a read error: the content is verified again, including hashes, before the next page
    /// load is served from it (R10). A temporary error has no consequence; a damaged sector is found then.
    mutating func readFailed(_ key: VersionKey, _ path: DiskPath) {
        guard let version = version(key) else { return }
        let affected = version.blobs.filter { StorePaths.blob($0) == path }
        guard !affected.isEmpty else { return packageReadFailed(key, path) }
        log(.readFailed, key, "content=\(path.name.prefix(12))")
        versions.readFailed(affected)
        if starts.run?.key == key { starts.run?.hasReadError = true }
        let users = versions.verifyAgain(usersOf: affected)
        record.checked.removeAll { users.contains($0) }
        commit()
    }

    /// A file of the app package, which a downloaded version may share with it, can't be verified or fetched
    /// again; what the page does without it is not the version's fault (R10).
    private mutating func packageReadFailed(_ key: VersionKey, _ path: DiskPath) {
        guard path.volume == .package, starts.run?.key == key, starts.run?.hasReadError == false else {
            return
        }
        starts.run?.hasReadError = true
        log(.readFailed, key, "package=\(path.name.prefix(60))")
    }
}

extension VersionVerification {
    mutating func reportDamage(_ digest: Digest256, _ reason: String, isMissing: Bool = false) {
        guard !damages.contains(where: { $0.digest == digest }) else { return }
        damages.append(Damage(digest: digest, reason: reason, isMissing: isMissing))
    }

    /// Whether nothing more is to be found out about the content.
    func isSettled(_ digest: Digest256) -> Bool {
        damages.contains { $0.digest == digest } || unread.contains { $0.digest == digest }
    }

    mutating func nextFile() {
        restartFile()
        assetIndex += 1
    }

    /// The file is read from its beginning; it is closed.
    mutating func restartFile() {
        file = nil
        hash = SHA256()
        offset = 0
    }
}
