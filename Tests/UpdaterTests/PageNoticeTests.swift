import Core
import HTTP1
import Testing

@testable import Updater

@Suite("What the page hears of, and how old what runs is (T2, F16)")
struct PageNoticeTests {
    private func errors(_ device: Harness) -> [LogCause] {
        device.notices.compactMap { if case .error(let cause, _) = $0 { cause } else { nil } }
    }

    private func other(_ extra: String, _ serial: Int = 2) -> Version {
        var version = Version("v\(serial)", serial: serial)
        version.extra = extra
        return version
    }

    @Test("T2: an offer that is refused reaches the page once, and again after a success")
    func refusedOffer() throws {
        var device = try Harness.started()
        device.offered = other("\"native\": { \"min\": \"2.0\" },")
        for _ in 0..<3 {
            device.check()
            device.wait(.minutes(5))
        }
        #expect(errors(device) == [.nativeOutsideRange])
        device.offered = Version("v3", serial: 3)
        device.check()
        #expect(device.status.pending?.id == "v3")
        device.offered = other("\"native\": { \"min\": \"2.0\" },", 4)
        device.check()
        #expect(errors(device) == [.nativeOutsideRange, .nativeOutsideRange])
    }

    @Test("T2: of a check that fails again and again in its retries the page hears once")
    func retries() throws {
        var device = try Harness.started()
        device.answers = [("manifest.json", 500, [])]
        device.check()
        device.wait(.minutes(30))
        #expect(device.causes(.statusRefused) > 3)
        #expect(errors(device) == [.statusRefused])
        // Another cause of the next check is news, of the same check it is not.
        device.answers = [("manifest.json", 200, Array("{".utf8))]
        device.wait(.minutes(30))
        #expect(errors(device) == [.statusRefused])
        device.check()
        #expect(errors(device) == [.statusRefused, .manifestUnreadable])
    }

    @Test("T2: a missing file, wrong bytes and a full disk reach the page, once for a check")
    func files() throws {
        for (answer, cause) in [
            ((url: "/app.js", status: 404, body: [UInt8]()), LogCause.statusRefused),
            ((url: "/app.js", status: 200, body: [1, 2, 3]), .lengthMismatch),
        ] {
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2)
            device.answers = [answer]
            device.check()
            device.wait(.minutes(10))
            #expect(errors(device) == [cause])
            guard case .error(_, let detail) = device.notices.first else { continue }
            #expect(detail.hasPrefix("version=v2 route=/app.js"), "\(detail)")
        }
    }

    @Test("T2: nothing is wrong with what is up to date, ignored or waits")
    func noFailure() throws {
        var device = try Harness.started()
        device.offered = Version("v1", serial: 1)
        device.check()
        device.offered = nil
        device.check()
        device.offered = Version("v0", serial: 0)
        device.check()
        #expect(errors(device).isEmpty)
    }

    @Test("T2: a notice holds for a page as long as it is true")
    func holds() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        let (v1, v2) = (try #require(device.status.current), try #require(device.status.pending))
        #expect(device.updater.holds(.newVersionReady(v2), forPageOf: v1))
        #expect(!device.updater.holds(.newVersionReady(v2), forPageOf: v2))
        #expect(!device.updater.holds(.newVersionReady(v1), forPageOf: nil))
        #expect(!device.updater.holds(.recalled(v2), forPageOf: v2))
        #expect(!device.updater.holds(.forced(v2), forPageOf: v1))
        #expect(device.show(.reload) == "v2")
        #expect(!device.updater.holds(.newVersionReady(v2), forPageOf: v1), "it is not pending any more")
    }

    @Test("T2: progress of a download holds until one of another version has replaced it (U7)")
    func progressHolds() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        let v2 = try #require(device.status.pending)
        let progress = DownloadProgress(version: v2, filesDone: 1, files: 2, bytesDone: 1, bytes: 2)
        #expect(device.updater.holds(.progress(progress), forPageOf: device.status.current))
        #expect(!device.updater.holds(.progress(progress), forPageOf: v2))
        device.offered = Version("v3", serial: 3)
        device.delayed = ["/app.js"]
        device.check()
        let v3 = try #require(device.status.downloading)
        #expect(!device.updater.holds(.progress(progress), forPageOf: device.status.current))
        var newer = progress
        newer.version = v3
        #expect(device.updater.holds(.progress(newer), forPageOf: device.status.current))
    }

    @Test("F16: status and report say since when what runs is current, over processes and switches")
    func age() throws {
        var device = try Harness.started()
        #expect(device.status.currentSince == nil, "no origin has told the time")
        device.offered = Version("v2", serial: 2)
        device.check()
        let first = OriginTime(seconds: 1_800_000_000)
        #expect(device.status.currentSince == first)
        device.wait(.hours(48))
        device.kill()
        try device.start()
        device.check()
        let second = OriginTime(seconds: 1_800_172_800)
        #expect(device.status.current?.id == "v2" && device.status.currentSince == second)
        device.wait(.hours(24))
        device.kill()
        try device.start()
        device.check()
        #expect(device.status.currentSince == second)
        #expect(device.updater.report().text.contains("running-since=1800172800"))
    }

    @Test("N1: beside an embedded version without a serial nothing downloaded survives a store update")
    func embeddedWithoutSerial() throws {
        var device = try Harness.started()
        device.offered = Version("v9", serial: 9)
        device.check()
        device.kill()
        try device.embed(Version("p2", serial: -1))
        device.native = "1.1"
        try device.launch()
        #expect(device.show(.processStart) == "p2")
        #expect(device.status.pending == nil)
        // Any serial is above none, but the line is the same: what was accepted in it counts (U8).
        device.offered = Version("v1", serial: 1)
        device.check()
        #expect(device.status.pending == nil)
        device.offered = Version("v10", serial: 10)
        device.check()
        #expect(device.status.pending?.id == "v10")
    }

    @Test("U6: what the page held off in background happens when it releases it")
    func release() throws {
        for isPush in [true, false] {
            var device = try Harness.started()
            device.send(.heldOff(true))
            device.send(.background)
            device.offered = isPush ? Version("v2", serial: 2) : other("\"order\": \"force\",")
            device.send(.check(isPush ? .push : .app))
            #expect(device.status.pending?.id == "v2" && device.reloads.isEmpty)
            var inFront = device
            inFront.send(.foreground)
            inFront.send(.heldOff(false))
            #expect(inFront.reloads.isEmpty)
            device.send(.heldOff(false))
            #expect(device.reloads == [isPush ? .push : .forced])
        }
    }
}
