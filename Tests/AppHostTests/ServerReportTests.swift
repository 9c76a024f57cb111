import Core
import Testing
import World

@testable import AppHost
@testable import LocalServer
@testable import Updater

@Suite("What the server reports to the host: refusals, files that fail, time that did not run")
struct ServerReportTests {
    private func host() throws -> AppHost {
        var fixture = try HostFixture()
        try fixture.launch()
        _ = fixture.show()
        return fixture.host
    }

    private func lines(_ host: AppHost) -> [String] {
        host.log.reportLines.map { ($0["cause"] ?? "") + " " + ($0["facts"] ?? "") }
    }

    @Test("Refusals of this server are logged, answers of the remote root and what is not found are not")
    func refusals() throws {
        for (status, isRemote, isLogged) in [
            (403, false, true), (421, false, true), (403, true, false), (421, true, false),
            (404, false, false), (405, false, false), (200, false, false),
        ] {
            var host = try host()
            let entry = LocalServer.AccessLogEntry(
                method: "GET", target: "/a?secret", status: status, type: nil, load: nil, site: nil,
                isRemote: isRemote, refusal: "not  this one")
            host.perform(.answered(entry))
            let line = "request-refused status=\(status) method=GET path=/a reason=not-this-one"
            #expect(lines(host) == (isLogged ? [line] : []))
            #expect(host.effects.contains(.answered(entry)))
        }
    }

    @Test("Of a path a hundred bytes are logged, of a file's name sixteen, of an unknown method sixty")
    func cut() throws {
        var host = try host()
        let long = "/" + String(repeating: "b", count: 200)
        for (target, refusal) in [(long, nil), ("", "no key")] as [(String, String?)] {
            let entry = LocalServer.AccessLogEntry(
                method: "GET", target: target, status: 403, type: nil, load: nil, site: nil,
                refusal: refusal)
            host.perform(.answered(entry))
        }
        #expect(
            lines(host) == [
                "request-refused status=403 method=GET path=" + long.prefix(100),
                "request-refused status=403 method=GET reason=no-key",
            ])
        host.perform(
            .noRoomForFile(DiskPath(.data, "a/0123456789abcdefg"), DiskError(.tooManyOpen, .open)))
        #expect(lines(host).first == "disk-failed serving 0123456789abcdef: EMFILE")

        var fixture = try HostFixture()
        try fixture.launch()
        let (page, _) = fixture.show()
        let method = String(repeating: "m", count: 61)
        let answer = fixture.call(#"{"method":"\#(method)"}"#, from: page)
        #expect(answer.text == #"{"method":"error","result":"unknown method \#(method.prefix(60))"}"#)
    }

    @Test("A file that can't be read is logged, and the updater learns of it where it is a version's (R10)")
    func unreadable() throws {
        for (isKnown, name) in [(true, "v1"), (false, "www")] {
            var host = try host()
            let key = try #require(host.webViews.first.version)
            let site = isKnown ? key.id + "#" + key.digest.hex : name
            let path = DiskPath(.data, "contents/abc")
            host.perform(.readFailed(site: site, path, DiskError(.inputOutput, .read)))
            #expect(lines(host) == ["disk-failed serving abc: EIO"])
            guard case .updater(.readFailed(key, path))? = host.partEvents.next() else {
                #expect(!isKnown)
                continue
            }
            #expect(isKnown)
        }
    }

    @Test("A socket that is lost, or given back at a suspension, leaves no connection behind (S8)")
    func noConnectionLeft() throws {
        for event in [AppHost.Event.listener(.lost), .suspended] {
            var fixture = try HostFixture()
            try fixture.launch()
            _ = fixture.show()
            #expect(fixture.host.server?.connections.all.isEmpty == false)
            fixture.effects = []
            fixture.handle(event)
            #expect(fixture.host.server?.connections.all.isEmpty == true)
            #expect(fixture.effects.contains(.stopListening) == (event == .suspended))
            #expect(fixture.count { if case .close = $0 { true } else { false } } > 0)
            guard event == .suspended else { continue }
            fixture.handle(.connection(ConnectionID(77), .opened))
            #expect(fixture.host.server?.connections.all.isEmpty == true, "accepted before, handled after")
            #expect(fixture.effects.contains(.close(ConnectionID(77))))
        }
    }

    @Test("Another table of routes counts from the next request on")
    func routes() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        let (page, _) = fixture.show()
        let pattern = try #require(RoutePattern("/cart"))
        fixture.handle(.routes(RouteTable([RouteEntry(pattern, .handler("cart"))])))
        #expect(fixture.ask("/cart", referer: page).status == 0)
        #expect(fixture.count { if case .handlerRequested = $0 { true } else { false } } == 1)
    }

    @Test(
        "Where the launch demands it, what is sent to a page and that it is there is reported, with its view"
    )
    func traffic() throws {
        var fixture = try HostFixture()
        fixture.reportsPageTraffic = true
        try fixture.launch()
        let (page, _) = fixture.open(fixture.start)
        let load = try #require(DocumentURL.load(page))
        _ = fixture.ask("/app.js", referer: page)
        func reported(_ traffic: AppHost.PageTraffic) -> Bool {
            fixture.effects.contains(.pageTraffic(.first, load, traffic))
        }
        #expect(reported(.sending(true)) && reported(.sending(false)) && reported(.seen))
    }

    @Test("After time that did not run, the server's time limits begin anew too (S10)")
    func frozen() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        _ = fixture.show()
        fixture.effects = []
        fixture.handle(.frozen(.seconds(90)))
        let timers = fixture.count { if case .setTimer(.server, _) = $0 { true } else { false } }
        #expect(timers > 0)
    }

    @Test("A package whose files can't all be read is served as far as it was listed; one entry says so")
    func halfListed() throws {
        var fixture = try HostFixture()
        fixture.wwwFiles = [("www/a/1.js", [1]), ("www/b/2.js", [2]), ("www/c/3.js", [3])]
        try fixture.mount()
        fixture.disk.add(
            DiskFault(.status, .inputOutput, times: nil, path: DiskPath(.package, "www/b/2.js")))
        try fixture.launch()
        #expect(fixture.show().1.text == "<p>v1</p>")
        let failed = lines(fixture.host).filter { $0.hasPrefix("disk-failed www: ") }
        #expect(failed.count == 1)
        let routes = fixture.host.server?.configuration.www?.files.map(\.route)
        #expect(routes?.contains("/b/2.js") == false)
    }

    @Test("The API that a page points elsewhere is elsewhere for the server at once (F9)")
    func remoteRoot() throws {
        var fixture = try HostFixture()
        fixture.allowsTestMessages = true
        try fixture.launch()
        let (page, _) = fixture.show()
        let message = #"{"method":"setRemoteRoot","params":{"url":"http://api.example/v2"}}"#
        #expect(fixture.call(message, from: page).text.contains("true"))
        #expect(fixture.host.server?.routing.remoteRoot == (try RemoteRoot("http://api.example/v2")))
        #expect(fixture.host.launch?.remote == (try RemoteRoot("http://api.example/v2")))
    }
}
