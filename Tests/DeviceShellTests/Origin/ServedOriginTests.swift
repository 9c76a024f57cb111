import Core
import Foundation
import OriginServer
import Testing
import Updater

@Suite("A scenario's origin on a real port", .serialized)
struct ServedOriginTests {
    private static let manifest = "/ota/manifest.json"

    private func text(_ answer: RawClient.Answer?) -> String {
        String(decoding: answer?.body ?? [], as: UTF8.self)
    }

    /// The URL of a route in the manifest that is offered, and its SHA-256.
    private func row(_ route: String, _ origin: ServedScenario) throws -> (target: String, hash: String) {
        let manifest = text(try origin.ask(ServedOriginTests.manifest))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(manifest.utf8)) as? [String: Any])
        let rows = try #require(object["files"] as? [[String: Any]])
        let row = try #require(rows.first { $0["route"] as? String == route })
        let url = row["url"] as? String ?? String(route.dropFirst())
        return ("/ota/" + url, try #require(row["sha256"] as? String))
    }

    @Test("The embedded version is offered until a deploy; files match the manifest")
    func files() throws {
        let origin = try ServedScenario(ServedScenario.text(#"{ launch: true }, { deploy: "v2" }"#))
        _ = try origin.line("step 2: { deploy: \"v2\" }")
        #expect(text(try origin.ask(ServedOriginTests.manifest)).contains("\"v2\""))
        for route in ["/index.html", "/app.js", "/big.bin"] {
            let (target, hash) = try row(route, origin)
            let answer = try #require(try origin.ask(target))
            #expect(answer.status == 200)
            #expect(SHA256.hash(of: answer.body).hex == hash)
        }
        #expect(try origin.ask("/ota/nothing.js")?.status == 404)
        #expect(try origin.line("GET /ota/nothing.js").contains("404"))
        #expect(try origin.line("step 1 is the device's").contains("launch"))
        #expect(origin.stop())
    }

    @Test("Conditions, ranges and HEAD are answered as the world's origin does; a connection is used again")
    func conditions() throws {
        let origin = try ServedScenario(ServedScenario.text(#"{ deploy: "v2" }"#))
        let (target, _) = try row("/big.bin", origin)
        let client = try RawClient(port: origin.port)
        client.say(origin.request(target, "HEAD"))
        let head = try #require(try client.answer(toHead: true))
        #expect(head.status == 200 && head.field("Content-Length") == "300000")
        let tag = try #require(head.field("ETag"))
        client.say(origin.request(target, "GET", "Range: bytes=299990-\r\nIf-Range: \(tag)\r\n"))
        let part = try #require(try client.answer())
        #expect(part.status == 206 && part.body.count == 10)
        #expect(part.field("Content-Range") == "bytes 299990-299999/300000")
        client.say(origin.request(target, "GET", "If-None-Match: \(tag)\r\n"))
        #expect(try client.answer()?.status == 304)
        client.say(origin.request(target, "GET", "Range: bytes=300000-\r\n"))
        #expect(try client.answer()?.status == 416)
        // Two at once are answered one after the other.
        client.say(origin.request("/ota/none.js") + origin.request(ServedOriginTests.manifest))
        #expect(try client.answer()?.status == 404)
        #expect(try client.answer()?.status == 200)
        client.say(origin.request(target, "DELETE"))
        let refused = try #require(try client.answer())
        #expect(refused.status == 405 && refused.field("Allow") == "GET, HEAD")
        client.say("GET nonsense\r\n\r\n")
        #expect(try client.answer()?.status == 400)
    }

    @Test("Steps are performed at their times, and earlier with a higher speed")
    func times() throws {
        let steps =
            #"{ wait: "30s" }, { deploy: "v2" }, { expect: { pending: "v2" }, within: "1m" }, { deploy: "v3" }"#
        let origin = try ServedScenario(ServedScenario.text(steps), speed: 60)
        #expect(try origin.line("step 2").hasPrefix("0:00:30.000"))
        #expect(try origin.line("step 4").hasPrefix("0:01:30.000"))
        let told = try origin.control("versions", "GET")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(told.dropFirst(4).utf8)) as? [[String: Any]])
        let offered = object.map { ($0["offeredAt"] as? [String])?.isEmpty == false }
        #expect(offered == [false, false, true])
    }

    @Test("By hand: deploy, recall, fault, heal and step have their effects, and are logged")
    func byHand() throws {
        let origin = try ServedScenario(ServedScenario.text(#"{ launch: true }"#))
        #expect(try origin.control("deploy/v3") == "200 offered: v3\n")
        #expect(text(try origin.ask(ServedOriginTests.manifest)).contains("\"v3\""))
        #expect(
            try origin.control("fault", "POST", #"{ fault: { status: 500 }, path: "manifest", times: 1 }"#)
                .hasPrefix("200"))
        #expect(
            try origin.control("fault", "POST", #"{ fault: { slow: "answers", by: "1ms" }, as: "late" }"#)
                .hasPrefix("200"))
        let faults = try origin.control("faults", "GET")
        #expect(faults.contains("by hand 1") && faults.contains("late"))
        #expect(try origin.ask(ServedOriginTests.manifest)?.status == 500)
        #expect(try origin.ask(ServedOriginTests.manifest)?.status == 200)
        #expect(try origin.control("heal/late").hasPrefix("200"))
        #expect(try origin.control("heal").hasPrefix("200"))
        #expect(try origin.control("faults", "GET") == "200 []\n")
        #expect(try origin.control("recall/v3").hasPrefix("200"))
        #expect(text(try origin.ask(ServedOriginTests.manifest)).contains("recalled"))
        let step = try origin.control("step", "POST", #"{ deploy: "v2", order: "roll back" }"#)
        #expect(step.hasPrefix("200"))
        #expect(text(try origin.ask(ServedOriginTests.manifest)).contains("rollBack"))
        let asked = try origin.control("requests", "GET")
        #expect(asked.contains(#""status": 500"#) && asked.contains(#""faults""#))
        #expect(try origin.line("by hand: recall v3").isEmpty == false)
    }

    @Test(
        "What a control can't do it refuses with a reason, and does nothing",
        arguments: [
            ("deploy/v9", "POST", "", "404 error: no version is named 'v9'; there are v1, v2, v3"),
            ("deploy", "POST", "", "400 error: write /__otalab/deploy/VERSION"),
            ("deploy/v2?order=sideways", "POST", "", "400 error: no order is called 'sideways'"),
            ("deploy/v2", "GET", "", "405 error: 'deploy' is asked with POST"),
            ("nonsense", "GET", "", "404 error: nothing is called 'nonsense'"),
            ("heal/late", "POST", "", "404 error: no fault is named 'late'; there is none"),
            ("fault", "POST", "", "400 error: the body holds no step"),
            ("fault", "POST", #"{ fault: "refuze" }"#, "400 error: 'refuze' is not a keyword"),
            ("fault", "POST", #"{ fault: "refuse", pth: "/app.js" }"#, "400 error: unknown key 'pth'"),
            ("fault", "POST", "{ fault: ", "400 error: "),
            ("fault", "POST", #"{ deploy: "v2" }"#, "400 error: that is no fault"),
            ("step", "POST", "{ relaunch: true }", "400 error: that is a device's to do"),
            ("next", "POST", "", "404 error: the scenario has no further step"),
        ])
    func refused(path: String, method: String, body: String, answer: String) throws {
        let origin = try ServedScenario(ServedScenario.text(#"{ launch: true }"#))
        _ = try origin.line("step 1")
        let said = try origin.control(path, method, body)
        #expect(said.hasPrefix(answer), "\(said)")
        #expect(try origin.control("faults", "GET") == "200 []\n")
        #expect(text(try origin.ask(ServedOriginTests.manifest)).contains("\"v1\""))
    }

    @Test("A page of another origin can't control it")
    func otherOrigin() throws {
        let origin = try ServedScenario(ServedScenario.text(#"{ launch: true }"#))
        let answer = try origin.ask("/__otalab/deploy/v2", "POST", "Origin: http://evil.example\r\n")
        #expect(answer?.status == 403)
        #expect(text(try origin.ask(ServedOriginTests.manifest)).contains("\"v1\""))
    }

    @Test("The real app is updated by it, through a reset and a busy answer")
    func update() throws {
        let origin = try ServedScenario(
            ServedScenario.text(
                #"{ deploy: "v2" }, { fault: { reset: "after 60%" }, path: "/big.bin", times: 1 }"#))
        let app = try RealApp(embeds: [("/index.html", Array("<!doctype html><p>one</p>".utf8))])
        try app.launch(origin: origin.url(ServedOriginTests.manifest))
        let pending = try app.effect("a pending version") { effect in
            if case .status(let status) = effect { status.pending?.id } else { nil }
        }
        #expect(pending == "v2")
        #expect(app.stop())
        #expect(try origin.line("180000 B  reset").contains("fault of step 2"))
        // Only the missing bytes are requested again.
        #expect(try origin.line("from byte 180000").contains("206  120000 B"))
    }

    @Test("A client that disconnects is logged, and does not stop the origin")
    func goneClient() throws {
        let origin = try ServedScenario(
            ServedScenario.text(#"{ deploy: "v2" }, { fault: "stall", path: "/app.js" }"#))
        let (target, _) = try row("/app.js", origin)
        do {
            let client = try RawClient(port: origin.port)
            client.say(origin.request(target))
            usleep(100_000)
        }
        #expect(try origin.line("given up by the client").contains(target))
        #expect(try origin.ask(ServedOriginTests.manifest)?.status == 200)
    }

    @Test("A client that does not read is sent what its connection holds, however large the file is")
    func slowReader() throws {
        let text = ServedScenario.text(#"{ deploy: "v2" }"#)
            .replacingOccurrences(of: "300 KB", with: "3 GB")
        let origin = try ServedScenario(text)
        _ = try origin.line("step 1")
        do {
            let client = try RawClient(port: origin.port)
            client.say(origin.request("/big.bin"))
            usleep(700_000)
        }
        let line = try origin.line("given up by the client")
        let sent = line.split(separator: " ").dropLast().last { Int($0) != nil }.flatMap { Int($0) } ?? 0
        // A megabyte waits in the server, the rest in the system's buffers.
        #expect(sent > 0 && sent < 40_000_000, "\(line)")
    }

    @Test(
        "Each fault is seen by a client as what it is",
        arguments: [
            (#""refuse""#, "reset"), (#""dns failure""#, "reset"), (#""untrusted certificate""#, "reset"),
            (#""connect time-out""#, "nothing"), (#""offline""#, "reset"), (#""reset""#, "reset"),
            (#"{ reset: "after 40%" }"#, "120000 reset"), (#"{ truncate: "after 40%" }"#, "120000 closed"),
            (#"{ status: 503, headers: { "Retry-After": "7" } }"#, "503 after 7"),
            (#"{ corrupt: "1 B" }"#, "300000 other"), (#""captive portal""#, "200 page"),
            (#"{ answer: { status: 200, body: "hello" } }"#, "200 hello"), (#""stall""#, "nothing"),
            (#"{ stall: "after 40%" }"#, "120000 nothing"),
            (#"{ slow: "answers", by: "300ms" }"#, "300000 same"),
        ])
    func faults(fault: String, seen: String) throws {
        let origin = try ServedScenario(ServedScenario.text(#"{ deploy: "v2" }"#))
        let (target, hash) = try row("/big.bin", origin)
        let isWhole = fault.contains("offline")
        let step = "{ fault: \(fault)\(isWhole ? "" : #", path: "/big.bin""#) }"
        #expect(try origin.control("fault", "POST", step).hasPrefix("200"))
        #expect(try Seen(origin, target, hash).text == seen)
        #expect(try origin.line("GET \(target)").isEmpty == false)
        #expect(origin.stop())
    }
}

/// What a client makes of an answer.
private struct Seen {
    var text: String

    init(_ origin: ServedScenario, _ target: String, _ hash: String) throws {
        let client = try RawClient(port: origin.port, patience: 1)
        client.say(origin.request(target))
        let (bytes, end) = client.hearToEnd(atMost: 400_000)
        guard let split = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
            text = bytes.isEmpty ? end : "half a head"
            return
        }
        let head = String(decoding: bytes[..<split.lowerBound], as: UTF8.self)
        let status = head.split(separator: " ")[1]
        let body = Array(bytes[split.upperBound...])
        if status == "503" {
            text = head.contains("Retry-After: 7") ? "503 after 7" : "503"
        } else if body.count == 300_000 {
            text = "300000 " + (SHA256.hash(of: body).hex == hash ? "same" : "other")
        } else if body.count < 1_000 {
            let words = String(decoding: body, as: UTF8.self)
            text = "\(status) " + (words.contains("<form") ? "page" : words)
        } else {
            text = "\(body.count) \(end)"
        }
    }
}
