import Core
import Testing

@testable import Updater

@Suite("Ends in front, and what they rest on")
struct EndInFrontTests {
    /// A process that has just started v2, which has not confirmed.
    private func started(isDebugged: Bool = false, boot: String = "boot-1", ends: Int = 3) throws -> Harness {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        device.isDebugged = isDebugged
        device.boot = boot
        device.settings.unclearEndsUntilRescue = ends
        try device.launch()
        #expect(device.show(.processStart) == "v2")
        return device
    }

    /// The version that the next launch starts.
    private func next(_ device: inout Harness) throws -> String? {
        try device.launch()
        return device.show(.processStart)
    }

    @Test("R2: the note says in front while the app is active, and is written before a swipe can end it")
    func note() throws {
        var device = try started()
        func presence() -> StartNote.Presence? { StartsFile.read(&device.disk).note?.presence }
        #expect(presence() == .front)
        device.send(.inactive)
        #expect(presence() == .away)
        device.send(.active)
        #expect(presence() == .front)
        device.wait(.seconds(2))
        device.send(.background)
        #expect(presence() == .unseen)
        device.send(.active)
        #expect(presence() == .unseen, "an app in background is not active, whatever arrives late")
        device.send(.foreground)
        #expect(presence() == .front)
        device.wait(.seconds(4))
        device.send(.background)
        #expect(presence() == .away)
    }

    @Test("R2: active and inactive change nothing but the note")
    func noOtherEffect() throws {
        var device = try started()
        let before = device.updater.record
        device.effects = []
        for event in [Updater.Event.inactive, .active, .inactive] { device.send(event) }
        #expect(device.effects.allSatisfy { if case .again = $0 { true } else { false } })
        #expect(device.updater.record == before)
    }

    @Test("R3: an end in front gives the next launch the version before, and no version is blamed")
    func endInFront() throws {
        var device = try started()
        device.kill(inFront: true)
        #expect(try next(&device) == "v1")
        #expect(device.status.pending?.id == "v2" && device.status.pendingWaits)
        #expect(device.status.blacklist.isEmpty && device.status.parked.isEmpty)
        #expect(device.show(.reload) == "v1", "only a process start takes it up")
        device.kill()
        #expect(try next(&device) == "v1", "v1 has not confirmed")
        device.kill()
        #expect(try next(&device) == "v2", "the second process start after the rescue")
        device.kill(inFront: true)
        #expect(try next(&device) == "v1")
        #expect(device.status.parked.map(\.id) == ["v2"])
    }

    @Test(
        "R3: no end in front: a swipe, an exit record that explains it, another boot, no boot id, a debugger")
    func notInFront() throws {
        var swiped = try started()
        swiped.kill()
        #expect(try next(&swiped) == "v2")
        for record in [ExitRecord.userRequested, .lowMemory, .other] {
            var explained = try started()
            explained.kill(record, inFront: true)
            #expect(try next(&explained) == "v2", "\(record)")
        }
        var rebooted = try started()
        rebooted.kill(inFront: true)
        rebooted.boot = "boot-2"
        #expect(try next(&rebooted) == "v2")
        var withoutBoot = try started(boot: "")
        withoutBoot.kill(inFront: true)
        #expect(try next(&withoutBoot) == "v2")
        var debugged = try started(isDebugged: true)
        debugged.kill(inFront: true)
        #expect(try next(&debugged) == "v2")
    }

    @Test("R2, R4: without a note nothing was served: uncounted, also after a crash; unclear after a reboot")
    func notServed() throws {
        for (boot, record, cause) in [
            ("boot-1", ExitRecord.crash, LogCause.startUncounted), ("boot-2", .crash, .startUnclear),
        ] {
            var device = try Harness.aboutToStart()
            device.send(.pageLoadRequested(PageLoadToken(99), .processStart))
            device.kill(record)
            device.boot = boot
            try device.launch()
            #expect(device.causes(cause) == 1, "\(boot)")
        }
    }

    @Test("R2, R3: the note of a version shown instead of one whose start record seemed unwritten")
    func noteOfAnother() throws {
        for exit in [nil, ExitRecord.crash] {
            var device = try started()
            let open = try #require(device.updater.record.openStart)
            let embedded = try #require(device.updater.record.embedded)
            let note = StartNote(
                token: open.token, digest: embedded.digest, boot: StartNote.hash(ofBoot: "boot-1"),
                presence: .front)
            device.updater.starts.file.setNote(note)
            device.updater.writeStartsFileAtOnce(&device.disk)
            device.kill(exit, inFront: true)
            #expect(try next(&device) == "v2")
            #expect(device.causes(.startUncounted) == 1, "\(device.logged)")
            #expect(device.causes(.startEndedInFront) == 0)
            #expect(device.causes(.startFailedByCrash) == 0)
            #expect(device.updater.starts.file.brokenStarts(embedded) == 1, "it counts for R13")
        }
    }

    @Test("R3: after how many unclear ends the user gets another version is a setting", arguments: 1...3)
    func setting(ends: Int) throws {
        var device = try started(ends: ends)
        for end in 1...ends {
            device.kill()
            let isLast = end == ends
            #expect(try next(&device) == (isLast ? "v1" : "v2"), "end \(end) of \(ends)")
        }
        #expect(device.status.parked.isEmpty == (ends < 3))
        #expect(device.status.blacklist.isEmpty)
    }

    @Test("R3: a version that confirmed after a long time gets twice that time, two minutes at most")
    func slowStart() throws {
        for (span, clock) in [(TimeSpan.seconds(2), TimeSpan.seconds(20)), (.seconds(15), .seconds(30))] {
            var device = try started()
            let token = try #require(device.served.keys.max())
            device.wait(span)
            device.send(.page(token, .confirmed))
            let key = try #require(device.served[token]?.key)
            #expect(device.updater.startupClock(of: key, isSecondChance: false) == clock)
            #expect(device.updater.startupClock(of: key, isSecondChance: true) == .seconds(60))
            device.updater.record.update(key) { $0.slowestStart = 100 }
            #expect(device.updater.startupClock(of: key, isSecondChance: false) == .minutes(2))
        }
    }

    @Test("The starts file is read back as it was written; any other form counts as absent")
    func file() throws {
        var file = StartsFile()
        let key = VersionKey(id: "v1", digest: SHA256.hash(of: [1]))
        file.countStart(key)
        file.countBroken(key.digest)
        file.countBroken(key.digest)
        for boot in [nil, UInt32.max] {
            file.setNote(
                StartNote(token: PageLoadToken(7), digest: key.digest, boot: boot, presence: .unseen))
            #expect(StartsFile.decode(file.bytes) == file)
            file.closeNote()
            #expect(StartsFile.decode(file.bytes) == file)
        }
        #expect(file.brokenStarts(key) == 2)
        for index in 0..<20 as Range<UInt8> { file.countBroken(SHA256.hash(of: [index])) }
        #expect(file.broken.count == 8 && file.bytes.count < 4_096)
        let digest = key.digest.hex
        for note in ["", "x", "7,\(digest),-,front,open", "\(digest),-,front,open"] {
            #expect(decoded("otalab-starts-2 note=\(note)") == nil, "\(note)")
        }
        #expect(decoded("otalab-starts-1") == nil, "an older format")
        #expect(decoded("otalab-starts-2") == StartsFile())
    }

    private func decoded(_ text: String) -> StartsFile? {
        StartsFile.decode(Array("\(text) \(FNV1a32.hash(of: text))\n".utf8))
    }
}

@Suite("The only version must not lock out its own fix")
struct FixWaitTests {
    /// A device whose embedded version has ended in front twice before a check could end.
    private func lockedOut() throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.isSilent = true
        for _ in 0..<2 {
            try device.launch()
            device.check()
            device.load(.processStart)
            device.kill(inFront: true)
        }
        device.effects = []
        return device
    }

    private func isReady(_ device: Harness) -> Bool { device.effects.contains(.ready) }

    @Test(
        "R13: after two ends in front the launch checks first; ten seconds without progress start the version"
    )
    func silence() throws {
        var device = try lockedOut()
        try device.launch()
        #expect(device.screens.last == .recovery)
        #expect(device.requests.last?.kind == .manifest)
        device.wait(.milliseconds(9_900))
        #expect(!isReady(device))
        device.wait(.milliseconds(200))
        #expect(isReady(device))
        #expect(device.screens.last == Updater.Screen.none)
        #expect(device.show(.processStart) == "v1")
    }

    @Test("R13: while bytes arrive it waits for a minute in all")
    func progress() throws {
        var device = try lockedOut()
        device.isSilent = false
        device.offered = Version("v2", serial: 2)
        device.delayed = ["/app.js"]
        try device.launch()
        let body = device.offered?.files[1].bytes ?? []
        for part in 0..<6 {
            device.wait(.seconds(9))
            #expect(!isReady(device), "\(part)")
            device.arrive("/app.js", [body[part]], of: body.count)
        }
        device.wait(.milliseconds(5_900))
        #expect(!isReady(device))
        device.wait(.milliseconds(200))
        #expect(isReady(device))
    }

    @Test("R13: what the check brings is started; nothing new starts the version at once")
    func answered() throws {
        var device = try lockedOut()
        device.isSilent = false
        var nothing = device
        device.offered = Version("v2", serial: 2)
        try device.launch()
        #expect(isReady(device) && device.show(.processStart) == "v2")
        try nothing.launch()
        #expect(isReady(nothing) && nothing.show(.processStart) == "v1")
        #expect(nothing.updater.starts.file.broken.isEmpty, "a check has ended")
    }

    @Test("R13: no wait offline, without updates, in background, or after a swipe; try again ends one")
    func noWait() throws {
        var offline = try lockedOut()
        offline.isOffline = true
        try offline.launch()
        #expect(isReady(offline))
        var never = try lockedOut()
        never.settings.updates = .never
        try never.launch()
        #expect(isReady(never))
        var background = try lockedOut()
        try background.launch(inForeground: false)
        #expect(isReady(background))
        var again = try lockedOut()
        try again.launch()
        again.send(.userTriesAgain)
        #expect(isReady(again) && again.show(.processStart) == "v1")
        var swiped = try Harness(embedded: Version("v1", serial: 1))
        swiped.isSilent = true
        for _ in 0..<4 {
            try swiped.launch()
            swiped.load(.processStart)
            swiped.kill()
        }
        swiped.effects = []
        try swiped.launch()
        #expect(isReady(swiped))
    }

    @Test("R13: an app that checks at the page's request only checks here too, and from the recovery screen")
    func pagePolicy() throws {
        var device = try lockedOut()
        device.settings.updates = .page
        let before = device.requests.count
        try device.launch()
        #expect(device.requests.count == before + 1)
        device.send(.check(.user))
        #expect(device.causes(.checkJoined) == 1)
    }

    @Test("R13: the cover clock counts time in front without content, for every version, and blames none")
    func coverClock() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.launch()
        let token = PageLoadToken(50)
        device.send(.pageLoadRequested(token, .processStart))
        device.send(.page(token, .indexServed))
        device.wait(.seconds(12))
        device.send(.background)
        device.wait(.hours(1))
        device.send(.foreground)
        device.wait(.seconds(7))
        #expect(!device.screens.contains(.recoveryUntilContent))
        device.wait(.seconds(2))
        #expect(device.screens.last == .recoveryUntilContent)
        #expect(device.causes(.noContentShown) == 1)
        device.send(.check(.user))
        device.send(.page(token, .contentShown))
        device.send(.page(token, .confirmed))
        #expect(!device.updater.cover.isRecoveryShown)
        #expect(device.status.blacklist.isEmpty)

        var shown = try Harness(embedded: Version("v1", serial: 1))
        try shown.launch()
        shown.load(.processStart)
        shown.wait(.minutes(5))
        #expect(shown.causes(.noContentShown) == 0)
    }
}
