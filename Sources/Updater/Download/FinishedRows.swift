import Core

/// `partial/finished`: rows without a SHA-256 that this or an earlier process has fetched for the unfinished
/// download, with the blob that each became (ST-0). One line each, `<key> <sha256> <size> <tag or ->
/// <check>`; a line whose check fails was cut off by a crash and counts as not there.
///
/// Appended after the blob is durable (ST-3) and not synced: a line that a power cut takes costs a file,
/// nothing else. What a line says is believed only when the blob is there with its length.
struct FinishedRows: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// The name of the row's partial file: its own hash, or version and URL.
        var key: Digest256
        var place: StoredVersion.Place
        var digest: Digest256
    }

    private(set) var entries: [Entry] = []
    /// Bytes of the file up to the end of the last good line.
    private(set) var length = 0

    /// A version of 20,000 rows fits.
    static let largest = 8 << 20
    /// No limit of an app is higher; all rows together can be added up.
    private static let largestFile = 1 << 40

    init() {}

    init(_ bytes: [UInt8]) {
        var start = 0
        while let end = bytes[start...].firstIndex(of: 0x0a) {
            if let entry = FinishedRows.entry(bytes[start..<end]) { entries.append(entry) }
            start = end + 1
            length = start
        }
    }

    func place(_ key: Digest256) -> StoredVersion.Place? { entries.last { $0.key == key }?.place }

    /// Adds a row; gives the line and where it goes.
    mutating func add(_ key: Digest256, _ digest: Digest256, _ place: StoredVersion.Place)
        -> (line: [UInt8], offset: Int)
    {
        let text = "\(key.hex) \(digest.hex) \(place.size) \(place.tag ?? "-")"
        let line = Array("\(text) \(FNV1a32.hash(of: text))\n".utf8)
        defer { length += line.count }
        entries.append(Entry(key: key, place: place, digest: digest))
        return (line, length)
    }

    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let text = String(decoding: line, as: UTF8.self)
        guard let space = text.utf8.lastIndex(of: 0x20),
            UInt32(text[text.utf8.index(after: space)...]) == FNV1a32.hash(of: String(text[..<space]))
        else { return nil }
        let words = text[..<space].utf8.split(separator: 0x20).map { String(Substring($0)) }
        guard words.count == 4, let key = Digest256(hex: words[0]), let digest = Digest256(hex: words[1]),
            let size = Int(words[2]), (0...largestFile).contains(size)
        else { return nil }
        let tag = words[3] == "-" ? nil : words[3]
        return Entry(
            key: key, place: StoredVersion.Place(location: .blob(digest), size: size, tag: tag),
            digest: digest)
    }
}

extension Updater {
    /// Losing it costs a file that is fetched again.
    mutating func noteFinished(
        _ key: Digest256, _ digest: Digest256, _ place: StoredVersion.Place, _ disk: inout some Disk
    ) {
        let (line, offset) = finishedRows.add(key, digest, place)
        do {
            let isThere = try disk.statusIfPresent(StorePaths.partialFinished) != nil
            let file = try disk.open(StorePaths.partialFinished, isThere ? .update : .create)
            do {
                try disk.writeAll(file, line, at: isThere ? offset : 0)
            } catch {
                disk.closeQuietly(file)
                throw error
            }
            try disk.close(file)
        } catch {
            log(.diskFailed, download?.table.key, "finished: \(error)")
        }
    }

    /// The unfinished downloads: this process's, and the one before it until the record names the new one.
    var unfinished: [VersionTable] {
        [download?.table, interrupted?.key == download?.table.key ? nil : interrupted].compactMap { $0 }
    }

    /// Content that an unfinished download has stored or will use (ST-R2).
    func blobsOfUnfinished() -> [Digest256] {
        var digests = download?.blobs ?? []
        for table in unfinished {
            for row in table.rows { if case .sha256(let digest) = row.hash { digests.append(digest) } }
        }
        guard !finishedRows.entries.isEmpty else { return digests }
        let keys = partialKeysOfUnfinished()
        for entry in finishedRows.entries where contains(keys, entry.key) { digests.append(entry.digest) }
        return digests
    }

    /// Sorted names of the partial files that their rows have.
    func partialKeysOfUnfinished() -> [Digest256] {
        unfinished.flatMap { table in table.rows.indices.map { table.partialKey($0) } }.sorted()
    }
}
