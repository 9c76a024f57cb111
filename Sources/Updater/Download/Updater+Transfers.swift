import Core
import HTTP1

/// The bytes of files on their way: written and hashed as they come, never longer than announced (U1, U11,
/// ST-1).
extension Updater {
    /// Parts of a transfer that is not ours any more are dropped: nothing of it is written anywhere (U4).
    mutating func downloadReceived(_ part: TransferEvent, of id: TransferID, _ disk: inout some Disk) {
        guard let place = download?.transfers.firstIndex(where: { $0.id == id }) else { return }
        hasTouchedDisk = true
        switch part {
        case .head(let status, let fields): headReceived(place, status, fields, &disk)
        case .bytes(let bytes): bytesReceived(place, bytes, &disk)
        case .end: bodyEnded(place, &disk)
        case .failed(let failure): stop(place, .transferFailed, failure.rawValue, &disk)
        }
    }

    private mutating func headReceived(
        _ place: Int, _ status: Int, _ fields: HeaderFields, _ disk: inout some Disk
    ) {
        guard var transfer = download?.transfers[place], let row = download?.table.rows[transfer.row] else {
            return
        }
        transfer.status = status
        transfer.lastProgress = now
        download?.transfers[place] = transfer
        effects.append(.setTimer(.idle(transfer.id), after: settings.idleTimeout))
        let largest = settings.limits.fileBytes
        switch FileAnswer(status: status, fields, transfer, row, largest: largest) {
        case .whole: takeUp(place, fields, from: 0, &disk)
        case .goesOn: takeUp(place, fields, from: transfer.resumedAt, &disk)
        case .complete:
            effects.append(.cancelFetch(transfer.id))
            ended(place, &disk)
        case .unchanged:
            effects.append(.cancelFetch(transfer.id))
            unchanged(place, &disk)
        case .missing: missing(place, "status=\(status)", &disk)
        case .elsewhere: redirected(place, fields, &disk)
        case .refused(let refusal) where refusal.asksManifest && isGivenUp(transfer, row):
            missing(place, refusal.detail, &disk)
        case .refused(let refusal):
            let isTransient = StatusCode(status).isTransient
            originWishes(isTransient ? fields.retryAfter(fields.date) : nil)
            if refusal.bypassesCache { download?.bypassesCache = true }
            stop(
                place, refusal.cause, refusal.detail, &disk, keepsPartial: refusal.keepsPartial,
                asksManifest: refusal.asksManifest)
        }
    }

    /// The body comes, from the first byte or from where the partial file ends.
    private mutating func takeUp(
        _ place: Int, _ fields: HeaderFields, from start: Int, _ disk: inout some Disk
    ) {
        guard var transfer = download?.transfers[place], let row = download?.table.rows[transfer.row] else {
            return
        }
        do {
            if start == 0 { try restart(&transfer, &disk) }
            transfer.tag = fields.strongTag
            if let tag = fields.strongTag {
                try PartialNote.write(transfer.key, url: row.url, tag: tag, &disk)
            }
        } catch {
            download?.transfers[place] = transfer
            return stopForDisk(place, error, &disk)
        }
        // Within the limits, as ``FileAnswer`` has found.
        transfer.announced = fields.contentLength.map { $0 + start }
        download?.transfers[place] = transfer
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

    /// An optional row that was refused for good, or came wrong, so often counts as missing.
    private func isGivenUp(_ transfer: Transfer, _ row: Row) -> Bool {
        row.isOptional && (download?.attempts[transfer.row] ?? 0) >= Download.mostTriesOfOptional
    }

    /// U12: the version goes without it.
    private mutating func missing(_ place: Int, _ why: String, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place], let row = download?.table.rows[transfer.row] else {
            return
        }
        log(.optionalMissing, download?.table.key, "route=\(row.route) \(why)")
        effects.append(.cancelFetch(transfer.id))
        take(out: place, &disk)
        _ = disk.removeQuietly(StorePaths.partialFile(transfer.key))
        have(StoredVersion.Place(location: .absent, size: 0), transfer.row)
        tellProgress()
        fetchMore()
    }

    private mutating func redirected(_ place: Int, _ fields: HeaderFields, _ disk: inout some Disk) {
        guard var transfer = download?.transfers[place] else { return }
        do {
            try follow(fields, &transfer.id, &transfer.request, &transfer.redirects)
        } catch {
            return stop(place, error.cause, error.detail, &disk, asksManifest: true)
        }
        transfer.status = 0
        download?.rows[transfer.row] = .active(transfer.id)
        download?.transfers[place] = transfer
    }

    /// 304: the stored version's content, as far as it is there whole (U2).
    private mutating func unchanged(_ place: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place], let stored = transfer.stored,
            case .blob(let digest) = stored.location
        else { return }
        let isThere: Bool
        do {
            let status = try disk.statusIfPresent(StorePaths.blob(digest))
            isThere = status?.kind == .file && status?.size == stored.size
        } catch {
            isThere = false
        }
        take(out: place, &disk)
        if isThere {
            have(stored, transfer.row)
        } else {
            // Nothing is known of it any more: the next request asks for the whole.
            if let key = download?.table.key { markDamaged(digest, key, "gone") }
            commit()
            rowTryFailed(transfer.row)
        }
        tellProgress()
        fetchMore()
    }

    private mutating func bytesReceived(_ place: Int, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard var transfer = download?.transfers[place], let row = download?.table.rows[transfer.row],
            let file = transfer.file
        else { return }
        let largest = settings.limits.fileBytes
        let limit = min(row.size ?? transfer.announced ?? largest, transfer.announced ?? largest, largest)
        guard transfer.offset + bytes.count <= limit else {
            download?.bypassesCache = true
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
        if let reached = download?.reached[transfer.row], transfer.offset > reached {
            download?.reached[transfer.row] = transfer.offset
            download?.paces[transfer.row].gotSomething()
        }
        if isTooMuch(row) {
            return stop(
                place, .versionTooLarge, "bytes=\(settings.limits.versionBytes)", &disk, keepsPartial: false,
                asksManifest: true)
        }
        tellProgress()
    }

    /// Files whose size no manifest states count as they come (U10).
    private func isTooMuch(_ row: Row) -> Bool {
        guard row.size == nil, let plan = download else { return false }
        var total = plan.transfers.reduce(0) { $0 + $1.offset }
        for state in plan.rows { if case .have(let place) = state { total += place.size } }
        return total > settings.limits.versionBytes
    }

    private mutating func bodyEnded(_ place: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place] else { return }
        guard transfer.file != nil, transfer.status == 200 || transfer.status == 206 else {
            return stop(place, .transferFailed, "ended without a body", &disk)
        }
        ended(place, &disk)
    }

    private mutating func ended(_ place: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place], let row = download?.table.rows[transfer.row],
            let file = transfer.file
        else { return }
        // A server may send less than was asked for (RFC 9110 §14.2): what came is good, the rest comes next.
        if transfer.status == 206, let size = row.size, transfer.offset < size {
            return stop(place, .transferFailed, "route=\(row.route) a part ends at \(transfer.offset)", &disk)
        }
        if let why = flaw(of: transfer, row) {
            if isGivenUp(transfer, row) { return missing(place, why.detail, &disk) }
            download?.bypassesCache = true
            return stop(place, why.cause, why.detail, &disk, keepsPartial: false, asksManifest: true)
        }
        effects.append(.cancelTimer(.idle(transfer.id)))
        download?.rows[transfer.row] = .finishing
        download?.transfers.remove(at: place)
        background.append(
            .finish(
                FileFinish(
                    row: transfer.row, key: transfer.key, digest: transfer.sha256.finish(), file: file,
                    size: transfer.offset, tag: transfer.tag)))
        fetchMore()
    }

    private func flaw(of transfer: Transfer, _ row: Row) -> ManifestRefusal? {
        if let wanted = row.size ?? transfer.announced, wanted != transfer.offset {
            return ManifestRefusal(
                .lengthMismatch, "route=\(row.route) bytes=\(transfer.offset) wanted=\(wanted)")
        }
        if row.hash.isOf(transfer.sha256, transfer.sha1) == false {
            return ManifestRefusal(.contentMismatch, "route=\(row.route) other hash")
        }
        guard let index = transfer.indexBytes, let wanted = download?.table.key.id else { return nil }
        guard let told = MeteorIndex.version(in: index), told != wanted else { return nil }
        return ManifestRefusal(.indexOfOtherVersion, "wanted=\(wanted) index=\(told.prefix(100))")
    }

    // MARK: Ends that are no success

    private mutating func take(out place: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place] else { return }
        effects.append(.cancelTimer(.idle(transfer.id)))
        if let file = transfer.file { disk.closeQuietly(file) }
        download?.rows[transfer.row] = .needed
        download?.transfers.remove(at: place)
    }

    private mutating func stop(
        _ place: Int, _ cause: LogCause, _ detail: String, _ disk: inout some Disk, keepsPartial: Bool = true,
        asksManifest: Bool = false
    ) {
        guard let transfer = download?.transfers[place] else { return }
        effects.append(.cancelFetch(transfer.id))
        take(out: place, &disk)
        if !keepsPartial { _ = disk.removeQuietly(StorePaths.partialFile(transfer.key)) }
        rowTryFailed(transfer.row)
        downloadFailed(cause, detail, asksManifest: asksManifest)
    }

    private mutating func stopForDisk(_ place: Int, _ error: DiskError, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[place] else { return }
        effects.append(.cancelFetch(transfer.id))
        take(out: place, &disk)
        _ = disk.removeQuietly(StorePaths.partialFile(transfer.key))
        diskFailedRow(transfer.row, error)
    }

    /// Silent too long, or under 1 KiB/s over a minute: the request ends, the file goes on later (U5).
    mutating func transferIsIdle(_ id: TransferID, _ disk: inout some Disk) {
        if check?.id == id { return checkIsIdle() }
        if outcomeRun?.id == id { return outcomesAreIdle() }
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
