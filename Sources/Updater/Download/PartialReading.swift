import Core
import HTTP1

/// Before a file is requested: compares stored content that may be the same, then looks for a partial file
/// and hashes its bytes again, 64 KiB per step, so that the download resumes where it stopped (U2). A
/// partial file that is already complete is not requested.
///
/// The bytes of one that this process has not written are written anew, in place: it was perhaps left
/// because its close or its sync failed, and then its removal. The system may have forgotten such bytes,
/// although they are still read, and the next sync would succeed without them (ST-2). What an earlier
/// process knew of that is lost.
struct PartialReading: Sendable {
    var assetIndex: Int
    var key: Digest256
    /// Content that is still to be compared; nil: it is not known yet.
    var contents: [ContentToCompare]?
    var file: FileHandle?
    var offset = 0
    var sha256 = SHA256()
    var sha1 = SHA1()
    var tag: String?
    var hasInspectedFile = false
    /// Length of a file whose bytes are written anew as they are read.
    var sizeToWriteAnew: Int?

    /// Most bytes that a step reads. Writing them, too, counts towards its bound (S9).
    var chunkSize: Int {
        sizeToWriteAnew == nil ? FileReading.backgroundChunkSize : FileReading.backgroundChunkSize / 2
    }

    var openFile: OpenPartialFile? { file.map { OpenPartialFile(file: $0, key: key) } }

    static func isUsable(_ status: FileStatus, of asset: Asset) -> Bool {
        let isTooLong = asset.size.map { status.size > $0 } ?? false
        return status.kind == .file && status.size > 0 && !isTooLong
    }
}

extension Updater {
    mutating func stepPartialReading(_ reading: PartialReading, _ disk: inout some Disk) -> PartialReading? {
        guard let plan = download, reading.assetIndex < plan.assets.count,
            plan.assets.states[reading.assetIndex].isNeeded
        else {
            if let open = reading.openFile { closePartial(open, &disk) }
            return nil
        }
        let asset = plan.table.assets[reading.assetIndex]
        var reading = reading
        if reading.contents == nil { reading.contents = contentToCompare(with: asset) }
        if reading.contents?.isEmpty == false { return stepComparison(reading, asset, &disk) }
        do {
            if !reading.hasInspectedFile {
                guard try openPartial(for: &reading, asset, &disk) else {
                    try request(&reading, &disk)
                    return nil
                }
                return reading
            }
            guard let file = reading.file else { return nil }
            var chunk = try disk.read(file, at: reading.offset, count: reading.chunkSize)
            let isLast = chunk.count < reading.chunkSize
            let count = chunk.count
            if let size = reading.sizeToWriteAnew, !chunk.isEmpty {
                // The length may be forgotten, too: the last bytes set it again.
                if reading.offset + count >= size { try disk.truncate(file, to: reading.offset) }
                chunk.removeLast(count - (try disk.writeSome(file, chunk[...], at: reading.offset)))
            }
            reading.sha256.update(chunk)
            if case .sha1 = asset.hash { reading.sha1.update(chunk) }
            reading.offset += chunk.count
            guard isLast, chunk.count == count else { return reading }
            partial.wrote(reading.key)
            if isWholeFile(reading, asset) {
                completeStored(reading, file)
            } else {
                try request(&reading, &disk)
            }
        } catch {
            if let file = reading.file { disk.closeQuietly(file) }
            removePartQuietly(reading.key, &disk)
            download?.assets.discarded(reading.assetIndex)
            diskFailedForAsset(reading.assetIndex, error)
        }
        return nil
    }

    /// Opens the partial file.
    /// - Returns: true if there is one to be read.
    private mutating func openPartial(
        for reading: inout PartialReading, _ asset: Asset, _ disk: inout some Disk
    )
        throws(DiskError) -> Bool
    {
        reading.hasInspectedFile = true
        let metadata = PartialMetadata.read(reading.key, url: asset.url, &disk)
        reading.tag = metadata?.tag
        let path = StorePaths.partialFile(reading.key)
        guard let status = try disk.statusIfPresent(path) else { return false }
        let isUsable = PartialReading.isUsable(status, of: asset)
        // A hash of the manifest protects the joined content; without one only the same strong tag does, if
        // no power cut was between. An index that may carry a version must be received as a whole, because
        // its bytes are inspected.
        let isTrusted = metadata?.mark == partialMark && !isVersionedIndex(reading.assetIndex)
        guard isUsable, asset.hash != .none || isTrusted else {
            try removePart(of: reading, &disk)
            return false
        }
        if partial.isToBeWrittenAnew(reading.key) { reading.sizeToWriteAnew = status.size }
        reading.file = try disk.open(path, .update)
        return true
    }

    /// Whether the partial file has the hash of the whole file.
    private func isWholeFile(_ reading: PartialReading, _ asset: Asset) -> Bool {
        if let size = asset.size, size != reading.offset { return false }
        return asset.hash.matches(reading.sha256, reading.sha1) ?? false
    }

    private mutating func completeStored(_ reading: PartialReading, _ file: FileHandle) {
        download?.assets.set(.finishing, at: reading.assetIndex)
        jobs.add(
            .completeFile(
                FileCompletion(
                    assetIndex: reading.assetIndex, key: reading.key, digest: reading.sha256.finish(),
                    file: file,
                    size: reading.offset, tag: reading.tag)))
        fetchMore()
    }

    private mutating func removePart(of reading: PartialReading, _ disk: inout some Disk) throws(DiskError) {
        partial.forget(reading.key)
        try disk.remove(StorePaths.partialFile(reading.key))
        download?.assets.discarded(reading.assetIndex)
    }

    private mutating func request(_ reading: inout PartialReading, _ disk: inout some Disk) throws(DiskError)
    {
        guard let asset = download?.table.assets[reading.assetIndex] else { return }
        // It has the length of the file and another hash, so the download can't resume from it.
        if let file = reading.file, let size = asset.size, reading.offset >= size, size > 0 {
            // A file whose close fails is closed all the same.
            reading = PartialReading(assetIndex: reading.assetIndex, key: reading.key, contents: [])
            try disk.close(file)
            try removePart(of: reading, &disk)
        }
        guard
            let url = OriginURL.resolve(
                asset.url, against: settings.fileBase, allowed: Redirects.allowed(settings))
        else {
            if let open = reading.openFile { closePartial(open, &disk) }
            assetAttemptFailed(reading.assetIndex)
            return downloadFailed(
                .originChangeNotAllowed, "route=\(asset.route) leaves the origin", needsManifest: true)
        }
        // Without a part that proved useless, it may be more than a metered network may carry (U15).
        guard !pausesForDataPolicy() else {
            if let open = reading.openFile { closePartial(open, &disk) }
            return
        }
        let isPlain = reading.offset == 0 && !isVersionedIndex(reading.assetIndex)
        send(reading, asset, to: url, like: isPlain ? storedContent(asset) : nil)
    }

    private mutating func send(
        _ reading: PartialReading, _ asset: Asset, to url: String, like stored: StoredVersion.StoredAsset?
    ) {
        let id = nextTransferID()
        let attempt = download?.assets.beginTransfer(id, of: reading.assetIndex, from: reading.offset)
        let request = OriginRequest(
            kind: .file(asset.route), url: url, fields: fields(reading, stored),
            version: download?.table.key, attempt: attempt ?? 1)
        var transfer = FileTransfer(
            id: id, assetIndex: reading.assetIndex, key: reading.key, request: request,
            resumedAt: reading.offset,
            file: reading.file, offset: reading.offset, sha256: reading.sha256, tag: reading.tag,
            lastProgress: now, windowStart: now)
        if case .sha1 = asset.hash { transfer.sha1 = reading.sha1 }
        transfer.stored = stored
        if isVersionedIndex(reading.assetIndex) { transfer.indexBytes = [] }
        download?.transfers.append(transfer)
        effects.append(.fetch(id, request))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
    }

    private func fields(_ reading: PartialReading, _ stored: StoredVersion.StoredAsset?) -> HeaderFields {
        var fields: HeaderFields = ["Accept-Encoding": "identity"]
        if download?.bypassesCache == true { fields.append("Cache-Control", "no-cache") }
        if reading.offset > 0 {
            fields.append("Range", "bytes=\(reading.offset)-")
            if let tag = reading.tag { fields.append("If-Range", tag) }
        } else if let tag = stored?.tag {
            fields.append("If-None-Match", tag)
        }
        return fields
    }

    /// Content of a stored version under the same URL, with the strong tag of its response (U2).
    private func storedContent(_ asset: Asset) -> StoredVersion.StoredAsset? {
        guard asset.hash == .none, let dialect = download?.table.dialect else { return nil }
        for version in versions.all.reversed() where version.table.dialect == dialect {
            guard
                let index = version.table.assets.firstIndex(where: {
                    TextBytes.areEqual($0.route, asset.route)
                }
                ),
                TextBytes.areEqual(version.table.assets[index].url, asset.url),
                version.table.assets[index].hash == .none
            else { continue }
            let stored = version.storedAssets[index]
            if case .blob(let digest) = stored.location, stored.tag != nil, isTrusted(digest) {
                return stored
            }
        }
        return nil
    }

    private func isVersionedIndex(_ index: Int) -> Bool {
        guard let table = download?.table else { return false }
        return table.dialect == .meteor && table.assets[index].route == table.index
    }
}
