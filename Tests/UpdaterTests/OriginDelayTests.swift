import Core
import HTTP1
import Testing
import World

@testable import Updater

@Suite("U5: a delay that the origin requested, over process deaths")
struct OriginDelayTests {
    /// v1 runs, v2 is offered, and the origin has requested 24 h.
    private func delayed(boot: String = "boot-1", _ fields: [(String, String)] = []) throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.boot = boot
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.script = { _ in Reply(503, [], [("Retry-After", "108000")] + fields) }
        device.check()
        device.script = nil
        device.requests = []
        return device
    }

    /// A minute every three hours.
    private func launchSeldom(_ device: inout Harness, times: Int) throws {
        for _ in 0..<times {
            device.kill()
            device.now = device.now + .minutes(179)
            try device.start()
            device.check()
            device.wait(.minutes(1))
        }
    }

    @Test("Time without a process counts while the device is not booted anew, and no longer than 24 h")
    func shortLaunches() throws {
        var device = try delayed()
        try launchSeldom(&device, times: 7)
        #expect(device.requests.isEmpty)
        try launchSeldom(&device, times: 1)
        #expect(device.status.pending?.id == "v2")
        #expect(device.updater.starts.file.originDelay == nil)
    }

    @Test(
        "Without a boot id, and over a boot, only time in which a process runs counts",
        arguments: ["", "boot-1"])
    func unknownTime(boot: String) throws {
        var device = try delayed(boot: boot)
        device.kill()
        device.now = device.now + .hours(23)
        if !boot.isEmpty {
            device.boot = "boot-2"
            device.now = .zero + .seconds(10)
        }
        try device.start()
        device.check()
        device.wait(.hours(23))
        #expect(device.requests.isEmpty)
        device.wait(.minutes(61))
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A response that the user requested states the origin's time, which ends the delay or shortens it")
    func originTime() throws {
        var device = try delayed(boot: "")
        device.offered = nil
        device.kill()
        device.now = device.now + .hours(20)
        try device.start()
        device.send(.check(.user))
        device.offered = Version("v2", serial: 2)
        device.requests = []
        device.check()
        device.wait(.hours(3))
        #expect(device.requests.isEmpty)
        device.wait(.minutes(61))
        #expect(device.status.pending?.id == "v2")
        var late = try delayed(boot: "")
        late.kill()
        late.now = late.now + .hours(25)
        try late.start()
        late.send(.check(.user))
        #expect(late.status.pending?.id == "v2")
        #expect(late.updater.starts.file.originDelay == nil)
    }

    @Test("What the file states is read back; what no updater writes makes it absent")
    func text() {
        let delays = [
            OriginDelay(remaining: .minutes(10), boot: nil, at: .zero, end: nil),
            OriginDelay(remaining: .minutes(10), boot: 7, at: .zero + .seconds(9), end: nil),
            OriginDelay(remaining: .hours(24), boot: nil, at: .zero, end: OriginTime(seconds: 1_800_000_000)),
            OriginDelay(remaining: .zero, boot: .max, at: .zero, end: OriginTime(seconds: 0)),
        ]
        for delay in delays { #expect(OriginDelay(text: delay.text[...]) == delay) }
        for text in ["", "x", "-1", "1,2", "1,2,3", "1,2,-,-", "1,-,3,-", "1,2,3,4,5", "1,2,3,x", "1,2,-3,4"]
        {
            #expect(OriginDelay(text: text[...]) == nil, "\(text)")
        }
        #expect(OriginDelay(text: "99999999999999999999")?.remaining == .hours(24))
    }
}

@Suite("U5: one count of requests for the manifest")
struct ManifestAttemptTests {
    @Test("A first response whose files are missing counts: eight requests, then one every 15 min")
    func missingFiles() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.script = { $0.route == nil ? nil : Reply(404) }
        device.requests = []
        device.check()
        device.wait(.minutes(10))
        #expect(device.manifests == 8)
        #expect(device.causes(.retriesExhausted) >= 1)
        device.wait(.minutes(60))
        #expect(device.manifests == 12)
    }

    @Test("Checks that fail, a disk that refuses and files that differ are counted together")
    func differentReasons() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.script = { $0.route == nil ? Reply(503) : Reply(200, Version.content("x", 3_000)) }
        device.requests = []
        device.check()
        device.wait(.seconds(2))
        #expect(device.manifests == 2)
        device.script = { $0.route == nil ? nil : Reply(200, Version.content("x", 3_000)) }
        device.disk.limitFreeSpace(to: 0)
        device.wait(.seconds(12))
        #expect(device.causes(.noSpace) >= 1)
        device.disk.limitFreeSpace(to: 1 << 30)
        device.wait(.minutes(10))
        #expect(device.manifests == 8)
    }

    @Test("A publication that supersedes another begins no new count")
    func superseded() throws {
        var device = try Harness.started()
        device.script = { $0.route == nil ? nil : Reply(404) }
        device.requests = []
        for serial in 2..<8 {
            device.offered = Version("v\(serial)", serial: serial)
            if serial == 2 { device.check() }
            device.wait(.seconds(30))
        }
        device.wait(.minutes(5))
        #expect(device.manifests == 8)
    }

    @Test("U8: two versions that were left before, offered in turn, are no check a minute for ever")
    func secondChecks() throws {
        var device = try Harness.started()
        for id in ["v2", "v3", "v4"] {
            device.offered = Version(id, serial: -1)
            device.check()
        }
        device.settings.updates = .manual
        device.requests = []
        var count = 0
        device.script = { _ in
            count += 1
            return Reply(200, Version(count.isMultiple(of: 2) ? "v2" : "v3", serial: -1).manifest)
        }
        device.check()
        device.wait(.minutes(60))
        #expect(device.status.pending?.id == "v4")
        #expect((9...13).contains(count), "\(count)")
    }
}
