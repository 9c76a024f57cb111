import Core
import Testing

@testable import Updater

@Suite("The origin's time: entries are never dated too old (R3, R5, U5, T3)")
struct OriginTimeTests {
    private func time(_ device: Harness) -> OriginTime {
        OriginTime(seconds: 1_800_000_000 + device.now.microseconds / 1_000_000)
    }

    /// v2 has failed once and waits for its second chance; the last check was the one that downloaded it.
    private func waiting() throws -> Harness {
        var device = try Harness.aboutToStart()
        device.send(.page(device.load(.processStart), .failed("broken")))
        device.send(.page(device.load(.commanded), .confirmed))
        device.kill()
        return device
    }

    /// Nine days later the second chance fails before a check has ended in this process.
    private func blamedAfterNineDays() throws -> Harness {
        var device = try waiting()
        device.wait(.days(9))
        try device.launch()
        device.send(.page(device.load(.processStart), .failed("broken")))
        return device
    }

    private func since(_ device: Harness) -> OriginTime? { device.updater.durable.blacklist.first?.since }

    @Test("R5: before the process knows the time an entry has no date; the first response dates it back")
    func datedBack() throws {
        var device = try blamedAfterNineDays()
        #expect(device.causes(.blacklistEntry) == 1 && since(device) == nil)
        let blamed = time(device)
        device.wait(.days(2))
        device.check()
        #expect(since(device) == blamed)
        #expect(device.causes(.blacklistEnded) == 0 && device.status.blacklist.map(\.id) == ["v2"])
        device.wait(.days(5))
        device.check()
        #expect(device.causes(.blacklistEnded) == 1)
    }

    @Test("R5: an entry left undated by a dead process is dated by the next process's first response")
    func datedByTheNext() throws {
        var device = try blamedAfterNineDays()
        device.kill()
        device.wait(.days(3))
        try device.launch()
        device.check()
        #expect(since(device) == time(device))
        #expect(device.status.blacklist.map(\.id) == ["v2"])
    }

    @Test("R5: a check that found nothing new in this process dates an entry hours later")
    func clockCarriesOn() throws {
        var device = try waiting()
        device.wait(.days(9))
        try device.launch()
        device.check()
        device.wait(.hours(1))
        device.check()
        #expect(device.updater.durable.originTime != device.updater.record.originTime)
        device.wait(.hours(5))
        device.send(.page(device.load(.processStart), .failed("broken")))
        #expect(since(device) == time(device))
    }

    @Test("A response with an old date neither sets the clock back nor dates entries before the known time")
    func oldDate() throws {
        var device = try blamedAfterNineDays()
        let known = try #require(device.updater.record.originTime)
        let fields = [("Date", "Sun, 06 Nov 1994 08:49:37 GMT")]
        device.script = { _ in Reply(204, [], fields) }
        device.wait(.days(2))
        device.check()
        #expect(device.updater.record.originTime == known && since(device) == known)
    }

    @Test("R3: a parked version's day begins when it is parked")
    func parked() throws {
        var device = try Harness.aboutToStart()
        for _ in 1...3 {
            device.load(.processStart)
            device.kill()
            device.wait(.days(2))
            try device.launch()
        }
        #expect(device.causes(.parked) == 1 && device.updater.durable.parked?.since == nil)
        let parked = time(device)
        device.check()
        #expect(device.updater.durable.parked?.since == parked && device.causes(.parkedOffer) == 1)
        device.wait(.hours(23))
        device.check()
        #expect(device.causes(.parkedOffer) == 2)
        device.wait(.hours(1))
        device.check()
        #expect(device.causes(.parkingEnded) == 1)
    }

    @Test("U5: the day of a requested switch is recorded with the check that states it")
    func switches() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        device.wait(.days(2))
        try device.launch()
        device.send(.switchRequested(device.load(.navigation)))
        #expect(device.updater.durable.switches.map(\.at) == [nil])
        device.check()
        #expect(device.updater.durable.switches.map(\.at) == [time(device)])
    }

    @Test("T3: an outcome has the time at which it happened")
    func outcomes() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.reportsOutcomes = true
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        device.wait(.days(4))
        try device.launch()
        let switched = time(device)
        device.load(.processStart)
        device.wait(.seconds(15))
        device.requests = []
        device.check()
        let post = try #require(device.requests.first { $0.kind == .outcomes })
        let stated = try JSONReader.read(post.body, dialect: .strict).array ?? []
        let taken = stated.first { $0["outcome"]?.string == "taken" && $0["version"]?.string == "v2" }
        #expect(taken?["time"]?.integer == switched.seconds)
    }
}
