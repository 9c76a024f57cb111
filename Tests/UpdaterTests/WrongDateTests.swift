import Core
import Testing

@testable import Updater

@Suite("N3, U16: one response with a date years ahead is refuted by the next and the device's own clock")
struct WrongDateTests {
    private static let tenYears: Int64 = 10 * 365 * 86_400

    private func trueTime(_ device: Harness) -> OriginTime {
        OriginTime(seconds: 1_800_000_000 + device.now.microseconds / 1_000_000)
    }

    /// The newest time that the device knows is ten years ahead.
    private func ahead(own: Int64? = 0) throws -> Harness {
        var device = try Harness.aboutToStart()
        let (seconds, now) = (trueTime(device).seconds, device.now)
        device.updater.launch?.wallClock = own.map { WallClock(seconds: seconds + $0, at: now) }
        let wrong = OriginTime(seconds: trueTime(device).seconds + WrongDateTests.tenYears)
        let isSetBack = device.updater.updateOriginClock(wrong)
        #expect(!isSetBack)
        return device
    }

    @Test(
        "Refuted: the response and the own clock agree within a day, and are both more than a day before",
        arguments: [
            (own: 0, isRefuted: true), (86_400, true), (86_401, false), (-86_400, true), (-86_401, false),
        ])
    func border(own: Int64, isRefuted: Bool) throws {
        var device = try ahead(own: own)
        #expect(device.updater.isOriginTimeRefuted(by: trueTime(device)) == isRefuted)
        let isSetBack = device.updater.updateOriginClock(trueTime(device))
        #expect(isSetBack == isRefuted)
        #expect((device.updater.originNow == trueTime(device)) == isRefuted)
        #expect((device.updater.record.originTime == trueTime(device)) == isRefuted)
    }

    @Test("A time that is ahead by a day or less is not refuted: edges differ")
    func nearlyRight() throws {
        var device = try Harness.aboutToStart()
        let own = WallClock(seconds: trueTime(device).seconds, at: device.now)
        device.updater.launch?.wallClock = own
        let ahead = OriginTime(seconds: trueTime(device).seconds + 86_400)
        _ = device.updater.updateOriginClock(ahead)
        let isSetBack = device.updater.updateOriginClock(trueTime(device))
        #expect(!isSetBack && device.updater.originNow == ahead)
    }

    @Test("Without a clock of its own a device can't know which of two dates is wrong")
    func noOwnClock() throws {
        var device = try ahead(own: nil)
        let isSetBack = device.updater.updateOriginClock(trueTime(device))
        #expect(!isSetBack && device.updater.originNow != trueTime(device))
    }

    @Test("What was dated later counts from the right date; an earlier date stays")
    func entries() throws {
        var device = try ahead()
        let key = try #require(device.status.current)
        let wrong = try #require(device.updater.originNow)
        let right = trueTime(device)
        let earlier = OriginTime(seconds: right.seconds - 5)
        device.updater.record.parked = ParkedVersion(key: key, since: wrong)
        device.updater.record.switches = [
            RequestedSwitch(key: key, at: wrong), RequestedSwitch(key: key, at: earlier),
            RequestedSwitch(key: key, at: nil),
        ]
        device.updater.record.currentSince = wrong
        let isSetBack = device.updater.updateOriginClock(right)
        #expect(isSetBack)
        #expect(device.updater.record.parked?.since == right)
        #expect(device.updater.record.switches.map(\.at) == [right, earlier, nil])
        #expect(device.updater.record.currentSince == right)
    }

    @Test("The right time is written at once: the next process must not know the wrong one")
    func durable() throws {
        var device = try Harness.aboutToStart()
        let own = WallClock(seconds: trueTime(device).seconds, at: device.now)
        device.updater.launch?.wallClock = own
        _ = device.updater.updateOriginClock(
            OriginTime(seconds: trueTime(device).seconds + WrongDateTests.tenYears))
        device.check()
        #expect(device.updater.durable.originTime.map { $0 <= trueTime(device) } == true)
    }
}
