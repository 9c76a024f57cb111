import Core
import HTTP1
import Testing
import World

@testable import Updater

@Suite("Files on their way: resumed in every dialect, within their limits, without anything left behind")
struct TransferTests {
    @Test("U2: a process that ends in a file continues where it stopped, and closes what it has read")
    func resumed() throws {
        for story in UpdateStory.allCases {
            var device = try story.device()
            let (whole, open) = (try #require(device.script), device.disk.openCount)
            let script = { (request: OriginRequest) -> Reply? in
                guard request.route == "/app.js" else { return whole(request) }
                let body = Version.content("v2", 2_000)
                let tag = "\"\(FNV1a32.hash(of: body.map(String.init).joined()))\""
                return Reply(200, body, [("ETag", tag)]).stalling(after: 1_200)
            }
            device.script = script
            device.check()
            device.kill()
            try device.launch()
            device.script = { request in
                guard story == .own, request.route == "/app.js", let start = request.from else {
                    return whole(request)
                }
                return Reply.part(Version.content("v2", 2_000), from: start)
            }
            device.requests = []
            device.check()
            #expect(device.status.pending?.id == "v2", "\(story)")
            // Without a hash the whole file could only be trusted by its tag, in the same boot.
            #expect(device.requested("/app.js").map(\.from) == [1_200], "\(story)")
            #expect(device.requests.compactMap(\.route).count <= 3, "\(story)")
            #expect(device.disk.openCount == open, "\(story)")
        }
    }

    @Test("A partial file of the whole length with other bytes is not continued, and the file is right")
    func wrongPartial() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.delayed = ["/app.js"]
        device.check()
        device.arrive("/app.js", [1, 2], of: 3_000)
        let open = device.disk.openCount
        device.kill()
        let partial = device.disk.files(under: StorePaths.partial).first { $0.name.count == 64 }
        try device.disk.place(try #require(partial), Version.content("other", 3_000))
        device.delayed = []
        try device.launch()
        device.requests = []
        device.check()
        #expect(device.requested("/app.js").map(\.from) == [nil])
        #expect(device.status.pending?.id == "v2" && device.disk.openCount == open - 1)
        #expect(device.causes(.contentMismatch) == 0 && device.causes(.diskFailed) == 0)
    }

    @Test("At most sixteen received files wait for their syncs: the network waits for the disk then")
    func finishing() throws {
        var device = try Harness.started()
        device.kill()
        device.settings.parallelTransfers = 1
        try device.launch()
        device.offered = Version("v2", serial: 2)
        device.offered?.files += (0..<30).map { ("/part\($0).js", Array("part \($0)".utf8)) }
        let files = try #require(device.offered).files
        var queue: [Updater.Event] = [.check(.app)]
        var requested = 0
        while !queue.isEmpty {
            for effect in device.updater.handle(queue.removeFirst(), at: .zero, disk: &device.disk) {
                switch effect {
                case .again(let lane): queue.append(.again(lane))
                case .sync(let ticket, let target, _):
                    if case .file = target, requested > 0 { break }
                    queue.append(.synced(ticket, device.disk.sync(target)))
                case .fetch(let id, let request):
                    guard case .file(let route) = request.kind else {
                        let manifest = device.offered?.manifest ?? []
                        queue += device.whole(id, 200, manifest).map { $0 }
                        break
                    }
                    requested += 1
                    let body = files.first { $0.route == route }?.bytes ?? []
                    queue += device.whole(id, 200, body)
                default: break
                }
            }
        }
        let finishing = device.updater.download?.assets.finishingCount ?? 0
        #expect(finishing == 16 && requested == 16)
    }

    @Test("U5: a transfer stalls after 15 s without a response, 30 s of silence, or a minute below 1 KiB/s")
    func stalls() throws {
        let cases: [(isAnswered: Bool, bytes: Int, milliseconds: Int64, isStalled: Bool)] = [
            (false, 0, 14_999, false), (false, 0, 15_000, true), (true, 0, 29_999, false),
            (true, 0, 30_000, true), (true, 1, 59_999, false), (true, 61_440, 60_000, false),
            (true, 61_439, 60_000, true), (true, 61_440, 60_999, false), (true, 61_440, 61_000, true),
        ]
        for (isAnswered, bytes, milliseconds, isStalled) in cases {
            var device = try Harness.started()
            device.offered = Version("v2", serial: 2, size: 100_000)
            device.delayed = ["/app.js"]
            device.check()
            let id = try #require(device.waiting.last).id
            if isAnswered {
                device.send(.transfer(id, .head(status: 200, fields: ["Content-Length": "100000"])))
            }
            if bytes > 0 {
                device.now = .zero + .seconds(50)
                device.send(.transfer(id, .bytes([UInt8](repeating: 7, count: bytes))))
            }
            device.now = .zero + .milliseconds(milliseconds)
            device.send(.timer(.idle(id)))
            #expect(device.causes(.transferStalled) == (isStalled ? 1 : 0), "\(bytes) \(milliseconds)")
            #expect(device.effects.contains(.cancelFetch(id)) == isStalled)
            #expect(device.timers.contains { $0.name == .idle(id) } == !isStalled)
            guard bytes == 61_440, !isStalled else { continue }
            // The next minute begins: it has no bytes yet.
            device.now = device.now + .seconds(15)
            device.send(.transfer(id, .bytes([1])))
            device.now = device.now + .seconds(29)
            device.send(.transfer(id, .bytes([1])))
            device.now = device.now + .seconds(16)
            device.send(.timer(.idle(id)))
            #expect(device.causes(.transferStalled) == 1, "two bytes in a minute")
        }
    }

    @Test("U10: a version of the largest allowed size is downloaded, one byte more is refused")
    func versionBytes() throws {
        for (limit, isTaken) in [(400, true), (399, false)] {
            var device = try Harness(embedded: nil, dialect: .frontend)
            device.settings.limits.versionBytes = limit
            try device.launch()
            let manifest =
                #"{"commit":"c1","date":"2026-11-20T12:00:00Z","files":["#
                + #"{"path":"index.html","route":"/"},{"path":"a.js","route":"/a.js"}]}"#
            let date = ("Date", "Mon, 30 Nov 2026 12:00:00 GMT")
            device.script = { request in
                guard let route = request.route else { return Reply(200, Array(manifest.utf8), [date]) }
                return Reply(200, Version.content(route, 200), [date])
            }
            device.delayed = ["/a.js"]
            device.check()
            device.delayed = []
            device.arrive("/a.js", Version.content("/a.js", 200), of: 200)
            if let id = device.waiting.last?.id { device.send(.transfer(id, .end)) }
            #expect((device.causes(.becamePending) == 1) == isTaken, "\(limit)")
            #expect((device.causes(.versionTooLarge) > 0) == !isTaken, "\(limit)")
        }
    }

    @Test("U12: nothing of an optional file that is given up stays in the folder of partial files")
    func optional() throws {
        var device = try Harness.started()
        var v2 = Version("v2", serial: 2)
        v2.files.append(("/app.js.map", Version.content("map", 100)))
        v2.optional = ["/app.js.map"]
        device.offered = v2
        device.delayed = ["/app.js"]
        device.script = { $0.route == "/app.js.map" ? Reply(200, Version.content("x", 100)) : nil }
        device.check()
        device.wait(.seconds(10))
        #expect(device.causes(.optionalMissing) == 1)
        #expect(device.disk.files(under: StorePaths.partial).filter { $0.name.count == 64 }.isEmpty)
    }

    @Test("A disk that can't say what is stored is asked again after a second, not at once")
    func planPutOff() throws {
        var device = try Harness.started()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.start()
        device.offered = Version("v3", serial: 3)
        device.disk.add(DiskFault(.status, .inputOutput, times: nil, path: StorePaths.blobs))
        device.logged = []
        device.check()
        #expect(device.causes(.diskFailed) == 1)
        device.wait(.milliseconds(700))
        #expect(device.causes(.diskFailed) == 1)
        device.wait(.milliseconds(600))
        #expect(device.causes(.diskFailed) == 2)
        device.disk.removeFaults()
        device.wait(.seconds(3))
        #expect(device.status.pending?.id == "v3")
    }

    @Test("Stored content that is compared is closed, whether it is the file or not")
    func compared() throws {
        for isSame in [true, false] {
            var device = try UpdateStory.frontend.device()
            let open = device.disk.openCount
            let film = Version.content(isSame ? "film" : "other", 1_500)
            let manifest =
                #"{"commit":"v2","date":"2026-11-12T12:00:00Z","files":["#
                + #"{"path":"index.html","route":"/"},"#
                + #"{"path":"film.mp4","route":"/film.mp4","hash":"\#(SHA1.hash(of: film).hex)"}]}"#
            let whole = try #require(device.script)
            device.script = { request in
                guard let route = request.route else {
                    return Reply(200, Array(manifest.utf8), [("Date", "Mon, 30 Nov 2026 12:00:00 GMT")])
                }
                return route == "/film.mp4" ? Reply(200, film) : whole(request)
            }
            device.requests = []
            device.check()
            #expect(device.requested("/film.mp4").isEmpty == isSame)
            #expect(device.disk.openCount == open)
        }
    }
}
