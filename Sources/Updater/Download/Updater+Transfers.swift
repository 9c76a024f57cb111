import Core

/// The bytes of files on their way: written and hashed as they come, never longer than announced (U1, U11,
/// ST-1).
extension Updater {
    /// Parts of a transfer that is not ours any more are dropped: nothing of it is written anywhere (U4).
    mutating func downloadReceived(_ part: TransferEvent, of id: TransferID, _ disk: inout some Disk) {
        guard let place = download?.transfers.firstIndex(where: { $0.id == id }) else { return }
        hasTouchedDisk = true
        switch part {
        case .head(let status, let fields): headReceived(place, status, AnswerFields(fields), &disk)
        case .bytes(let bytes): bytesReceived(place, bytes, &disk)
        case .end: bodyEnded(place, &disk)
        case .failed(let failure): stop(place, .transferFailed, failure.rawValue, &disk)
        }
    }

    private mutating func headReceived(
        _ place: Int, _ status: Int, _ answer: AnswerFields, _ disk: inout some Disk
    ) {
        guard var transfer = download?.transfers[place], let row = download?.table.rows[transfer.row] else {
            return
        }
        transfer.status = status
        transfer.lastProgress = now
        effects.append(.setTimer(.idle(transfer.id), after: settings.idleTimeout))
        let isContinued = status == 206 && transfer.resumedAt > 0 && answer.range?.first == transfer.resumedAt
        guard status == 200 || isContinued else {
            return refused(place, transfer, row, status, answer, &disk)
        }
        if let tag = transfer.tag, isContinued, let told = answer.strongTag, told != tag {
            download?.transfers[place] = transfer
            return stop(place, .contentMismatch, "another entity for a range", &disk, keepsPartial: false)
        }
        do {
            if !isContinued { try restart(&transfer, &disk) }
            transfer.tag = answer.strongTag
            if let tag = answer.strongTag {
                try PartialNote.write(transfer.key, url: row.url, tag: tag, &disk)
            }
        } catch {
            download?.transfers[place] = transfer
            return stopForDisk(place, error, &disk)
        }
        transfer.announced = answer.contentLength.map { $0 + transfer.offset }
        download?.transfers[place] = transfer
        if let size = row.size, let announced = transfer.announced, announced != size {
            stop(
                place, .lengthMismatch, "route=\(row.route) announced=\(announced) wanted=\(size)", &disk,
                keepsPartial: false)
        }
    }

    private mutating func restart(_ transfer: inout Transfer, _ disk: inout some Disk) throws(DiskError) {
        if let file = transfer.file { disk.closeQuietly(file) }
        transfer.file = nil
        let path = StorePaths.partialFile(transfer.key)
        if transfer.resumedAt > 0 || transfer.offset > 0 { _ = disk.removeQuietly(path) }
        transfer.offset = 0
        transfer.resumedAt = 0
        transfer.sha256 = SHA256()
        if transfer.sha1 != nil { transfer.sha1 = SHA1() }
        transfer.file = try disk.open(path, .create)
    }

    /// Transient statuses wait; the others say that the manifest may be of yesterday, so it is asked for
    /// first.
    private mutating func refused(
        _ place: Int, _ transfer: Transfer, _ row: Row, _ status: Int, _ answer: AnswerFields,
        _ disk: inout some Disk
    ) {
        download?.transfers[place] = transfer
        if status == 416, transfer.resumedAt > 0, transfer.resumedAt == row.size {
            return bodyEnded(place, &disk)
        }
        if row.isOptional, status == 404 || status == 410 {
            effects.append(.cancelFetch(transfer.id))
            take(out: place, state: .have(StoredVersion.Place(location: .absent, size: 0)), &disk)
            return fetchMore()
        }
        let isTransient = [408, 425, 429].contains(status) || status >= 500
        let isOddRange = status == 206 || status == 416
        stop(
            place, .statusRefused, "route=\(row.route) status=\(status)", &disk, keepsPartial: !isOddRange,
            retryAfter: answer.retryAfter(answer.date), asksManifest: !isTransient && !isOddRange)
    }

    private mutating func bytesReceived(_ place: Int, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard var transfer = download?.transfers[place], let row = download?.table.rows[transfer.row],
            let file = transfer.file
        else { return }
        let limit = row.size ?? transfer.announced ?? settings.limits.fileBytes
        guard transfer.offset + bytes.count <= limit else {
            return stop(
                place, .lengthMismatch, "route=\(row.route) longer than \(limit)", &disk, keepsPartial: false,
                asksManifest: true)
        }
        do {
            try disk.writeAll(file, bytes, at: transfer.offset)
        } catch {
            return stopForDisk(place, error, &disk)
        }
        transfer.sha256.update(bytes)
        transfer.sha1?.update(bytes)
        if let count = transfer.indexBytes?.count, count < 1 << 20 {
            transfer.indexBytes?.append(contentsOf: bytes)
        }
        transfer.offset += bytes.count
        transfer.lastProgress = now
        transfer.windowBytes += bytes.count
        download?.transfers[place] = transfer
        backoff.reset()
        tellProgress()
    }

    private mutating func bodyEnded(_ place: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place], let row = download?.table.rows[transfer.row] else {
            return
        }
        effects.append(.cancelTimer(.idle(transfer.id)))
        if let why = flaw(of: transfer, row) {
            download?.bypassesCache = true
            return stop(place, why.cause, why.detail, &disk, keepsPartial: false, asksManifest: true)
        }
        guard let file = transfer.file else { return }
        download?.rows[transfer.row] = .finishing
        download?.transfers.remove(at: place)
        background.append(
            .finish(
                FileFinish(
                    row: transfer.row, key: transfer.key, digest: transfer.sha256.finish(), file: file,
                    size: transfer.offset)))
        fetchMore()
    }

    private func flaw(of transfer: Transfer, _ row: Row) -> ManifestRefusal? {
        if let wanted = row.size ?? transfer.announced, wanted != transfer.offset {
            return ManifestRefusal(
                .lengthMismatch, "route=\(row.route) bytes=\(transfer.offset) wanted=\(wanted)")
        }
        switch row.hash {
        case .sha256(let digest):
            if transfer.sha256.finish() != digest {
                return ManifestRefusal(.contentMismatch, "route=\(row.route) other hash")
            }
        case .sha1(let digest):
            if transfer.sha1?.finish() != digest {
                return ManifestRefusal(.contentMismatch, "route=\(row.route) other hash")
            }
        case .none: break
        }
        guard let index = transfer.indexBytes, let wanted = download?.table.key.id else { return nil }
        guard let told = MeteorIndex.version(in: index), told != wanted else { return nil }
        return ManifestRefusal(.indexOfOtherVersion, "wanted=\(wanted) index=\(told.prefix(100))")
    }

    // MARK: Ends that are no success

    private mutating func take(out place: Int, state: Download.RowState, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place] else { return }
        effects.append(.cancelTimer(.idle(transfer.id)))
        if let file = transfer.file { disk.closeQuietly(file) }
        download?.rows[transfer.row] = state
        download?.transfers.remove(at: place)
    }

    private mutating func stop(
        _ place: Int, _ cause: LogCause, _ detail: String, _ disk: inout some Disk, keepsPartial: Bool = true,
        retryAfter: TimeSpan? = nil, asksManifest: Bool = false
    ) {
        guard let transfer = download?.transfers[place] else { return }
        effects.append(.cancelFetch(transfer.id))
        take(out: place, state: .needed, &disk)
        if !keepsPartial { _ = disk.removeQuietly(StorePaths.partialFile(transfer.key)) }
        let isMismatch =
            cause == .contentMismatch || cause == .lengthMismatch || cause == .indexOfOtherVersion
        if isMismatch { download?.bypassesCache = true }
        downloadFailed(cause, detail, retryAfter: retryAfter, asksManifest: asksManifest || isMismatch)
    }

    private mutating func stopForDisk(_ place: Int, _ error: DiskError, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place] else { return }
        effects.append(.cancelFetch(transfer.id))
        take(out: place, state: .needed, &disk)
        _ = disk.removeQuietly(StorePaths.partialFile(transfer.key))
        diskFailedDownload(error)
    }

    /// Silent too long, or under 1 KiB/s over a minute: the request ends, the file goes on later (U5).
    mutating func transferIsIdle(_ id: TransferID, _ disk: inout some Disk) {
        if check?.id == id { return checkIsIdle() }
        guard let place = download?.transfers.firstIndex(where: { $0.id == id }),
            var transfer = download?.transfers[place]
        else { return }
        let limit = transfer.status == 0 ? settings.connectTimeout : settings.idleTimeout
        let silent = now - transfer.lastProgress
        let window = now - transfer.windowStart
        let isSlow = window >= .seconds(60) && transfer.windowBytes < 60 << 10
        if silent >= limit || isSlow {
            hasTouchedDisk = true
            return stop(place, .transferStalled, "silent=\(silent.microseconds / 1_000_000) s", &disk)
        }
        if window >= .seconds(60) {
            transfer.windowStart = now
            transfer.windowBytes = 0
            download?.transfers[place] = transfer
        }
        effects.append(.setTimer(.idle(id), after: limit - silent))
    }
}
