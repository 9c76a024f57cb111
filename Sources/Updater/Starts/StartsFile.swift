import Core

/// The file `store/starts`: counts, and the note of the open start, which are written without a sync (R2). It
/// survives a kill, also of the process that is just writing it, and may be lost in a power cut. A file that
/// can't be read, also when tried again, or that an older app wrote, counts as absent; a start is then
/// evaluated without it. Its size is bounded, because each list is.
struct StartsFile: Hashable, Sendable {
    /// The native build and package that the file is of (``StoreRecord/buildMark``); nil: of none yet.
    var build: UInt32?
    /// Starts of proven versions in a row that have not confirmed.
    private(set) var counts: [Count] = []
    /// The start whose index was served last.
    private(set) var note: StartNote?
    /// Starts in a row that failed or ended in front, without a confirmation or an ended check since the
    /// first of them (R13).
    private(set) var broken: [Count] = []
    /// After so many of them the only version is started after a check.
    static let brokenStartsBeforeCheck = 2

    /// The open start during which the origin sent a valid response (R3).
    private(set) var reachable: PageLoadToken?
    /// Delay that the origin requested (U5).
    var originDelay: OriginDelay?

    /// Whether a sync of the record has failed and no record was durable since
    /// (``StoreAccess/isRecordUnsynced``).
    var isRecordUnsynced = false

    /// Content that could not be read at the last launches; at most 8.
    private(set) var unread: [UnreadContent] = []

    struct Count: Hashable, Sendable {
        var digest: Digest256
        var starts: Int
    }

    private static let format = "otalab-starts-2"
    /// Versions of each list.
    private static let listLimit = 8
    /// Far more than the recovery counts; a file with more is damaged.
    private static let mostStarts = 1_000_000

    func unconfirmedStarts(_ key: VersionKey) -> Int { counts.first { $0.digest == key.digest }?.starts ?? 0 }

    /// The note of this start; nil: its index was not served, or a power cut took the note.
    func note(of token: PageLoadToken) -> StartNote? { note.flatMap { $0.token == token ? $0 : nil } }

    mutating func setNote(_ note: StartNote) { self.note = note }

    /// The start has ended, or the next process has evaluated how it ended.
    mutating func closeNote() { note?.isOpen = false }

    func wasReachable(_ token: PageLoadToken) -> Bool { reachable == token }

    mutating func markReachable(_ token: PageLoadToken) { reachable = token }

    mutating func countStart(_ key: VersionKey) {
        let starts = min(unconfirmedStarts(key) + 1, StartsFile.mostStarts)
        resetCount(key)
        counts.append(Count(digest: key.digest, starts: starts))
        if counts.count > StartsFile.listLimit { counts.removeFirst() }
    }

    func unreadLaunches(of digest: Digest256) -> Int { unread.first { $0.digest == digest }?.launches ?? 0 }

    func brokenStarts(_ key: VersionKey) -> Int { broken.first { $0.digest == key.digest }?.starts ?? 0 }

    mutating func countBroken(_ digest: Digest256) {
        let starts = (broken.first { $0.digest == digest }?.starts ?? 0) + 1
        broken.removeAll { $0.digest == digest }
        broken.append(Count(digest: digest, starts: min(starts, StartsFile.mostStarts)))
        if broken.count > StartsFile.listLimit { broken.removeFirst() }
    }

    /// A check has ended, or a start is confirmed: the device does get what the origin offers.
    mutating func forgetBroken() { broken = [] }

    /// Counts a launch at which the content could not be read.
    /// - Parameters:
    ///   - time: newest origin time known.
    ///   - isFirst: whether for the first time in this launch.
    /// - Returns: whether the content counts as damaged now; its count then begins anew.
    mutating func countUnread(_ digest: Digest256, at time: OriginTime?, isFirst: Bool = true) -> Bool {
        var content = unread.first { $0.digest == digest } ?? UnreadContent(digest: digest)
        unread.removeAll { $0.digest == digest }
        if content.countLaunch(at: time, isFirst: isFirst) { return true }
        unread.append(content)
        if unread.count > StartsFile.listLimit { unread.removeFirst() }
        return false
    }

    func hasUnread(_ digests: [Digest256]) -> Bool { unread.contains { digests.contains($0.digest) } }

    /// The content was read.
    mutating func forgetUnread(_ digests: [Digest256]) { unread.removeAll { digests.contains($0.digest) } }

    mutating func resetCount(_ key: VersionKey) { counts.removeAll { $0.digest == key.digest } }

    /// The file is of this build from now on. What is known about versions counts for one build alone (N1).
    mutating func move(to build: UInt32) {
        if self.build != build {
            let before = self
            self = StartsFile()
            originDelay = before.originDelay
            isRecordUnsynced = before.isRecordUnsynced
        }
        self.build = build
    }

    var bytes: [UInt8] {
        var text = StartsFile.format
        if let build { text += " build=\(build)" }
        for count in counts { text += " \(count.digest.hex)=\(count.starts)" }
        for content in unread { text += " unread-\(content.digest.hex)=\(content.text)" }
        if let originDelay { text += " wait=\(originDelay.text)" }
        if isRecordUnsynced { text += " unsynced=1" }
        if let reachable { text += " reachable=\(reachable.text)" }
        for count in broken { text += " broken-\(count.digest.hex)=\(count.starts)" }
        if let note { text += " note=\(note.text)" }
        return Array((text + " \(FNV1a32.hash(of: text))\n").utf8)
    }

    /// Reads the file. It never exceeds one chunk; anything larger counts as absent.
    /// - Throws: the error of a call that may succeed if it is tried again.
    static func load(_ disk: inout some Disk) throws(DiskError) -> StartsFile {
        var reading = FileReading(StorePaths.starts, limit: 4_096)
        do throws(DiskError) {
            while try !reading.step(&disk) {}
        } catch {
            if error.errorClass == .absent || error.isTooLong { return StartsFile() }
            throw error
        }
        return decode(reading.bytes) ?? StartsFile()
    }

    /// Reads the file; one that can't be read now counts as absent.
    static func read(_ disk: inout some Disk) -> StartsFile {
        do throws(DiskError) { return try load(&disk) } catch { return StartsFile() }
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
            if sides[0] == "build" {
                guard let build = UInt32(sides[1]) else { return nil }
                file.build = build
            } else if sides[0] == "note" {
                guard let note = StartNote(text: sides[1]) else { return nil }
                file.note = note
            } else if sides[0] == "unsynced" {
                file.isRecordUnsynced = true
            } else if sides[0] == "reachable" {
                file.reachable = PageLoadToken(text: sides[1])
            } else if sides[0] == "wait" {
                guard let delay = OriginDelay(text: sides[1]) else { return nil }
                file.originDelay = delay
            } else if sides[0].hasPrefix("unread-"), let digest = Digest256(hex: sides[0].dropFirst(7)),
                let content = UnreadContent(digest: digest, text: sides[1])
            {
                file.unread.append(content)
            } else if sides[0].hasPrefix("broken-"), let digest = Digest256(hex: sides[0].dropFirst(7)),
                let starts = UntrustedInteger(digits: sides[1].utf8)?.bounded(by: 1...mostStarts)
            {
                file.broken.append(Count(digest: digest, starts: starts))
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
        if starts.isFileChanged { jobs.addStartsFile() }
    }

    /// The process may end right after this event, so that what it changes is written in this step.
    mutating func writeStartsFileAtOnce(_ disk: inout some Disk) {
        guard starts.isFileChanged, store.phase == .running else { return }
        hasTouchedDisk = true
        writeStartsFile(&disk)
    }

    /// Unsynced on purpose; an error only costs a count. The file is replaced, because one that was
    /// overwritten in part reads as none, and the process may be killed at any call.
    mutating func writeStartsFile(_ disk: inout some Disk) {
        // While the record can't be written, nothing else is: the end of a start that is not recorded is
        // evaluated again, by its note.
        let isRunning = store.phase == .running
        let content = isRunning ? starts.file : starts.fileOfUnsyncedRecord
        guard isRunning || store.isRecordUnsynced, content != starts.written else { return }
        do {
            try replaceStartsFile(content.bytes, &disk)
            starts.fileWritten(content)
        } catch {
            _ = disk.removeQuietly(StorePaths.newStarts)
            log(.diskFailed, nil, "starts: \(error)")
        }
    }

    private func replaceStartsFile(_ bytes: [UInt8], _ disk: inout some Disk) throws(DiskError) {
        let file = try createNewStarts(&disk)
        do {
            try disk.writeAll(file, bytes, at: 0)
        } catch {
            disk.closeQuietly(file)
            throw error
        }
        try disk.close(file)
        try disk.rename(StorePaths.newStarts, to: StorePaths.starts)
    }

    /// A process that was killed may have left the file.
    private func createNewStarts(_ disk: inout some Disk) throws(DiskError) -> FileHandle {
        do {
            return try disk.open(StorePaths.newStarts, .create)
        } catch {
            guard error.code == .exists else { throw error }
            try disk.remove(StorePaths.newStarts)
            return try disk.open(StorePaths.newStarts, .create)
        }
    }
}
