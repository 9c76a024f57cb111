import Core

/// The file `store/starts`: what is counted without a sync (R2). A kill keeps it, a power cut may lose it,
/// and what does not read is none: then a start counts as it would without the note.
struct StartsNote: Hashable, Sendable {
    /// Starts of proven versions in a row that have not confirmed.
    private(set) var counts: [Count] = []
    /// The open start was last seen in background with less than 5 s in front.
    private(set) var background: PageLoadToken?

    /// The origin has answered well during the open start of this page load (R3).
    private(set) var reachable: PageLoadToken?
    /// What is left of the time that the origin has asked to be left alone (U5).
    var originWait: TimeSpan?

    struct Count: Hashable, Sendable {
        var digest: Digest256
        var starts: Int
    }

    private static let format = "otalab-starts-1"

    func unconfirmed(_ key: VersionKey) -> Int { counts.first { $0.digest == key.digest }?.starts ?? 0 }

    func endedInBackground(_ token: PageLoadToken) -> Bool { background == token }

    func wasReachable(_ token: PageLoadToken) -> Bool { reachable == token }

    mutating func isReachable(_ token: PageLoadToken) { reachable = token }

    mutating func count(_ key: VersionKey) {
        let starts = unconfirmed(key) + 1
        reset(key)
        counts.append(Count(digest: key.digest, starts: starts))
        if counts.count > 8 { counts.removeFirst() }
    }

    mutating func reset(_ key: VersionKey) { counts.removeAll { $0.digest == key.digest } }

    mutating func isInBackground(_ token: PageLoadToken?) { background = token }

    var bytes: [UInt8] {
        var text = StartsNote.format
        for count in counts { text += " \(count.digest.hex)=\(count.starts)" }
        if let originWait { text += " wait=\(originWait.microseconds / 1_000)" }
        if let reachable { text += " reachable=\(reachable.text)" }
        if let background { text += " background=\(background.text)" }
        return Array((text + " \(FNV1a32.hash(of: text))\n").utf8)
    }

    /// One portion is all it ever is; anything else is no note.
    static func read(_ disk: inout some Disk) -> StartsNote {
        var reading = FileReading(StorePaths.starts, largest: 4_096)
        do {
            while try !reading.step(&disk) {}
        } catch {
            return StartsNote()
        }
        return decode(reading.bytes) ?? StartsNote()
    }

    static func decode(_ bytes: [UInt8]) -> StartsNote? {
        guard bytes.last == 0x0a else { return nil }
        let text = String(decoding: bytes.dropLast(), as: UTF8.self)
        guard let space = text.utf8.lastIndex(of: 0x20),
            UInt32(text[text.utf8.index(after: space)...]) == FNV1a32.hash(of: String(text[..<space]))
        else { return nil }
        let words = text[..<space].utf8.split(separator: 0x20).map { Substring($0) }
        guard words.first.map({ $0 == format }) == true else { return nil }
        var note = StartsNote()
        for word in words.dropFirst() {
            let sides = word.utf8.split(separator: UInt8(ascii: "=")).map { Substring($0) }
            guard sides.count == 2 else { return nil }
            if sides[0] == "background" {
                note.background = PageLoadToken(text: sides[1])
            } else if sides[0] == "reachable" {
                note.reachable = PageLoadToken(text: sides[1])
            } else if sides[0] == "wait" {
                guard let left = Int64(sides[1]), left >= 0 else { return nil }
                // More than a day is a day, whatever the number.
                note.originWait = min(.milliseconds(min(left, 1 << 40)), Backoff.longestWish)
            } else if let digest = Digest256(hex: sides[0]), let starts = Int(sides[1]),
                (0...1_000_000).contains(starts)
            {
                note.counts.append(Count(digest: digest, starts: starts))
            } else {
                return nil
            }
        }
        return note
    }
}

extension Updater {
    /// Unsynced on purpose; an error costs a count, nothing else.
    mutating func writeNote(_ disk: inout some Disk) {
        guard phase == .running else { return }
        let bytes = startsNote.bytes
        do {
            let isThere = try disk.statusIfPresent(StorePaths.starts) != nil
            let file = try disk.open(StorePaths.starts, isThere ? .update : .create)
            do {
                try disk.writeAll(file, bytes, at: 0)
                if isThere { try disk.truncate(file, to: bytes.count) }
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
