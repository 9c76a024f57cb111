import Core
import HTTP1
import Testing
import World

@testable import Updater

@Suite("U5: attempts are bounded")
struct BackoffTests {
    private func device(_ script: ((OriginRequest) -> Reply?)?) throws -> Harness {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.script = script
        device.requests = []
        device.check()
        return device
    }

    @Test("1, 2, 4 … 60 s ± 25 %, and a pause of 15 min after eight attempts")
    func waits() {
        var backoff = Backoff()
        var waits: [Int64] = []
        for _ in 0..<9 {
            backoff.failed(at: .zero, jitter: 250)
            waits.append((backoff.notBefore ?? .zero).microseconds / 1_000_000)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 900, 900])
        var low = Backoff()
        var high = Backoff()
        low.failed(at: .zero, jitter: 0)
        high.failed(at: .zero, jitter: 500)
        #expect(low.notBefore == .zero + .milliseconds(750))
        #expect(high.notBefore == .zero + .milliseconds(1_250))
        backoff.receivedNewBytes()
        backoff.failed(at: .zero, jitter: 250)
        #expect(backoff.notBefore == .zero + .seconds(1))
    }

    @Test("Of failures of which some are forgotten, the last one keeps its wait")
    func forgotten() {
        var backoff = Backoff()
        for _ in 0..<5 { backoff.failed(at: .zero, jitter: 250) }
        for failures in [0, 3, 1] {
            backoff.forget(failures)
            #expect(backoff.notBefore == .zero + .seconds(16))
        }
        #expect(backoff.attempts == 1)
        backoff.forget(1)
        #expect(backoff.isClear)
        // Eight have paused for 15 minutes; fewer would have waited a minute at most.
        for _ in 0..<9 { backoff.failed(at: .zero, jitter: 0) }
        backoff.forget(1)
        #expect(backoff.isPaused && backoff.notBefore == .zero + .minutes(15))
        backoff.forget(1)
        #expect(!backoff.isPaused && backoff.notBefore == .zero + .minutes(1))
    }

    @Test("A check that always fails is attempted eight times, then once every 15 min")
    func failingCheck() throws {
        var device = try device { _ in Reply(503) }
        device.wait(.minutes(4))
        #expect(device.manifests == 8)
        #expect(device.causes(.retriesExhausted) == 1)
        device.wait(.minutes(61))
        #expect(device.manifests == 12)
    }

    @Test("A timer that a host fires early is set again: what it is for is attempted neither early nor never")
    func earlyTimer() throws {
        for fails in ["/manifest.json", "/app.js"] {
            var device = try device { $0.url.hasSuffix(fails) ? Reply(503) : nil }
            let due = try #require(device.timers.first { $0.name == .retry }?.at)
            device.timers.removeAll { $0.name == .retry }
            device.now = due - .milliseconds(1)
            device.send(.timer(.retry))
            #expect(device.requests.count { $0.url.hasSuffix(fails) } == 1)
            #expect(device.timers.first { $0.name == .retry }?.at == due, "\(fails)")
            device.wait(.milliseconds(1))
            #expect(device.requests.count { $0.url.hasSuffix(fails) } == 2)
        }
    }

    @Test("Wrong bytes received again are not new bytes: eight attempts, then once every 15 min")
    func wrongBytesForEver() throws {
        var device = try device { $0.route == "/app.js" ? Reply(200, Version.content("x", 3_000)) : nil }
        device.wait(.minutes(5))
        #expect(device.requested("/app.js").count == 8)
        #expect(device.manifests == 8)
        device.wait(.minutes(60))
        #expect(device.requested("/app.js").count == 12)
        #expect(device.status.pending == nil)
    }

    @Test("After new bytes the next failure counts as the first")
    func newBytes() throws {
        let whole = Version("v2", serial: 2).bytes("/app.js")
        var device = try device { request in
            guard request.route == "/app.js" else { return nil }
            let from = request.from ?? 0
            let reply = from == 0 ? Reply(200, whole) : Reply.part(whole, from: from)
            return reply.cut(after: min(100, whole.count - from - 1))
        }
        device.wait(.seconds(40))
        // A hundred bytes and a second's delay each: no delay is ever longer than the first.
        #expect(device.requested("/app.js").count >= 29)
        let offsets = device.requested("/app.js").map { $0.from ?? 0 }
        #expect(offsets == offsets.sorted())
    }

    @Test("A file that fails neither stops the others nor is requested early when they finish")
    func oneOfSeveral() throws {
        var v2 = Version("v2", serial: 2)
        for number in 0..<20 { v2.files.append(("/f\(number)", Version.content("f\(number)", 50))) }
        var device = try Harness.started()
        device.offered = v2
        device.script = { $0.route == "/app.js" ? Reply(503) : nil }
        device.check()
        #expect(device.requested("/app.js").count == 1)
        #expect(device.requests.count { $0.route?.hasPrefix("/f") == true } == 20)
    }

    @Test("At most six files at once; assets of equal content are downloaded once")
    func sixAtOnce() throws {
        var v2 = Version("v2", serial: 2)
        for number in 0..<20 { v2.files.append(("/f\(number)", Version.content("f\(number)", 50))) }
        v2.files.append(("/again", v2.bytes("/app.js")))
        var device = try Harness.started()
        device.offered = v2
        device.script = { $0.route == nil ? nil : .silence }
        device.check()
        #expect(device.unanswered.count == 6)
        device.script = nil
        device.kill()
        try device.launch()
        device.requests = []
        device.check()
        #expect(device.status.pending?.id == "v2")
        #expect(device.requests.count { $0.route == "/again" || $0.route == "/app.js" } == 1)
    }

    @Test("Retry-After delays everything but the user's requests; of two delays the longer counts")
    func retryAfter() throws {
        var v2 = Version("v2", serial: 2)
        v2.files.append(("/b.js", Version.content("b", 100)))
        var device = try Harness.started()
        device.offered = v2
        device.script = { request in
            request.route.map { Reply(429, [], [("Retry-After", $0 == "/app.js" ? "600" : "30")]) }
        }
        device.check()
        device.script = nil
        device.requests = []
        device.wait(.seconds(590))
        device.send(.check(.app))
        device.send(.background)
        device.send(.foreground)
        #expect(device.requests.isEmpty)
        #expect(device.causes(.originAskedToWait) >= 1)
        var patient = device
        patient.wait(.seconds(20))
        #expect(patient.status.pending?.id == "v2")
        device.send(.check(.user))
        #expect(device.manifests == 1)
    }

    @Test("Retry-After continues in the next process; a power cut may lose it, and no file extends it")
    func retryAfterDeath() throws {
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.script = { _ in Reply(503, [], [("Retry-After", "600")]) }
        device.check()
        device.script = nil
        device.wait(.seconds(305))
        var cut = device
        device.kill()
        try device.start()
        device.requests = []
        device.check()
        device.wait(.seconds(280))
        #expect(device.requests.isEmpty)
        #expect(device.causes(.originAskedToWait) >= 1)
        device.wait(.seconds(30))
        #expect(device.status.pending?.id == "v2")
        #expect(device.updater.starts.file.originDelay == nil)
        _ = cut.disk.powerCut(keeping: .nothing)
        try cut.start()
        cut.check()
        #expect(cut.status.pending?.id == "v2")
        let note = Array("otalab-starts-2 wait=999999999999".utf8)
        let text =
            "\(String(decoding: note, as: UTF8.self)) \(FNV1a32.hash(of: String(decoding: note, as: UTF8.self)))\n"
        #expect(StartsFile.decode(Array(text.utf8))?.originDelay?.remaining == .hours(24))
    }

    @Test("Retry-After is capped at 24 h, however many digits it has, and may be a date")
    func retryAfterForms() {
        func delay(_ text: String) -> TimeSpan? {
            (["Retry-After": text] as HeaderFields).retryAfter(OriginTime(seconds: 784_111_777))
        }
        #expect(delay("120") == .seconds(120))
        #expect(delay("99999999999999999999999") == .hours(24))
        #expect(delay("Sun, 06 Nov 1994 08:50:37 GMT") == .seconds(60))
        #expect(delay("Sun, 06 Nov 1990 08:50:37 GMT") == .zero)
        #expect(delay("-5") == nil)
        #expect(delay("") == nil)
    }

    @Test("After 30 s of silence, or a minute below 1 KiB/s, the request ends and the file resumes")
    func stalls() throws {
        let whole = Version("v2", serial: 2).bytes("/app.js")
        var device = try device { request in
            guard request.route == "/app.js" else { return nil }
            let from = request.from ?? 0
            if from == 0 { return Reply(200, whole).stalling(after: 1_000) }
            return Reply.part(whole, from: from)
        }
        device.wait(.seconds(29))
        #expect(device.requested("/app.js").count == 1)
        device.wait(.seconds(5))
        #expect(device.causes(.transferStalled) == 1)
        #expect(device.requested("/app.js").map(\.from) == [nil, 1_000])
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A trickle is a stall too")
    func trickle() throws {
        let whole = Version("v2", serial: 2).bytes("/app.js")
        var device = try device { $0.route == "/app.js" ? Reply(200, whole).stalling(after: 1) : nil }
        let id = try #require(device.unanswered.first)
        for _ in 0..<8 {
            device.wait(.seconds(10))
            device.send(.transfer(id, .bytes([0])))
        }
        #expect(device.causes(.transferStalled) == 1)
    }

    @Test("Without a response the check ends after 15 s; time in suspension is not silence")
    func connect() throws {
        var device = try device { _ in .silence }
        device.wait(.seconds(14))
        #expect(device.causes(.checkFailed) == 0)
        device.send(.suspended)
        device.now = device.now + .hours(8)
        device.send(.resumed)
        device.wait(.milliseconds(500))
        #expect(device.causes(.checkFailed) == 0)
        device.wait(.seconds(2))
        #expect(device.causes(.checkFailed) == 1)
    }

    @Test("A network that comes back, the front and a push end the pause")
    func wakes() throws {
        var device = try device { _ in Reply(503) }
        device.wait(.minutes(4))
        let asleep = device.manifests
        device.send(.network(.offline))
        device.send(.network(.online))
        #expect(device.manifests == asleep + 1)
        device.wait(.minutes(4))
        #expect(device.manifests == asleep + 8)
        device.send(.background)
        device.send(.check(.push))
        #expect(device.manifests == asleep + 9)
    }
}

@Suite("U5: switches that pages request")
struct SwitchLimitTests {
    /// v1 embedded and running, v2 pending.
    private func device() throws -> Harness {
        try Harness.started()
    }

    /// The origin alternates between the two; returns the device's answer to the page's call.
    private func requestSwitch(_ device: inout Harness, _ id: String, serial: Int) -> Updater.SwitchAnswer? {
        device.offered = Version(id, serial: serial)
        device.check()
        device.effects = []
        device.send(.switchRequested(PageLoadToken(1)))
        for effect in device.effects {
            if case .switchAnswered(_, let answer) = effect { return answer }
        }
        return nil
    }

    @Test("Three to the same version in a day, then an error, also across processes")
    func threeADay() throws {
        var device = try device()
        var serial = 2
        for round in 0..<3 {
            for id in ["v2", "v1"] {
                let answer = requestSwitch(&device, id, serial: serial)
                serial += 1
                guard case .switched(let key) = answer else {
                    Issue.record("round \(round): \(String(describing: answer))")
                    return
                }
                #expect(key.id == id)
                let token = device.load(.commanded)
                device.send(.page(token, .confirmed))
            }
            if round == 1 {
                device.kill()
                try device.launch()
                device.load(.processStart)
            }
        }
        #expect(requestSwitch(&device, "v2", serial: serial) == .tooOften)
        #expect(device.show(.reload) == "v1")
        #expect(device.causes(.switchedTooOften) == 2)
        device.wait(.hours(25))
        device.check()
        #expect(device.show(.reload) == "v2")
    }
}

@Suite("U5: disk errors are retried no faster than network errors")
struct DiskBackoffTests {
    @Test("A disk that is full from the start: eight checks, not one a second")
    func fullDisk() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.disk.limitFreeSpace(to: 0)
        device.requests = []
        device.check()
        device.wait(.minutes(10))
        #expect(device.manifests <= 8)
        #expect(device.causes(.noSpace) >= 1)
        device.disk.limitFreeSpace(to: 1 << 30)
        device.wait(.minutes(16))
        #expect(device.status.pending?.id == "v2")
    }

    @Test("A manifest that is requested because files contradict it, and refused each time, is no faster")
    func refusedManifest() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.script = { $0.route == nil ? nil : Reply(404) }
        device.check()
        device.offered?.native = "\"native\": { \"min\": \"9\" },"
        device.requests = []
        device.wait(.minutes(10))
        #expect(device.manifests <= 8)
        #expect(device.manifests >= 6)
    }
}
