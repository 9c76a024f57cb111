import Core

/// `partial/finished`: assets without a SHA-256 that this or an earlier process has downloaded for the
/// unfinished download, with the blob of each. One line each, `<key> <sha256> <size> <tag or -> <check>`. A
/// line with a wrong check was cut off by a crash and is ignored.
///
/// A line is appended after the blob is durable. The list is synced after every fourth asset or 256 KiB of
/// them: a line that a power cut removes costs a download of the file, and no more than these are lost. A
/// line counts only if the blob exists and has its length.
struct FinishedAssets: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
        /// Name of the asset's partial file: its hash, or version and URL.
        var key: Digest256
        var stored: StoredVersion.StoredAsset
        var digest: Digest256
    }

    private(set) var entries: [Entry] = []
    /// Bytes of the file up to the end of the last whole line that has been read.
    private(set) var length = 0

    /// Large enough for a version of 20,000 assets.
    static let maxBytes = 8 << 20
    /// Above the limit of any app, and small enough that the sizes of all assets can be added.
    private static let maxFileBytes = Int(clamping: (1 as Int64) << 40)

    init() {}

    /// All lines of the file.
    init(_ bytes: [UInt8]) { _ = readLines(of: bytes, atMost: .max) }

    /// Reads the next lines of the file, about this many bytes.
    /// - Returns: whether all have been read.
    mutating func readLines(of bytes: [UInt8], atMost count: Int) -> Bool {
        let begin = length
        while length - begin < count {
            guard let end = bytes[length...].firstIndex(of: 0x0a) else { return true }
            if let entry = FinishedAssets.entry(bytes[length..<end]) { entries.append(entry) }
            length = end + 1
        }
        return false
    }

    /// Adds an asset; returns its line and the offset at which it is written.
    mutating func add(_ key: Digest256, _ digest: Digest256, _ stored: StoredVersion.StoredAsset)
        -> (line: [UInt8], offset: Int)
    {
        let text = "\(key.hex) \(digest.hex) \(stored.size) \(stored.tag ?? "-")"
        let line = Array("\(text) \(FNV1a32.hash(of: text))\n".utf8)
        defer { length += line.count }
        entries.append(Entry(key: key, stored: stored, digest: digest))
        return (line, length)
    }

    /// The file is not there, or is made anew: lines begin at its start. What this process has stored stays
    /// known.
    mutating func fileBegins() { length = 0 }

    /// The line was not written: the next one has its place.
    mutating func failedToWrite(_ line: [UInt8]) { length -= line.count }

    private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
        let text = String(decoding: line, as: UTF8.self)
        guard let space = text.utf8.lastIndex(of: 0x20),
            UInt32(text[text.utf8.index(after: space)...]) == FNV1a32.hash(of: String(text[..<space]))
        else { return nil }
        let fields = text[..<space].utf8.split(separator: 0x20).map { String(Substring($0)) }
        guard fields.count == 4, let key = Digest256(hex: fields[0]), let digest = Digest256(hex: fields[1]),
            let size = UntrustedInteger(digits: fields[2].utf8)?.bounded(by: 0...maxFileBytes)
        else { return nil }
        let tag = fields[3] == "-" ? nil : fields[3]
        return Entry(
            key: key, stored: StoredVersion.StoredAsset(location: .blob(digest), size: size, tag: tag),
            digest: digest)
    }
}

extension Asset {
    /// Whether its blob can't be found by the manifest alone, because that states no SHA-256.
    var needsFinishedList: Bool { if case .sha256 = hash { false } else { true } }
}

extension Updater {
    /// Appends the asset to `partial/finished`. If the line is lost, the file is downloaded again.
    /// - Returns: the list, if it is to be synced now.
    mutating func recordFinished(
        _ key: Digest256, _ digest: Digest256, _ stored: StoredVersion.StoredAsset, _ disk: inout some Disk
    ) -> FileHandle? {
        do {
            let exists = try disk.statusIfPresent(StorePaths.partialFinished) != nil
            let file = try disk.open(StorePaths.partialFinished, exists ? .update : .create)
            if !exists { partial.finished.fileBegins() }
            let (line, offset) = partial.finished.add(key, digest, stored)
            do {
                try disk.writeAll(file, line, at: offset)
            } catch {
                partial.finished.failedToWrite(line)
                disk.closeQuietly(file)
                throw error
            }
            if partial.addedLine(ofSize: stored.size) { return file }
            try disk.close(file)
        } catch {
            log(.diskFailed, download?.table.key, "finished: \(error)")
        }
        return nil
    }

    /// The unfinished downloads: that of this process, and that of the previous one until the record names
    /// the new one.
    var unfinishedDownloads: [VersionTable] {
        [download?.table, interruptedDownload].compactMap { $0 }
    }

    /// The unfinished download of an earlier process, unless the record no longer names it or this process
    /// continues it.
    private var interruptedDownload: VersionTable? {
        guard let table = partial.interrupted, table.key != download?.table.key,
            table.key == record.download || table.key == durable.download
        else { return nil }
        return table
    }

    /// Content that an unfinished download has stored or will use.
    func blobsOfUnfinished() -> [Digest256] {
        var digests = download?.blobs ?? []
        for table in unfinishedDownloads {
            for asset in table.assets { if case .sha256(let digest) = asset.hash { digests.append(digest) } }
        }
        guard !partial.finished.entries.isEmpty else { return digests }
        let keys = PartialFolder.keys(of: unfinishedDownloads)
        for entry in partial.finished.entries where keys.containsBisected(entry.key) {
            digests.append(entry.digest)
        }
        return digests
    }
}
