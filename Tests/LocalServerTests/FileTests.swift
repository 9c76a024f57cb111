import Core
import HTTP1
import LocalServer
import Testing

@Suite("Files: whole, in part, unchanged, and what a cache may keep (S2, S5)")
struct FileTests {
    @Test("Head and body leave in one write; the body is the file itself (HT-T4, S2)")
    func oneWrite() throws {
        var fixture = ServerFixture()
        let id = fixture.open()
        let text =
            "GET /app.js HTTP/1.1\r\n\(ServerFixture.hostLine)Cookie: otalab-key-12308=\(ServerFixture.key)\r\n\r\n"
        let effects = fixture.handle(.received(id, Array(text.utf8)))
        let outputs = effects.compactMap { effect in
            if case .send(_, let output) = effect { output } else { nil }
        }
        #expect(outputs.count == 1)
        guard case .file(_, let offset, let count) = try #require(outputs.first).body else {
            Issue.record("the body is no file")
            return
        }
        #expect(offset == 0 && count == 6)
        #expect(fixture.disk.open.count == 1, "the handle stays open until the body has left")
        fixture.flush(id)
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("The fields of a file (HT-C9, C11, F9, H9; Meteor's X-SourceMap)")
    func fields() {
        var fixture = ServerFixture()
        let reply = fixture.ask("/app.js")
        #expect(reply.fields["Content-Type"] == "text/javascript; charset=utf-8")
        #expect(reply.fields["Content-Length"] == "6")
        #expect(reply.fields["ETag"] == "\"v1-6-7\"")
        #expect(reply.fields["Cache-Control"] == "no-cache")
        #expect(reply.fields["Accept-Ranges"] == "bytes")
        #expect(reply.fields["X-SourceMap"] == "/app.js.map")
        #expect(reply.fields["X-Content-Type-Options"] == "nosniff")
        #expect(reply.fields["Cross-Origin-Resource-Policy"] == "same-origin")
        #expect(reply.fields["Referrer-Policy"] == "same-origin")
        #expect(!reply.fields.contains("Date") && !reply.fields.contains("Last-Modified"))
        let fixed = fixture.ask("/v1.0123abcd.js")
        #expect(fixed.fields["Cache-Control"] == "public, max-age=31536000, immutable")
        #expect(fixture.ask("/font.woff2").fields["Content-Type"] == "font/woff2")
    }

    @Test("With a clock every answer carries the date, which goes on with the monotonic clock (HT-C11)")
    func date() {
        // 1994-11-06 08:49:37, at 5 s of this clock.
        var fixture = ServerFixture {
            $0.wallClock = WallClock(seconds: 784_111_777, at: Instant.zero + .seconds(5))
        }
        fixture.now = Instant.zero + .seconds(5)
        #expect(fixture.ask("/app.js").fields["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        fixture.now = Instant.zero + .milliseconds(5_999)
        #expect(fixture.ask("/none.js").fields["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        fixture.now = Instant.zero + .seconds(65)
        let unchanged = fixture.ask("/app.js", ["If-None-Match: \"v1-6-7\""])
        #expect(unchanged.status == 304 && unchanged.fields["Date"] == "Sun, 06 Nov 1994 08:50:37 GMT")
        #expect(fixture.ask("/app.js", isAnonymous: true).fields["Date"] != nil)
        #expect(fixture.navigate("/").reply.fields["Date"] != nil)
    }

    @Test(
        "A file that can't be opened for want of descriptors is not damaged: 503, and nothing of R10"
    )
    func noDescriptors() {
        var fixture = ServerFixture()
        for (path, _) in fixture.disk.files where path.text == "v1/app.js" {
            fixture.disk.failing[path] = .tooManyOpen
        }
        #expect(fixture.ask("/app.js").status == 503)
        #expect(!fixture.log.contains { if case .readFailed = $0 { true } else { false } })
        #expect(fixture.log.contains { if case .noRoomForFile = $0 { true } else { false } })
        fixture.disk.failing = [:]
        #expect(fixture.ask("/app.js").status == 200)
    }

    @Test("HEAD has the fields of GET, no body, and opens nothing (HT-C1)")
    func head() {
        var fixture = ServerFixture()
        let get = fixture.ask("/app.js")
        let opened = fixture.disk.opened.count
        let head = fixture.ask("/app.js", method: "HEAD")
        #expect(head.fields == get.fields)
        #expect(head.status == 200 && head.body.isEmpty && head.isWhole)
        #expect(fixture.disk.opened.count == opened)
    }

    @Test("An empty file is an empty answer")
    func empty() {
        var fixture = ServerFixture()
        let reply = fixture.ask("/empty.txt")
        #expect(reply.status == 200 && reply.isWhole && reply.fields["Content-Length"] == "0")
        #expect(fixture.ask("/empty.txt", ["Range: bytes=0-"]).status == 416)
    }

    @Test("304 is given for equal content only, and carries tag and caching but no length (HT-C3, S5)")
    func notModified() {
        var fixture = ServerFixture()
        for value in ["\"v1-6-7\"", "W/\"v1-6-7\"", "\"a\", \"v1-6-7\"", "*"] {
            let reply = fixture.ask("/app.js", ["If-None-Match: \(value)"])
            #expect(reply.status == 304)
            #expect(reply.fields["ETag"] == "\"v1-6-7\"")
            #expect(reply.fields["Cache-Control"] == "no-cache")
            #expect(!reply.fields.contains("Content-Length"))
            #expect(reply.body.isEmpty)
        }
        #expect(fixture.ask("/app.js", ["If-None-Match: \"v2-6-7\""]).text == "one();")
        #expect(fixture.ask("/app.js", ["If-Match: \"other\""]).status == 412)
        #expect(fixture.ask("/missing.js", ["If-None-Match: *"]).status == 404)
    }

    @Test("Going back to older files shows the older files: the newer tag does not match them (S5)")
    func older() throws {
        var fixture = ServerFixture()
        fixture.site = ServerFixture.v2
        let newer = try #require(fixture.navigate("/").load)
        let tag = try #require(
            fixture.part("/app.js", "script", [ServerFixture.referer(newer)]).fields["ETag"])
        fixture.site = ServerFixture.v1
        let older = try #require(fixture.navigate("/").load)
        let reply = fixture.part(
            "/app.js", "script", [ServerFixture.referer(older), "If-None-Match: \(tag)"])
        #expect(reply.status == 200 && reply.text == "one();")
    }

    @Test(
        "Ranges (HT-C6, C7, C8)",
        arguments: [
            (["Range: bytes=0-2"], 206, "one", "bytes 0-2/6"),
            (["Range: bytes=-3"], 206, "();", "bytes 3-5/6"),
            (["Range: bytes=3-99999999999999999999"], 206, "();", "bytes 3-5/6"),
            (["Range: bytes=6-"], 416, "", "bytes */6"), (["Range: bytes=-0"], 416, "", "bytes */6"),
            (["Range: bytes=0-0,2-2"], 200, "one();", nil), (["Range: lines=0-1"], 200, "one();", nil),
            (["Range: bytes=2-1"], 200, "one();", nil),
            (["Range: bytes=0-2", "If-Range: \"v1-6-7\""], 206, "one", "bytes 0-2/6"),
            (["Range: bytes=0-2", "If-Range: W/\"v1-6-7\""], 200, "one();", nil),
            (["Range: bytes=0-2", "If-Range: \"other\""], 200, "one();", nil),
            (["Range: bytes=0-2", "If-None-Match: \"v1-6-7\""], 304, "", nil),
        ] as [([String], Int, String, String?)])
    func ranges(fields: [String], status: Int, text: String, contentRange: String?) {
        var fixture = ServerFixture()
        let reply = fixture.ask("/app.js", fields)
        #expect(reply.status == status)
        #expect(reply.text == text)
        #expect(reply.isWhole)
        #expect(reply.fields["Content-Range"] == contentRange)
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("HEAD is never partial")
    func headRange() {
        var fixture = ServerFixture()
        let reply = fixture.ask("/app.js", ["Range: bytes=0-2"], method: "HEAD")
        #expect(reply.status == 200 && reply.fields["Content-Length"] == "6")
    }

    @Test("A listed file that is missing or fails is reported with its path, and answered with 500 (R10)")
    func unreadable() {
        for code in [DiskError.Code.notFound, .inputOutput, .denied] {
            var fixture = ServerFixture()
            let path = DiskPath(.data, "v1/app.js")
            fixture.disk.failing[path] = code
            #expect(fixture.ask("/app.js").status == 500)
            #expect(fixture.log.contains(.readFailed(site: "v1", path, DiskError(code, .open, path))))
        }
        var fixture = ServerFixture()
        let path = DiskPath(.data, "v1/app.js")
        fixture.disk.files[path] = Array("one".utf8)
        #expect(fixture.ask("/app.js").status == 500)
        #expect(fixture.disk.open.isEmpty)
    }

    @Test("A body that could not be read to its end is reported when the connection closes")
    func failedWhileSending() {
        var fixture = ServerFixture()
        let id = fixture.open()
        let text =
            "GET /app.js HTTP/1.1\r\n\(ServerFixture.hostLine)Cookie: otalab-key-12308=\(ServerFixture.key)\r\n\r\n"
        fixture.handle(.received(id, Array(text.utf8)))
        let error = DiskError(.inputOutput, .read)
        fixture.handle(.closed(id, error))
        #expect(fixture.log.contains(.readFailed(site: "v1", DiskPath(.data, "v1/app.js"), error)))
        #expect(fixture.disk.open.isEmpty)
    }
}
