import Core
import Testing
import World

@testable import Updater

@Suite("The file of starts: counts, notes, and what the next process concludes from them (R2, R3, R10, R13)")
struct StartsFileTests {
    private static func digest(_ number: UInt8) -> Digest256 { SHA256.hash(of: [number]) }

    private static func key(_ number: UInt8) -> VersionKey {
        VersionKey(id: "v\(number)", digest: digest(number))
    }

    /// A file with something in every field.
    private func full() -> StartsFile {
        var file = StartsFile()
        file.move(to: 10)
        for number in [1, 1, 2] as [UInt8] { file.countStart(Self.key(number)) }
        for number in [3, 4, 4, 4] as [UInt8] { file.countBroken(Self.digest(number)) }
        var note = StartNote(token: PageLoadToken(7), digest: Self.digest(5), boot: 9, presence: .away)
        note.isOpen = false
        file.setNote(note)
        file.markReachable(PageLoadToken(8))
        file.originDelay = OriginDelay(
            remaining: .seconds(7), boot: 9, at: Instant(microseconds: 5), end: OriginTime(seconds: 6))
        file.isRecordUnsynced = true
        _ = file.countUnread(Self.digest(6), at: OriginTime(seconds: 1_763_900_000))
        _ = file.countUnread(Self.digest(7), at: nil)
        return file
    }

    private func decoded(_ text: String) -> StartsFile? {
        StartsFile.decode(Array("\(text) \(FNV1a32.hash(of: text))\n".utf8))
    }

    @Test("Every field of the file is written and read back, and none is left at its default here")
    func fields() throws {
        let file = full()
        #expect(StartsFile.decode(file.bytes) == file)
        let defaults = Dictionary(
            uniqueKeysWithValues: Mirror(reflecting: StartsFile()).children.map { ($0.label, "\($0.value)") })
        for child in Mirror(reflecting: file).children {
            #expect(defaults[child.label] != "\(child.value)", "\(child.label ?? "")")
        }
        for presence in StartNote.Presence.allCases {
            for boot in [nil, 0, UInt32.max] {
                for isOpen in [true, false] {
                    var note = StartNote(
                        token: PageLoadToken(1), digest: Self.digest(1), boot: boot, presence: presence)
                    note.isOpen = isOpen
                    #expect(StartNote(text: Substring(note.text)) == note)
                }
            }
        }
    }

    @Test("A file that is cut off, changed, or of another form counts as absent")
    func otherForms() {
        let bytes = full().bytes
        for count in 0..<bytes.count { #expect(StartsFile.decode(Array(bytes.prefix(count))) == nil) }
        for offset in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[offset] ^= 1
            #expect(StartsFile.decode(changed) != full(), "\(offset)")
        }
        let hex = Self.digest(1).hex
        let valid = "0000000000000007,\(hex),9,front"
        for field in [
            "\(hex)", "\(hex)=1=2", "\(hex)=-1", "\(hex)=1000001", "\(hex.dropLast())=1", "broken-\(hex)=0",
            "broken-\(hex)=1000001", "broken-\(hex.dropLast())=1", "unread-\(hex)=0",
            "unread-\(hex)=9@1099511627777", "unread-x=1", "other=1",
            "wait=", "wait=x", "build=", "build=x", "build=-1", "build=4294967296", "note=\(valid)",
            "note=\(valid),maybe", "note=\(valid),open,open",
            "note=0000000000000007,\(hex),x,front,open", "note=0000000000000007,\(hex),9,behind,open",
            "note=7,\(hex),9,front,open", "note=0000000000000007,\(hex.dropLast()),9,front,open",
        ] {
            #expect(decoded("otalab-starts-2 \(field)") == nil, "\(field)")
        }
        for field in [
            "\(hex)=0", "\(hex)=1000000", "broken-\(hex)=1", "broken-\(hex)=1000000", "unread-\(hex)=1",
            "wait=7", "build=0", "build=4294967295", "unread-\(hex)=9@1099511627776", "note=\(valid),open",
            "note=\(valid),over",
            "note=0000000000000007,\(hex),-,front,over",
        ] {
            #expect(decoded("otalab-starts-2 \(field)") != nil, "\(field)")
        }
    }

    @Test("Each list has at most eight versions, the oldest leaves first; counts stay below a million")
    func limits() {
        var file = StartsFile()
        for number in 1...8 as ClosedRange<UInt8> {
            file.countStart(Self.key(number))
            file.countBroken(Self.digest(number))
            _ = file.countUnread(Self.digest(number), at: nil)
        }
        #expect(file.unconfirmedStarts(Self.key(1)) == 1 && file.brokenStarts(Self.key(1)) == 1)
        #expect(file.unreadLaunches(of: Self.digest(1)) == 1)
        file.countStart(Self.key(1))
        file.countStart(Self.key(9))
        file.countBroken(Self.digest(9))
        _ = file.countUnread(Self.digest(9), at: nil)
        #expect(file.unconfirmedStarts(Self.key(1)) == 2 && file.unconfirmedStarts(Self.key(2)) == 0)
        #expect(file.brokenStarts(Self.key(1)) == 0 && file.brokenStarts(Self.key(2)) == 1)
        #expect(file.unreadLaunches(of: Self.digest(1)) == 0 && file.unreadLaunches(of: Self.digest(2)) == 1)
        #expect(file.counts.count == 8 && file.broken.count == 8 && file.unread.count == 8)
        let hex = Self.digest(1).hex
        var most = decoded("otalab-starts-2 \(hex)=1000000 broken-\(hex)=1000000")
        most?.countStart(Self.key(1))
        most?.countBroken(Self.digest(1))
        #expect(most?.unconfirmedStarts(Self.key(1)) == 1_000_000)
        #expect(most?.brokenStarts(Self.key(1)) == 1_000_000)
    }

    @Test("What is forgotten of one version leaves the others as they are")
    func forgetting() {
        var file = full()
        file.resetCount(Self.key(1))
        #expect(file.unconfirmedStarts(Self.key(1)) == 0 && file.unconfirmedStarts(Self.key(2)) == 1)
        #expect(file.hasUnread([Self.digest(1), Self.digest(6)]) && !file.hasUnread([Self.digest(1)]))
        file.forgetUnread([Self.digest(6)])
        #expect(!file.hasUnread([Self.digest(6)]) && file.hasUnread([Self.digest(7)]))
        #expect(file.brokenStarts(Self.key(4)) == 3)
        file.forgetBroken()
        #expect(file.brokenStarts(Self.key(4)) == 0)
        #expect(file.wasReachable(PageLoadToken(8)) && !file.wasReachable(PageLoadToken(7)))
        #expect(file.note(of: PageLoadToken(7)) != nil && file.note(of: PageLoadToken(8)) == nil)
    }

    @Test(
        "N1: on another build, or as a file of none, it forgets what is known about versions, and nothing else"
    )
    func storeUpdate() {
        var file = full()
        file.move(to: 10)
        #expect(file == full())
        file.move(to: 11)
        var rest = StartsFile()
        rest.build = 11
        rest.originDelay = full().originDelay
        rest.isRecordUnsynced = true
        #expect(file == rest)
    }

    @Test("A file that is absent or too long counts as none; after other errors it is read again")
    func load() throws {
        var disk = SimulatedDisk()
        let absent = StartsFile.read(&disk)
        #expect(absent == StartsFile())
        try disk.place(StorePaths.starts, full().bytes)
        let read = try StartsFile.load(&disk)
        #expect(read == full())
        disk.add(DiskFault(.read, .inputOutput, path: StorePaths.starts))
        #expect(throws: DiskError.self) { _ = try StartsFile.load(&disk) }
        disk.add(DiskFault(.read, .inputOutput, path: StorePaths.starts))
        let unread = StartsFile.read(&disk)
        #expect(unread == StartsFile() && disk.openCount == 0)
        try disk.place(StorePaths.starts, [UInt8](repeating: 0x20, count: 4_097))
        let long = try StartsFile.load(&disk)
        #expect(long == StartsFile())
    }

    // MARK: Ends of a process

    @Test("R3: how a process ended follows from the exit record, the note and the boot alone")
    func ends() {
        func note(_ presence: StartNote.Presence, isOpen: Bool = true) -> StartNote {
            var note = StartNote(
                token: PageLoadToken(1), digest: Self.digest(1), boot: 1, presence: presence)
            note.isOpen = isOpen
            return note
        }
        let exits = [nil] + ExitRecord.allCases.map { $0 as ExitRecord? }
        for exit in exits {
            for isSameBoot in [nil, true, false] as [Bool?] {
                let byRecord: ProcessEnd? =
                    exit == .crash ? .crash : exit == .notResponding ? .notResponding : nil
                func end(_ note: StartNote?) -> ProcessEnd { ProcessEnd(exit, note, isSameBoot: isSameBoot) }
                let withoutNote: ProcessEnd =
                    switch isSameBoot {
                    case true?: .notServed
                    case false?: .unexplained
                    case nil: byRecord ?? .unexplained
                    }
                #expect(end(nil) == withoutNote)
                let isInFront = exit == nil && isSameBoot == true
                #expect(end(note(.front)) == byRecord ?? (isInFront ? .inFront : .unexplained))
                #expect(end(note(.away)) == byRecord ?? .unexplained)
                #expect(end(note(.unseen)) == byRecord ?? .unseen)
                for presence in StartNote.Presence.allCases {
                    #expect(end(note(presence, isOpen: false)) == byRecord ?? .unexplained)
                }
            }
        }
        #expect([ProcessEnd.crash, .notResponding, .inFront].map(\.isBroken) == [true, true, true])
        #expect([ProcessEnd.notServed, .unseen, .unexplained].map(\.isBroken) == [false, false, false])
    }
}
