import Core
import HTTP1
import Testing

@testable import Updater

@Suite("The course of checks: every request, timer, entry, notice and screen, in order")
struct CheckCourseTests {
    private func expect(_ device: inout Harness, _ name: String) {
        let course = device.takeCourse()
        #expect(course == Self.courses[name], "\(name)")
    }

    @Test("U5: a check that fails in different ways, and then succeeds")
    func failures() throws {
        var device = try Harness.forCourse {
            $0.settings.user = "u"; $0.settings.cohort = "c"
        }
        device.script = { _ in Reply(503) }
        device.check()
        expect(&device, "status")
        device.script = { _ in Reply(200, Array("<html>".utf8)) }
        device.wait(.seconds(2))
        expect(&device, "portal")
        device.script = { _ in Reply(200, [1, 2, 3]).cut(after: 2) }
        device.wait(.seconds(3))
        expect(&device, "reset")
        device.script = { _ in
            var reply = Reply(200, [1, 2, 3], [("Content-Length", "9")])
            reply.from = nil
            return reply
        }
        device.wait(.seconds(6))
        expect(&device, "length")
        device.script = { _ in .silence }
        device.wait(.seconds(30))
        expect(&device, "silent")
        device.script = { _ in Reply(204) }
        device.wait(.seconds(40))
        expect(&device, "nothing")
        device.script = nil
        device.offered = Version("v2", serial: 2)
        device.check()
        expect(&device, "pending")
        device.check()
        expect(&device, "again")
    }

    @Test("U5, U10: what ends a check before its response does, and a redirect that is followed")
    func refused() throws {
        var device = try Harness.forCourse { $0.settings.limits.manifestBytes = 2_000 }
        device.script = { _ in Reply(200, [], [("Content-Encoding", "gzip")]) }
        device.check()
        expect(&device, "coded")
        device.script = { _ in Reply(200, [UInt8](repeating: 0x20, count: 2_001)) }
        device.check()
        expect(&device, "announced")
        device.script = { _ in
            Reply(200, [UInt8](repeating: 0x20, count: 2_001), [("Content-Length", "x")])
        }
        device.check()
        expect(&device, "received")
        device.script = { request in
            request.url.hasSuffix("/moved") ? Reply(204) : Reply(302, [], [("Location", "moved")])
        }
        device.check()
        expect(&device, "moved")
        device.script = { _ in Reply(302, [], [("Location", "https://evil.example/")]) }
        device.check()
        expect(&device, "away")
        device.script = { _ in Reply(429, [], [("Retry-After", "50")]) }
        device.check()
        expect(&device, "busy")
        device.check()
        device.script = { _ in Reply(204) }
        device.wait(.seconds(60))
        expect(&device, "waits")
    }

    @Test("U4: checks that join, that settings drop, and that updates turned off end")
    func joined() throws {
        var device = try Harness.forCourse()
        device.isSilent = true
        device.check()
        device.send(.check(.page))
        device.send(.check(.user))
        device.send(.check(.push))
        expect(&device, "joined")
        device.settings.cohort = "beta"
        device.send(.settings(device.settings))
        expect(&device, "dropped")
        device.settings.updates = .never
        device.send(.settings(device.settings))
        device.check()
        device.isSilent = false
        device.wait(.minutes(30))
        expect(&device, "off")
    }

    @Test("U8: a version that was left waits for a second check, also while another check is on its way")
    func secondCheck() throws {
        var device = try Harness.forCourse()
        for id in ["v2", "v3"] {
            device.offered = Version(id, serial: -1)
            device.check()
        }
        device.effects = []
        device.offered = Version("v2", serial: -1)
        device.check()
        expect(&device, "left")
        device.wait(.seconds(50))
        device.isSilent = true
        device.check()
        device.wait(.seconds(14))
        expect(&device, "meanwhile")
        device.isSilent = false
        device.wait(.seconds(12))
        expect(&device, "taken")
    }

    @Test("U7: without content the screens say what happens, and the first version is shown at once")
    func firstVersion() throws {
        var device = try Harness(embedded: nil)
        device.isSilent = true
        try device.launch()
        device.load(.processStart)
        expect(&device, "bare")
        device.send(.check(.user))
        device.send(.network(.metered))
        expect(&device, "asked")
        device.wait(.seconds(16))
        expect(&device, "unanswered")
        device.send(.network(.offline))
        device.send(.network(.online))
        expect(&device, "network")
        device.isSilent = false
        device.offered = Version("v1", serial: 1)
        device.wait(.seconds(20))
        device.load(.processStart)
        expect(&device, "first")
    }
}
