import Core
import HTTP1

/// Bodies of files: written and hashed as they arrive, never beyond the announced length (U1, U11).
extension Updater {
    /// Handles a part of a transfer's response. Parts of an unknown transfer are dropped and written nowhere
    /// (U4).
    mutating func downloadReceived(_ part: TransferEvent, of id: TransferID, _ disk: inout some Disk) {
        guard let index = download?.transfers.firstIndex(where: { $0.id == id }) else { return }
        hasTouchedDisk = true
        switch part {
        case .head(let status, let fields): headReceived(index, status, fields, &disk)
        case .bytes(let bytes): bytesReceived(index, bytes, &disk)
        case .end: bodyEnded(index, &disk)
        case .failed(let failure): stopTransfer(index, .transferFailed, failure.rawValue, &disk)
        }
    }

    /// Acts on the head of a response, as ``OriginResponse`` decides.
    private mutating func headReceived(
        _ index: Int, _ status: Int, _ fields: HeaderFields, _ disk: inout some Disk
    ) {
        guard var transfer = download?.transfers[index],
            let asset = download?.table.assets[transfer.assetIndex]
        else { return }
        transfer.status = status
        transfer.lastProgress = now
        download?.transfers[index] = transfer
        effects.append(.setTimer(.idle(transfer.id), after: settings.idleTimeout))
        let fileLimit = settings.limits.fileBytes
        switch OriginResponse(status: status, fields, transfer, asset, limit: fileLimit) {
        case .whole: beginBody(index, fields, from: 0, &disk)
        case .resumes: beginBody(index, fields, from: transfer.resumedAt, &disk)
        case .complete:
            effects.append(.cancelFetch(transfer.id))
            finishTransfer(index, &disk)
        case .unchanged:
            effects.append(.cancelFetch(transfer.id))
            useStoredContent(index, &disk)
        case .missing: skipOptional(index, "route=\(asset.route) status=\(status)", &disk)
        case .redirected: followFileRedirect(index, fields, &disk)
        case .refused(let refusal):
            if refusal.needsManifest, countRefusal(transfer, asset) {
                return skipOptional(index, refusal.detail, &disk)
            }
            originRequestedDelay(fields.requestedWait(status), fields.date)
            if refusal.bypassesCache { download?.bypassesCache = true }
            stopTransfer(
                index, refusal.cause, refusal.detail, &disk, keepsPartial: refusal.keepsPartial,
                needsManifest: refusal.needsManifest)
        }
    }

    /// The body starts, at the first byte or at the end of the partial file.
    private mutating func beginBody(
        _ index: Int, _ fields: HeaderFields, from start: Int, _ disk: inout some Disk
    ) {
        guard var transfer = download?.transfers[index],
            let asset = download?.table.assets[transfer.assetIndex]
        else { return }
        var mayBeLarger = start == 0 && transfer.resumedAt > 0
        do {
            if start == 0 { try restartFile(&transfer, &disk) }
            transfer.tag = fields.strongTag
            if let tag = fields.strongTag {
                try PartialMetadata(tag: tag, mark: partialMark).write(transfer.key, url: asset.url, &disk)
            } else if start == 0 {
                // What is noted speaks for the part before this one.
                try disk.removeIfPresent(StorePaths.partialMetadata(transfer.key))
            }
        } catch {
            download?.transfers[index] = transfer
            return stopAfterDiskError(index, error, &disk)
        }
        transfer.announced = fields.contentLength?.adding(UntrustedInteger(start))
        download?.transfers[index] = transfer
        if asset.size == nil, let announced = transfer.announced {
            let limit = settings.limits.fileBytes
            download?.assets.announced(transfer.assetIndex, announced, limit: limit)
            mayBeLarger = true
        }
        // The file may be more than a metered network may carry (U15).
        if mayBeLarger, pausesForDataPolicy() { applyDataPolicy() }
    }

    private mutating func restartFile(_ transfer: inout FileTransfer, _ disk: inout some Disk)
        throws(DiskError)
    {
        if let file = transfer.file { disk.closeQuietly(file) }
        transfer.file = nil
        let path = StorePaths.partialFile(transfer.key)
        if transfer.resumedAt > 0 || transfer.offset > 0 { _ = disk.removeQuietly(path) }
        download?.assets.discarded(transfer.assetIndex)
        transfer.offset = 0
        transfer.resumedAt = 0
        transfer.sha256 = SHA256()
        if transfer.sha1 != nil { transfer.sha1 = SHA1() }
        transfer.file = try disk.open(path, .create)
        partial.wrote(transfer.key)
    }

    /// Counts that the asset was refused for good, or came with other bytes than announced.
    /// - Returns: whether that was often enough for an optional one to count as missing.
    private mutating func countRefusal(_ transfer: FileTransfer, _ asset: Asset) -> Bool {
        download?.assets.refused(transfer.assetIndex)
        return asset.isOptional
            && (download?.assets.refusals[transfer.assetIndex] ?? 0) >= Download.maxOptionalRefusals
    }

    /// U12: the version does without it.
    private mutating func skipOptional(_ index: Int, _ reason: String, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index] else { return }
        log(.optionalMissing, download?.table.key, reason)
        effects.append(.cancelFetch(transfer.id))
        removeTransfer(at: index, &disk)
        discardPart(transfer, &disk)
        let absent = StoredVersion.StoredAsset(location: .absent, size: 0)
        download?.markAvailable(transfer.assetIndex, absent)
        reportProgress()
        fetchMore()
    }

    private mutating func followFileRedirect(_ index: Int, _ fields: HeaderFields, _ disk: inout some Disk) {
        guard var transfer = download?.transfers[index] else { return }
        do {
            try followRedirect(fields, &transfer.id, &transfer.request, &transfer.redirects)
        } catch {
            return stopTransfer(index, error.cause, error.detail, &disk, needsManifest: true)
        }
        transfer.status = 0
        download?.assets.set(.active(transfer.id), at: transfer.assetIndex)
        download?.transfers[index] = transfer
    }

    /// 304: uses the stored version's content if it is complete (U2).
    private mutating func useStoredContent(_ index: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index], let stored = transfer.stored,
            case .blob(let digest) = stored.location
        else { return }
        let exists: Bool
        do {
            let status = try disk.statusIfPresent(StorePaths.blob(digest))
            exists = status?.kind == .file && status?.size == stored.size
        } catch {
            // It says nothing about the content: the asset is asked for with its condition again.
            removeTransfer(at: index, &disk)
            return diskFailedForAsset(transfer.assetIndex, error)
        }
        removeTransfer(at: index, &disk)
        if exists {
            download?.markAvailable(transfer.assetIndex, stored)
        } else if versions.all.contains(where: { $0.blobs.contains(digest) }) {
            // It no longer counts as stored: the next request asks for the whole file.
            if let key = download?.table.key {
                markDamaged([VersionVerification.Damage(digest: digest, reason: "gone")], key)
            }
            commit()
            assetAttemptFailed(transfer.assetIndex)
        }
        // Otherwise its version has left since the request, and its content with it: the whole file is
        // requested.
        reportProgress()
        fetchMore()
    }

    private mutating func bytesReceived(_ index: Int, _ bytes: [UInt8], _ disk: inout some Disk) {
        guard var transfer = download?.transfers[index],
            let asset = download?.table.assets[transfer.assetIndex],
            let file = transfer.file
        else { return }
        let fileLimit = UntrustedInteger(settings.limits.fileBytes)
        let size = asset.size.map { UntrustedInteger($0) }
        let limit = min(size ?? fileLimit, transfer.announced ?? fileLimit, fileLimit)
        guard UntrustedInteger(transfer.offset + bytes.count) <= limit else {
            return wrongBody(
                index, ManifestRefusal(.lengthMismatch, "route=\(asset.route) longer than \(limit)"), &disk)
        }
        do {
            try writeReceived(bytes, &transfer, file, &disk)
        } catch {
            return stopAfterDiskError(index, error, &disk)
        }
        transfer.sha256.update(bytes)
        transfer.sha1?.update(bytes)
        if let count = transfer.indexBytes?.count, count < MeteorIndex.maxBytes {
            transfer.indexBytes?.append(contentsOf: bytes)
        }
        transfer.offset += bytes.count
        transfer.lastProgress = now
        transfer.windowBytes += bytes.count
        download?.transfers[index] = transfer
        download?.assets.received(transfer.assetIndex, upTo: transfer.offset)
        if isVersionTooLarge(asset) {
            return stopTransfer(
                index, .versionTooLarge, "bytes=\(settings.limits.versionBytes)", &disk, keepsPartial: false,
                needsManifest: true)
        }
        reportProgress()
    }

    /// Writes a part as far as one step may; the rest waits, and so do the parts after it.
    private mutating func writeReceived(
        _ bytes: [UInt8], _ transfer: inout FileTransfer, _ file: FileHandle, _ disk: inout some Disk
    ) throws(DiskError) {
        guard transfer.unwritten.isEmpty else { return transfer.unwritten += bytes }
        let written = try disk.writeSome(file, bytes[...], at: transfer.offset)
        guard written < bytes.count else { return }
        transfer.unwritten = Array(bytes[written...])
        jobs.add(.writeReceived(transfer.id))
    }

    /// Writes more of what has been received, on a disk that accepts little at a time.
    /// - Returns: true if bytes are left.
    mutating func stepWriteReceived(_ id: TransferID, _ disk: inout some Disk) -> Bool {
        guard let index = download?.transfers.firstIndex(where: { $0.id == id }),
            var transfer = download?.transfers[index], let file = transfer.file
        else { return false }
        do {
            let start = transfer.offset - transfer.unwritten.count
            let end = min(transfer.unwritten.count, FileWriting.bytesPerStep)
            transfer.unwritten.removeFirst(try disk.writeSome(file, transfer.unwritten[..<end], at: start))
        } catch {
            stopAfterDiskError(index, error, &disk)
            return false
        }
        download?.transfers[index] = transfer
        guard transfer.unwritten.isEmpty else { return true }
        if transfer.hasEnded { bodyEnded(index, &disk) }
        return false
    }

    /// Whether files whose size no manifest states make the version too large, counted while they arrive
    /// (U10).
    private func isVersionTooLarge(_ asset: Asset) -> Bool {
        guard asset.size == nil, let plan = download else { return false }
        let total = RequiredSpace.sum(plan.transfers.map(\.offset) + [plan.assets.storedBytes])
        return total > UntrustedInteger(settings.limits.versionBytes)
    }

    private mutating func bodyEnded(_ index: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index] else { return }
        guard transfer.file != nil, transfer.status == 200 || transfer.status == 206 else {
            return stopTransfer(index, .transferFailed, "ended without a body", &disk)
        }
        guard transfer.unwritten.isEmpty else {
            download?.transfers[index].hasEnded = true
            return
        }
        finishTransfer(index, &disk)
    }

    private mutating func finishTransfer(_ index: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index],
            let asset = download?.table.assets[transfer.assetIndex],
            let file = transfer.file
        else { return }
        // A server may send less than requested (RFC 9110 §14.2): these bytes are valid, the rest is
        // requested next.
        if transfer.status == 206, let size = asset.size, transfer.offset < size {
            return stopTransfer(
                index, .transferFailed, "route=\(asset.route) a part ends at \(transfer.offset)", &disk)
        }
        if let reason = mismatch(of: transfer, asset) { return wrongBody(index, reason, &disk) }
        effects.append(.cancelTimer(.idle(transfer.id)))
        download?.endTransfer(at: index, .finishing)
        retries.arrived()
        jobs.add(
            .completeFile(
                FileCompletion(
                    assetIndex: transfer.assetIndex, key: transfer.key, digest: transfer.sha256.finish(),
                    file: file,
                    size: transfer.offset, tag: transfer.tag)))
        fetchMore()
    }

    /// What has arrived is not the file that the manifest announces.
    private mutating func wrongBody(_ index: Int, _ reason: ManifestRefusal, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index],
            let asset = download?.table.assets[transfer.assetIndex]
        else { return }
        if countRefusal(transfer, asset) { return skipOptional(index, reason.detail, &disk) }
        download?.bypassesCache = true
        stopTransfer(index, reason.cause, reason.detail, &disk, keepsPartial: false, needsManifest: true)
    }

    /// Why the received bytes are not the announced file; nil: they are.
    private func mismatch(of transfer: FileTransfer, _ asset: Asset) -> ManifestRefusal? {
        let size = asset.size.map { UntrustedInteger($0) }
        if let wanted = size ?? transfer.announced, wanted != UntrustedInteger(transfer.offset) {
            return ManifestRefusal(
                .lengthMismatch, "route=\(asset.route) bytes=\(transfer.offset) wanted=\(wanted)")
        }
        if asset.hash.matches(transfer.sha256, transfer.sha1) == false {
            return ManifestRefusal(.contentMismatch, "route=\(asset.route) other hash")
        }
        guard let index = transfer.indexBytes, let required = indexRequirements else { return nil }
        do {
            try MeteorIndex.check(index, required)
            return nil
        } catch {
            return error
        }
    }

    /// What the index of the download must state (U10.meteor-index).
    private var indexRequirements: MeteorIndex.Requirements? {
        guard let plan = download else { return nil }
        let embedded = plan.embeddedIndex
        return MeteorIndex.Requirements(
            version: plan.table.key.id, apps: [settings.app] + [embedded?.appID].compactMap { $0 },
            allowsLocalRoot: MeteorIndex.isLocal(settings.origin) || embedded?.isLocal ?? false)
    }

    // MARK: Failed transfers

    private mutating func removeTransfer(at index: Int, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index] else { return }
        effects.append(.cancelTimer(.idle(transfer.id)))
        if let open = transfer.openFile { closePartial(open, &disk) }
        download?.endTransfer(at: index, .needed)
    }

    /// Ends a transfer as a failed attempt; the file is tried again later.
    private mutating func stopTransfer(
        _ index: Int, _ cause: LogCause, _ detail: String, _ disk: inout some Disk, keepsPartial: Bool = true,
        needsManifest: Bool = false
    ) {
        guard let transfer = download?.transfers[index] else { return }
        effects.append(.cancelFetch(transfer.id))
        removeTransfer(at: index, &disk)
        if !keepsPartial { discardPart(transfer, &disk) }
        assetAttemptFailed(transfer.assetIndex)
        downloadFailed(cause, detail, needsManifest: needsManifest)
    }

    mutating func stopAfterDiskError(_ index: Int, _ error: DiskError, _ disk: inout some Disk) {
        guard let transfer = download?.transfers[index] else { return }
        effects.append(.cancelFetch(transfer.id))
        removeTransfer(at: index, &disk)
        discardPart(transfer, &disk)
        diskFailedForAsset(transfer.assetIndex, error)
    }

    private mutating func discardPart(_ transfer: FileTransfer, _ disk: inout some Disk) {
        removePartQuietly(transfer.key, &disk)
        download?.assets.discarded(transfer.assetIndex)
    }

    /// Silent too long, or below 1 KiB/s for a minute: ends the request; the file resumes later (U5).
    mutating func transferIdleTimerFired(_ id: TransferID, _ disk: inout some Disk) {
        if checks.run?.id == id { return checkIdleTimerFired() }
        if outcomeUpload?.id == id { return outcomesIdleTimerFired() }
        guard let index = download?.transfers.firstIndex(where: { $0.id == id }),
            var transfer = download?.transfers[index]
        else { return }
        let limit = transfer.status == 0 ? settings.connectTimeout : settings.idleTimeout
        let silent = now - transfer.lastProgress
        let window = now - transfer.windowStart
        // The timer fires some time after the minute is over: all of that time counts.
        let wanted = window.microseconds / 1_000_000 * 1_024
        let isSlow = window >= .seconds(60) && transfer.windowBytes < wanted
        if silent >= limit || isSlow {
            hasTouchedDisk = true
            return stopTransfer(index, .transferStalled, "silent=\(silent.microseconds / 1_000_000) s", &disk)
        }
        if window >= .seconds(60) {
            transfer.windowStart = now
            transfer.windowBytes = 0
            download?.transfers[index] = transfer
        }
        effects.append(.setTimer(.idle(id), after: limit - silent))
    }
}
