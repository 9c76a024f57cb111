import Core
import Testing

@testable import Updater

@Suite("Checks that are requested while another has to end first (U4)")
struct CheckTests {
    @Test("A request of the user is not replaced by another one that waits")
    func order() {
        for reason in Updater.CheckReason.allCases {
            var checks = Checks()
            checks.queue(.user)
            checks.queue(reason)
            #expect(checks.takeQueued() == .user && checks.takeQueued() == nil)
            checks.queue(reason)
            checks.queue(.user)
            #expect(checks.takeQueued() == .user)
        }
        var checks = Checks()
        checks.queue(.page)
        checks.queue(.push)
        #expect(checks.takeQueued() == .push)
    }

    @Test("The check at launch is the user's if the user requested one while the store was opened")
    func atLaunch() throws {
        var device = try Harness.aboutToStart()
        for _ in 1...3 {
            device.load(.processStart)
            device.kill()
            try device.launch()
        }
        #expect(device.causes(.parked) == 1)
        device.kill()
        device.settings.updates = .automatic
        try device.launch(then: [.check(.user), .check(.push)])
        #expect(device.causes(.parkingEnded) == 1 && device.status.pending?.id == "v2")
    }

    @Test("A check whose response does not count any more is reported")
    func dropped() throws {
        var device = try Harness.started()
        device.isSilent = true
        device.check()
        device.settings.cohort = "beta"
        device.send(.settings(device.settings))
        #expect(device.causes(.checkDropped) == 1 && device.manifests == 2)
    }

    @Test("A store that can't be written skips a check, and says so")
    func readOnly() throws {
        var device = try Harness.started()
        device.kill()
        device.disk.makeReadOnly(true)
        try device.launch()
        let before = device.causes(.storeUnavailable)
        device.check()
        #expect(device.causes(.storeUnavailable) == before + 1)
    }
}

@Suite("Files that differ from their manifest (U3, U5), and optional ones that fail (U12)")
struct ContradictedManifestTests {
    private func offered(_ count: Int) -> Version {
        var version = Version("v2", serial: 2)
        for index in 0..<count { version.files.append(("/f\(index).js", Version.content("f\(index)", 90))) }
        return version
    }

    @Test("However many files are missing, the manifest is requested eight times, then after 15 minutes")
    func manifests() throws {
        for count in [1, 6, 40] {
            var device = try Harness.started()
            let version = offered(count)
            device.offered = version
            device.script = { $0.route?.hasPrefix("/f") == true ? Reply(404) : nil }
            device.requests = []
            device.check()
            device.wait(.minutes(14))
            // A file that arrived after the first response ended its count.
            #expect((8...9).contains(device.manifests), "\(count) files")
            #expect(device.causes(.retriesExhausted) >= 1)
            device.script = nil
            device.wait(.minutes(10))
            #expect(device.status.pending?.id == "v2", "\(count) files")
        }
    }

    @Test("A file that arrives ends the count: files that fail don't keep the others waiting")
    func others() throws {
        var device = try Harness.started()
        device.offered = offered(40)
        device.script = { request in
            (0..<6).contains { request.route == "/f\($0).js" } ? Reply(404) : nil
        }
        device.check()
        device.wait(.minutes(3))
        #expect((6..<40).allSatisfy { device.requested("/f\($0).js").count == 1 })
        #expect(device.causes(.retriesExhausted) >= 1)
    }

    @Test("An optional file that fails five times counts as missing if the origin answers a check then")
    func optional() throws {
        for reply in [Reply(500), Reply(503)] {
            var device = try Harness.started()
            var version = offered(1)
            version.optional = ["/f0.js"]
            device.offered = version
            device.script = { $0.route == "/f0.js" ? reply : nil }
            device.check()
            device.wait(.minutes(2))
            #expect(device.status.pending?.id == "v2" && device.causes(.optionalMissing) == 1)
            #expect(device.requested("/f0.js").count == Download.maxOptionalFailures)
        }
    }

    @Test("It is requested once more when a check has failed since")
    func outage() throws {
        var device = try Harness.started()
        var version = offered(1)
        version.optional = ["/f0.js"]
        device.offered = version
        device.script = { $0.route == "/f0.js" ? Reply(500) : nil }
        device.check()
        device.script = { $0.kind == .manifest || $0.route == "/f0.js" ? Reply(500) : nil }
        device.wait(.seconds(40))
        #expect(device.causes(.optionalMissing) == 0 && device.status.pending == nil)
        device.script = nil
        device.wait(.minutes(2))
        #expect(device.causes(.optionalMissing) == 0 && device.status.pending?.id == "v2")
    }
}
