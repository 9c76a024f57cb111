import Core

/// Before a file is asked for: is a part of it here? Its bytes are hashed again, 256 KiB to a step, so that
/// the request can go on where it stopped (U2).
struct PartialReading: Sendable {
    var row: Int
    var key: Digest256
    var file: FileHandle?
    var offset = 0
    var sha256 = SHA256()
    var sha1 = SHA1()
    var tag: String?
    var hasLooked = false
}

extension Updater {
    mutating func stepResume(_ reading: PartialReading, _ disk: inout some Disk) -> PartialReading? {
        guard let plan = download, reading.row < plan.rows.count, plan.rows[reading.row] == .needed else {
            return nil
        }
        var reading = reading
        do {
            if !reading.hasLooked {
                reading.hasLooked = true
                reading.tag = PartialNote.read(reading.key, url: plan.table.rows[reading.row].url, &disk)
                let status = try disk.statusIfPresent(StorePaths.partialFile(reading.key))
                let isUsable = status.map { $0.kind == .file && $0.size > 0 } ?? false
                guard isUsable, canResume(plan.table.rows[reading.row], reading.tag) else {
                    if status != nil { try disk.remove(StorePaths.partialFile(reading.key)) }
                    request(reading, fromStart: true)
                    return nil
                }
                reading.file = try disk.open(StorePaths.partialFile(reading.key), .update)
                return reading
            }
            guard let file = reading.file else { return nil }
            let portion = try disk.read(file, at: reading.offset, count: FileReading.portion)
            reading.sha256.update(portion)
            reading.sha1.update(portion)
            reading.offset += portion.count
            guard portion.count < FileReading.portion else { return reading }
            request(reading, fromStart: false)
        } catch {
            if let file = reading.file { disk.closeQuietly(file) }
            _ = disk.removeQuietly(StorePaths.partialFile(reading.key))
            diskFailedDownload(error)
        }
        return nil
    }

    /// A hash of the manifest guards the join; without one only the same strong tag does.
    private func canResume(_ row: Row, _ tag: String?) -> Bool { row.hash != .none || tag != nil }

    private mutating func request(_ reading: PartialReading, fromStart: Bool) {
        guard var plan = download,
            let url = OriginURL.resolve(plan.table.rows[reading.row].url, against: fileBase)
        else {
            return downloadFailed(
                .originChangeNotAllowed, "row \(reading.row) leaves the origin", retryAfter: nil,
                asksManifest: true)
        }
        let id = newTransfer()
        plan.attempts[reading.row] += 1
        plan.rows[reading.row] = .active(id)
        let row = plan.table.rows[reading.row]
        var isSHA1 = false
        if case .sha1 = row.hash { isSHA1 = true }
        let offset = fromStart ? 0 : reading.offset
        plan.transfers.append(
            Transfer(
                id: id, row: reading.row, key: reading.key, resumedAt: offset, file: reading.file,
                offset: offset,
                sha256: fromStart ? SHA256() : reading.sha256,
                sha1: isSHA1 ? (fromStart ? SHA1() : reading.sha1) : nil, tag: reading.tag, lastProgress: now,
                windowStart: now, indexBytes: isVersionedIndex(plan, reading.row) ? [] : nil))
        var fields: [OriginField] = []
        if plan.bypassesCache { fields.append(OriginField("Cache-Control", "no-cache")) }
        if offset > 0 {
            fields.append(OriginField("Range", "bytes=\(offset)-"))
            if let tag = reading.tag { fields.append(OriginField("If-Range", tag)) }
        }
        let attempt = plan.attempts[reading.row]
        download = plan
        effects.append(
            .fetch(
                id,
                OriginRequest(
                    kind: .file(row.route), url: url, fields: fields, version: plan.table.key,
                    attempt: attempt)))
        effects.append(.setTimer(.idle(id), after: settings.connectTimeout))
    }

    private func isVersionedIndex(_ plan: Download, _ number: Int) -> Bool {
        plan.table.dialect == .meteor && plan.table.rows[number].route == plan.table.index
    }

    private var fileBase: String {
        guard settings.dialect == .meteor else { return settings.origin }
        return settings.origin + (settings.origin.hasSuffix("/") ? "" : "/") + "__cordova/"
    }
}

/// Beside a partial file: the URL it came from and the strong tag it had, so that only the same thing is gone
/// on with (storage.md: "reuse a partial of another URL" is a bug to plant).
enum PartialNote {
    static func read(_ key: Digest256, url: String, _ disk: inout some Disk) -> String? {
        var reading = FileReading(StorePaths.partialNote(key), largest: 4_096)
        do {
            guard try reading.step(&disk) else { return nil }
        } catch {
            return nil
        }
        let lines = String(decoding: reading.bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 3, lines[0] == url else { return nil }
        guard lines[2] == String(FNV1a32.hash(of: String(lines[0] + lines[1]))) else { return nil }
        return String(lines[1])
    }

    /// Unsynced: losing it costs a resume, nothing else.
    static func write(_ key: Digest256, url: String, tag: String, _ disk: inout some Disk) throws(DiskError) {
        let path = StorePaths.partialNote(key)
        _ = disk.removeQuietly(path)
        let file = try disk.open(path, .create)
        do {
            try disk.writeAll(file, Array("\(url)\n\(tag)\n\(FNV1a32.hash(of: url + tag))\n".utf8), at: 0)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
    }
}
