import Core
import HTTP1
import Testing

@testable import Updater

@Suite("The course of offers: every request, timer, entry, notice and screen, in order")
struct OfferCourseTests {
    private func expect(_ device: inout Harness, _ name: String) {
        let course = device.takeCourse()
        #expect(course == Self.courses[name], "\(name)")
    }

    private func offer(_ id: String, _ serial: Int, _ extra: String = "", to device: inout Harness) {
        device.offered = Version(id, serial: serial)
        device.offered?.extra = extra
        device.check()
    }

    @Test("U6, U8, U13: orders of the origin")
    func orders() throws {
        var device = try Harness.forCourse()
        offer("v2", 2, to: &device)
        device.effects = []
        offer("v3", 3, "\"order\": \"force\",", to: &device)
        expect(&device, "forced")
        offer("v1", 4, "\"order\": \"rollBack\",", to: &device)
        expect(&device, "rolledBack")
        offer("v3", 5, to: &device)
        device.kill()
        try device.start()
        device.effects = []
        offer("v3", 6, "\"recalled\": [\"v3\"],", to: &device)
        expect(&device, "recalled")
        offer("v9", 7, "\"order\": \"embedded\", \"recalled\": [\"v3\"],", to: &device)
        expect(&device, "embedded")
        device.load(.reload)
        offer("v3", 3, to: &device)
        expect(&device, "older")
    }

    @Test("U10: offers that do not fit the app, its channel, its build or its origin")
    func unfit() throws {
        var device = try Harness.forCourse()
        device.script = { _ in
            Reply(
                200,
                Array(
                    String(decoding: Version("v2", serial: 2).manifest, as: UTF8.self)
                        .replacing("com.example.shop", with: "other.app").utf8))
        }
        device.check()
        device.script = nil
        offer("v2", 2, "\"channel\": \"beta\",", to: &device)
        offer("v2", 2, "\"native\": { \"min\": \"1.1\" },", to: &device)
        offer("v2", 2, "\"native\": { \"below\": \"1.0\" },", to: &device)
        expect(&device, "unfit")
    }

    @Test("U9: a rollout whose manifest for the others is requested in the same check")
    func rollout() throws {
        var device = try Harness.forCourse()
        var outside = Version("v2", serial: 2)
        outside.extra = "\"rollout\": { \"share\": 0, \"of\": 5, \"otherwise\": \"o/m.json\" },"
        let other = Version("v1", serial: 1)
        device.script = { request in
            if request.url.hasSuffix("/o/m.json") { return Reply(302, [], [("Location", "n.json")]) }
            return Reply(200, (request.url.hasSuffix("/n.json") ? other : outside).manifest)
        }
        device.check()
        expect(&device, "rollout")
        outside.extra = "\"rollout\": { \"share\": 0, \"of\": 5 },"
        device.script = { [outside] _ in Reply(200, outside.manifest) }
        device.check()
        expect(&device, "outside")
        outside.extra = "\"rollout\": { \"share\": 0, \"of\": 5, \"otherwise\": \"o/m.json\" },"
        device.script = { [outside] request in
            request.url.hasSuffix("/o/m.json") ? .silence : Reply(200, outside.manifest)
        }
        device.check()
        device.wait(.seconds(16))
        expect(&device, "otherSilent")
    }

    @Test("T3: outcomes are reported after a check, again after a failure, and once")
    func outcomes() throws {
        var device = try Harness.forCourse { $0.settings.reportsOutcomes = true }
        device.check()
        expect(&device, "reported")
        offer("v2", 2, to: &device)
        device.kill()
        try device.start()
        device.effects = []
        device.script = { $0.kind == .outcomes ? .silence : Reply(204) }
        device.check()
        device.wait(.seconds(46))
        expect(&device, "outcomesSilent")
        device.script = { $0.kind == .outcomes ? Reply(429, [], [("Retry-After", "20")]) : Reply(204) }
        device.check()
        expect(&device, "outcomesBusy")
        device.script = { $0.kind == .outcomes ? Reply(200).cut(after: 0) : Reply(204) }
        device.wait(.seconds(21))
        device.check()
        expect(&device, "outcomesCut")
        device.script = { $0.kind == .outcomes ? Reply(299) : Reply(204) }
        device.check()
        device.check()
        expect(&device, "outcomesTaken")
        device.settings.updates = .never
        device.send(.settings(device.settings))
        expect(&device, "outcomesOff")
    }

    @Test("N1, R2, R3: launches say how the last process ended, and after a store update what was dropped")
    func launches() throws {
        var device = try Harness.forCourse()
        offer("v2", 2, to: &device)
        device.kill()
        try device.launch()
        device.load(.processStart)
        device.effects = []
        device.kill(.crash)
        try device.launch()
        device.load(.processStart)
        expect(&device, "crashed")
        device.kill()
        device.boot = ""
        device.native = "1.1"
        try device.launch(inForeground: false)
        expect(&device, "updated")
        device.settings.keys = []
        device.kill()
        try device.launch()
        expect(&device, "keyless")
    }
}

extension OfferCourseTests {
    fileprivate static let courses: [String: String] = [
        "forced": """
        fetch 3 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log forced v3
        notice forced v3
        log download-started v3 rows=3
        notice progress v3 2/3 files, 729/3729 bytes
        fetch 4 /app.js /app.js
        timer idle 4 15000 ms
        timer idle 4 30000 ms
        notice progress v3 2/3 files, 3729/3729 bytes
        no timer idle 4
        notice progress v3 3/3 files, 3729/3729 bytes
        log superseded v2 by=v3
        timer collectGarbage 60000 ms
        timer collectGarbage 60000 ms
        log became-pending v3 verified=every-byte unchanged=by-hash order=serial orders=yes native=range
        notice newVersionReady v3
        """,
        "rolledBack": """
        fetch 5 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 5 15000 ms
        timer idle 5 30000 ms
        no timer idle 5
        log rolled-back-by-order v1
        log up-to-date v1
        log pending-dropped v3 the origin names what runs
        timer collectGarbage 60000 ms
        """,
        "recalled": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v3
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        no timer idle 1
        log recalled v3 runs
        notice recalled v3
        log recalled-offer v3
        notice error recalled-offer version=v3
        """,
        "embedded": """
        fetch 2 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v3
        timer idle 2 15000 ms
        timer idle 2 30000 ms
        no timer idle 2
        log recalled v3 runs
        notice recalled v3
        log embedded-by-order v1
        log became-pending v1 verified=package unchanged=by-hash order=serial orders=yes native=range
        notice newVersionReady v1
        """,
        "older": """
        log switched v1 moment=reload
        no timer startup
        no timer sendingAllowance
        page 3 gets v1
        current v1
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        no timer cover
        no timer startup
        no timer sendingAllowance
        fetch 3 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log older-than-accepted v3 below the accepted publication of this line, or beside it
        """,
        "unfit": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        no timer idle 1
        log other-app v2 app=other.app
        notice error other-app version=v2 app=other.app
        fetch 2 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 2 15000 ms
        timer idle 2 30000 ms
        no timer idle 2
        log other-channel v2 channel=beta
        notice error other-channel version=v2 channel=beta
        fetch 3 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log native-outside-range v2 native=1.0
        notice error native-outside-range version=v2 native=1.0
        fetch 4 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 4 15000 ms
        timer idle 4 30000 ms
        no timer idle 4
        log native-outside-range v2 native=1.0
        """,
        "rollout": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        log rollout-outside v2 share=0/5 otherwise=https://origin.example/app/o/m.json
        no timer idle 1
        fetch 2 manifest /app/o/m.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 2 15000 ms
        timer idle 2 30000 ms
        cancel 2
        no timer idle 2
        fetch 3 manifest /app/o/n.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log up-to-date v1
        """,
        "outside": """
        fetch 4 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 4 15000 ms
        timer idle 4 30000 ms
        log rollout-outside v2 share=0/5 otherwise=none
        no timer idle 4
        """,
        "otherSilent": """
        fetch 5 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 5 15000 ms
        timer idle 5 30000 ms
        log rollout-outside v2 share=0/5 otherwise=https://origin.example/app/o/m.json
        no timer idle 5
        fetch 6 manifest /app/o/m.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 6 15000 ms
        cancel 6
        no timer idle 6
        log check-failed check: silent for 15 s
        notice error check-failed check: silent for 15 s
        timer retry 1048 ms
        """,
        "reported": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v1
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        no timer idle 1
        log nothing-offered
        """,
        "outcomesSilent": """
        fetch 1 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v2
        timer idle 1 15000 ms
        timer idle 1 30000 ms
        no timer idle 1
        log nothing-offered
        fetch 2 outcomes /app/manifest.json/outcomes Content-Type=application/json
        timer idle 2 45000 ms
        cancel 2
        log outcomes-not-taken count=2 silent
        no timer idle 2
        """,
        "outcomesBusy": """
        fetch 3 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v2
        timer idle 3 15000 ms
        timer idle 3 30000 ms
        no timer idle 3
        log nothing-offered
        fetch 4 outcomes /app/manifest.json/outcomes Content-Type=application/json
        timer idle 4 45000 ms
        log outcomes-not-taken count=2 status=429
        no timer idle 4
        """,
        "outcomesCut": """
        fetch 5 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v2
        timer idle 5 15000 ms
        timer idle 5 30000 ms
        no timer idle 5
        log nothing-offered
        fetch 6 outcomes /app/manifest.json/outcomes Content-Type=application/json
        timer idle 6 45000 ms
        log outcomes-not-taken count=2 reset
        no timer idle 6
        """,
        "outcomesTaken": """
        fetch 7 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v2
        timer idle 7 15000 ms
        timer idle 7 30000 ms
        no timer idle 7
        log nothing-offered
        fetch 8 outcomes /app/manifest.json/outcomes Content-Type=application/json
        timer idle 8 45000 ms
        no timer idle 8
        fetch 9 manifest /app/manifest.json for com.example.shop, this device, stable, 1.0, v2
        timer idle 9 15000 ms
        timer idle 9 30000 ms
        no timer idle 9
        log nothing-offered
        """,
        "outcomesOff": """

        """,
        "crashed": """
        log launched native=1.0 front=true boot=boot-1 last-exit=crash
        log start-failed-by-crash v2 exit record: crash
        current v1
        ready
        page 3 gets v1
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        no timer startup
        no timer sendingAllowance
        timer cover 20000 ms
        no timer cover
        no timer startup
        no timer sendingAllowance
        """,
        "updated": """
        log launched native=1.1 front=false
        log store-update v1 from=1.0 to=1.1
        log former-build-dropped v2
        current v1
        ready
        """,
        "keyless": """
        log launched native=1.1 front=true
        log key-unusable the app has no keys, so that nothing can be accepted
        current v1
        ready
        """,
    ]
}
