import Core
import HTTP1

/// Before a file is asked for: is a part of it here? Its bytes are hashed again, 256 KiB to a step, so that
/// the request can go on where it stopped (U2). A part that turns out to be all of it is not asked for.
struct PartialReading: Sendable {
    var row: Int
    var key: Digest256
    var file: FileHandle?
    var offset = 0
    var sha256 = SHA256()
    var sha1 = SHA1()
    var tag: String?
    var hasLooked = false

    static func isPart(_ status: FileStatus, of row: Row) -> Bool {
        let isTooLong = row.size.map { status.size > $0 } ?? false
        return status.kind == .file && status.size > 0 && !isTooLong
    }
}

extension Updater {
    mutating func stepResume(_ reading: PartialReading, _ disk: inout some Disk) -> PartialReading? {
        guard let plan = download, reading.row < plan.rows.count, plan.rows[reading.row] == .needed else {
            return nil
        }
        let row = plan.table.rows[reading.row]
        var reading = reading
        do {
            if !reading.hasLooked {
                guard try look(for: &reading, row, &disk) else {
                    try request(reading, &disk)
                    return nil
                }
                return reading
            }
            guard let file = reading.file else { return nil }
            let portion = try disk.read(file, at: reading.offset, count: FileReading.portion)
            reading.sha256.update(portion)
            if case .sha1 = row.hash { reading.sha1.update(portion) }
            reading.offset += portion.count
            guard portion.count < FileReading.portion else { return reading }
            if isAll(reading, row) {
                finishStored(reading, file)
            } else {
                try request(reading, &disk)
            }
        } catch {
            if let file = reading.file { disk.closeQuietly(file) }
            _ = disk.removeQuietly(StorePaths.partialFile(reading.key))
            diskFailedRow(reading.row, error)
        }
        return nil
    }

    /// - Returns: true when there is a part to be read.
    private func look(for reading: inout PartialReading, _ row: Row, _ disk: inout some Disk)
        throws(DiskError) -> Bool
    {
        reading.hasLooked = true
        reading.tag = PartialNote.read(reading.key, url: row.url, &disk)
        let path = StorePaths.partialFile(reading.key)
        guard let status = try disk.statusIfPresent(path) else { return false }
        let isUsable = PartialReading.isPart(status, of: row)
        // A hash of the manifest guards the join; without one only the same strong tag does. An index that
        // may carry a version is looked into, so it must come whole.
        guard isUsable, row.hash != .none || (reading.tag != nil && !isVersionedIndex(reading.row)) else {
            try disk.remove(path)
            return false
        }
        reading.file = try disk.open(path, .update)
        return true
    }

    /// The part has the hash of the whole.
    private func isAll(_ reading: PartialReading, _ row: Row) -> Bool {
        if let size = row.size, size != reading.offset { return false }
        return row.hash.isOf(reading.sha256, reading.sha1) ?? false
    }

    private mutating func finishStored(_ reading: PartialReading, _ file: FileHandle) {
        download?.rows[reading.row] = .finishing
        background.append(
            .finish(
                FileFinish(
                    row: reading.row, key: reading.key, digest: reading.sha256.finish(), file: file,
                    size: reading.offset, tag: reading.tag)))
        fetchMore()
    }

    private mutating func request(_ reading: PartialReading, _ disk: inout some Disk) throws(DiskError) {
        guard let row = download?.table.rows[reading.row] else { return }
        // As long as the file should be and of another hash: nothing of it can be gone on with.
        var reading = reading
        if let file = reading.file, let size = row.size, reading.offset >= size, size > 0 {
            try disk.close(file)
            try disk.remove(StorePaths.partialFile(reading.key))
            reading = PartialReading(row: reading.row, key: reading.key)
        }
        guard
            let url = OriginURL.resolve(row.url, against: fileBase, allowed: Redirects.allowed(settings))
        else {
            if let file = reading.file { disk.closeQuietly(file) }
            rowTryFailed(reading.row)
            return downloadFailed(
                .originChangeNotAllowed, "route=\(row.route) leaves the origin", asksManifest: true)
        }
        let isPlain = reading.offset == 0 && !isVersionedIndex(reading.row)
        send(reading, row, to: url, like: isPlain ? storedAlike(row) : nil)
    }

    private mutating func send(
        _ reading: PartialReading, _ row: Row, to url: String, like stored: StoredVersion.Place?
    ) {
        let id = newTransfer()
        download?.attempts[reading.row] += 1
        download?.rows[reading.row] = .active(id)
        let reached = download?.reached[reading.row] ?? 0
        download?.reached[reading.row] = max(reached, reading.offset)
        let request = OriginRequest(
            kind: .file(row.route), url: url, fields: fields(reading, stored),
            version: download?.table.key, attempt: download?.attempts[reading.row] ?? 1)
        var transfer = Transfer(
            id: id, row: reading.row, key: reading.key, request: request, resumedAt: reading.offset,
            file: reading.file, offset: reading.offset, sha256: reading.sha256, tag: reading.tag,
            lastProgress: now, windowStart: now)
        if case .sha1 = row.hash { transfer.sha1 = reading.sha1 }
        transfer.stored = stored
        if isVersionedIndex(reading.row) { transfer.indexBytes = [] }
        download?.transfers.append(transfer)
        effects.append(.fetch(id, request))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
    }

    private func fields(_ reading: PartialReading, _ stored: StoredVersion.Place?) -> HeaderFields {
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

    /// What a stored version has under the same URL, with the strong tag that it came with (U2).
    private func storedAlike(_ row: Row) -> StoredVersion.Place? {
        guard row.hash == .none, let dialect = download?.table.dialect else { return nil }
        for version in versions.reversed() where version.table.dialect == dialect {
            guard
                let number = version.table.rows.firstIndex(where: { TextBytes.areEqual($0.route, row.route) }
                ),
                TextBytes.areEqual(version.table.rows[number].url, row.url),
                version.table.rows[number].hash == .none
            else { continue }
            let place = version.places[number]
            if case .blob(let digest) = place.location, place.tag != nil, !record.damaged.contains(digest) {
                return place
            }
        }
        return nil
    }

    private func isVersionedIndex(_ number: Int) -> Bool {
        guard let table = download?.table else { return false }
        return table.dialect == .meteor && table.rows[number].route == table.index
    }

    private var fileBase: String {
        guard settings.dialect == .meteor else { return settings.origin }
        return settings.origin + (settings.origin.hasSuffix("/") ? "" : "/") + "__cordova/"
    }
}
