import Core

/// The file `store/starts`: counts that are written without a sync (R2). It survives a kill and may be lost
/// in a power cut. A file that can't be read counts as absent; a start is then evaluated without it.
struct StartsFile: Hashable, Sendable {
    /// Starts of proven versions in a row that have not confirmed.
    private(set) var counts: [Count] = []
    /// The open start, if it was last seen in background with less than 5 s in front.
    private(set) var background: PageLoadToken?

    /// The open start during which the origin sent a valid response (R3).
    private(set) var reachable: PageLoadToken?
    /// Remaining delay that the origin requested (U5).
    var originDelay: TimeSpan?

    /// Content that could not be read at the last launches; at most 8.
    private(set) var unread: [UnreadContent] = []

    struct Count: Hashable, Sendable {
        var digest: Digest256
        var starts: Int
    }

    private static let format = "otalab-starts-1"
    /// Far more than the recovery counts; a file with more is damaged.
    private static let mostStarts = 1_000_000

    func unconfirmedStarts(_ key: VersionKey) -> Int { counts.first { $0.digest == key.digest }?.starts ?? 0 }

    func endedInBackground(_ token: PageLoadToken) -> Bool { background == token }

    func wasReachable(_ token: PageLoadToken) -> Bool { reachable == token }

    mutating func markReachable(_ token: PageLoadToken) { reachable = token }

    mutating func countStart(_ key: VersionKey) {
        let starts = min(unconfirmedStarts(key) + 1, StartsFile.mostStarts)
        resetCount(key)
        counts.append(Count(digest: key.digest, starts: starts))
        if counts.count > 8 { counts.removeFirst() }
    }

    func unreadLaunches(of digest: Digest256) -> Int { unread.first { $0.digest == digest }?.launches ?? 0 }

    /// Counts a launch at which the content could not be read.
    /// - Parameter time: newest origin time known.
    /// - Returns: whether the content counts as damaged now; its count then begins anew.
    mutating func countUnread(_ digest: Digest256, at time: OriginTime?) -> Bool {
        var content = unread.first { $0.digest == digest } ?? UnreadContent(digest: digest)
        unread.removeAll { $0.digest == digest }
        if content.countLaunch(at: time) { return true }
        unread.append(content)
        if unread.count > 8 { unread.removeFirst() }
        return false
    }

    func hasUnread(_ digests: [Digest256]) -> Bool { unread.contains { digests.contains($0.digest) } }

    /// The content was read.
    mutating func forgetUnread(_ digests: [Digest256]) { unread.removeAll { digests.contains($0.digest) } }

    mutating func resetCount(_ key: VersionKey) { counts.removeAll { $0.digest == key.digest } }

    mutating func markInBackground(_ token: PageLoadToken?) { background = token }

    /// A store update: what is known about versions counts for the previous build alone.
    mutating func forgetVersions() {
        let kept = originDelay
        self = StartsFile()
        originDelay = kept
    }

    var bytes: [UInt8] {
        var text = StartsFile.format
        for count in counts { text += " \(count.digest.hex)=\(count.starts)" }
        for content in unread { text += " unread-\(content.digest.hex)=\(content.text)" }
        if let originDelay { text += " wait=\(originDelay.microseconds / 1_000)" }
        if let reachable { text += " reachable=\(reachable.text)" }
        if let background { text += " background=\(background.text)" }
        return Array((text + " \(FNV1a32.hash(of: text))\n").utf8)
    }

    /// Reads the file. It never exceeds one chunk; anything larger counts as absent.
    static func read(_ disk: inout some Disk) -> StartsFile {
        var reading = FileReading(StorePaths.starts, limit: 4_096)
        do {
            while try !reading.step(&disk) {}
        } catch {
            return StartsFile()
        }
        return decode(reading.bytes) ?? StartsFile()
    }

    static func decode(_ bytes: [UInt8]) -> StartsFile? {
        guard bytes.last == 0x0a else { return nil }
        let text = String(decoding: bytes.dropLast(), as: UTF8.self)
        guard let space = text.utf8.lastIndex(of: 0x20),
            UInt32(text[text.utf8.index(after: space)...]) == FNV1a32.hash(of: String(text[..<space]))
        else { return nil }
        let fields = text[..<space].utf8.split(separator: 0x20).map { Substring($0) }
        guard fields.first.map({ $0 == format }) == true else { return nil }
        var file = StartsFile()
        for field in fields.dropFirst() {
            let sides = field.utf8.split(separator: UInt8(ascii: "=")).map { Substring($0) }
            guard sides.count == 2 else { return nil }
            if sides[0] == "background" {
                file.background = PageLoadToken(text: sides[1])
            } else if sides[0] == "reachable" {
                file.reachable = PageLoadToken(text: sides[1])
            } else if sides[0] == "wait" {
                guard let milliseconds = UntrustedInteger(saturatingDigits: sides[1].utf8) else { return nil }
                // More than a day counts as a day.
                file.originDelay = .milliseconds(Int64(milliseconds.clamped(to: 0...86_400_000)))
            } else if sides[0].hasPrefix("unread-"), let digest = Digest256(hex: sides[0].dropFirst(7)),
                let content = UnreadContent(digest: digest, text: sides[1])
            {
                file.unread.append(content)
            } else if let digest = Digest256(hex: sides[0]),
                let starts = UntrustedInteger(digits: sides[1].utf8)?.bounded(by: 0...mostStarts)
            {
                file.counts.append(Count(digest: digest, starts: starts))
            } else {
                return nil
            }
        }
        return file
    }
}

extension Updater {
    /// Changes what the file says; it is written once, as it is then.
    mutating func changeStartsFile(_ change: (inout StartsFile) -> Void) {
        change(&starts.file)
        jobs.addStartsFile()
    }

    /// Unsynced on purpose; an error only costs a count.
    mutating func writeStartsFile(_ disk: inout some Disk) {
        guard store.phase == .running else { return }
        let bytes = starts.file.bytes
        do {
            let exists = try disk.statusIfPresent(StorePaths.starts) != nil
            let file = try disk.open(StorePaths.starts, exists ? .update : .create)
            do {
                try disk.writeAll(file, bytes, at: 0)
                if exists { try disk.truncate(file, to: bytes.count) }
            } catch {
                disk.closeQuietly(file)
                throw error
            }
            try disk.close(file)
        } catch {
            log(.diskFailed, nil, "starts: \(error)")
        }
    }
}
