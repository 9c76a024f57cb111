import Core
import LocalServer
import Testing
import Updater

@testable import AppHost

@Suite("F9: what a page of a test build may change of origin, channel and API")
struct EnvironmentTests {
    private func opened(allows: Bool = true) throws -> (fixture: HostFixture, page: String) {
        var fixture = try HostFixture()
        fixture.allowsTestMessages = allows
        fixture.otherOffered = ("http://staging.example", HostFixture.Version("s1", 2))
        try fixture.launch()
        let (page, got) = fixture.show()
        #expect(got.text == "<p>v1</p>")
        fixture.effects = []
        return (fixture, page)
    }

    private func call(
        _ method: String, _ params: String, _ fixture: inout HostFixture, _ page: String
    ) -> String {
        fixture.call(#"{"method":"\#(method)","params":\#(params),"id":1}"#, from: page).text
    }

    private func switched(_ fixture: HostFixture) -> [AppHost.Environment] {
        fixture.effects.compactMap { if case .environmentSwitched(let new) = $0 { new } else { nil } }
    }

    private func loads(_ fixture: HostFixture) -> Int {
        fixture.count { if case .load = $0 { true } else { false } }
    }

    @Test("A channel alone, of up to a hundred bytes; the other parts stay what they are")
    func channel() throws {
        let wrong = [#"{"channel":"\#(String(repeating: "c", count: 101))"}"#, #"{"channel":7}"#]
        for params in wrong {
            var (fixture, page) = try opened()
            #expect(
                call("switchEnvironment", params, &fixture, page).contains("wants a name as channel"),
                "\(params)")
            #expect(switched(fixture).isEmpty)
        }
        for channel in ["b", String(repeating: "c", count: 100)] {
            var (fixture, page) = try opened()
            #expect(
                call("switchEnvironment", #"{"channel":"\#(channel)"}"#, &fixture, page).contains("true"))
            let environment = AppHost.Environment(
                origin: "http://origin.example/manifest.json", channel: channel, remote: nil)
            #expect(switched(fixture) == [environment])
            #expect(loads(fixture) == 1, "the page is loaded again at once")
        }
    }

    @Test(
        "An origin is an http or https URL with a host; what is none changes nothing, also beside what is right"
    )
    func origins() throws {
        for origin in [#""ftp://a.example/""#, #""/manifest.json""#, #""http:///m""#, "7", #""""#] {
            var (fixture, page) = try opened()
            let answer = call(
                "switchEnvironment", #"{"channel":"beta","origin":\#(origin)}"#, &fixture, page)
            #expect(answer.contains("wants an http or https URL as origin"), "\(origin)")
            #expect(switched(fixture).isEmpty && loads(fixture) == 0)
        }
        for origin in ["http://a.example/m.json", "https://a.example/m.json"] {
            var (fixture, page) = try opened()
            _ = call("switchEnvironment", #"{"origin":"\#(origin)"}"#, &fixture, page)
            #expect(switched(fixture).map(\.origin) == [origin])
            #expect(switched(fixture).map(\.channel) == ["stable"])
        }
    }

    @Test("The same environment again is refused; an API root alone is a change, and waits for no version")
    func apiAlone() throws {
        var (fixture, page) = try opened()
        let params = #"{"remoteRoot":"http://staging.example/api","channel":"stable"}"#
        #expect(call("switchEnvironment", params, &fixture, page).contains("true"))
        #expect(switched(fixture).map { $0.remote?.base } == ["/api"] && loads(fixture) == 1)
        let (again, _) = fixture.show()
        #expect(
            call("switchEnvironment", params, &fixture, again)
                .contains("wants another origin, channel or remoteRoot"))
        fixture.offered = HostFixture.Version("v2", 2)
        fixture.handle(.check)
        #expect(loads(fixture) == 1, "a version of the same origin waits for its moment")
    }

    @Test("The first version of the other environment is shown at once, the next one waits for its moment")
    func firstVersion() throws {
        var (fixture, page) = try opened()
        let params = #"{"origin":"http://staging.example/manifest.json"}"#
        #expect(call("switchEnvironment", params, &fixture, page).contains("true"))
        let (shown, got) = fixture.show()
        #expect(got.text == "<p>s1</p>")
        _ = fixture.call(#"{"method":"startupDidComplete"}"#, from: shown)
        fixture.effects = []
        fixture.otherOffered = ("http://staging.example", HostFixture.Version("s2", 3))
        fixture.handle(.check)
        #expect(loads(fixture) == 0)
        let answer = fixture.call(#"{"method":"switchToPendingVersion","id":1}"#, from: shown)
        #expect(answer.text == #"{"method":"switchToPendingVersion","result":"s2","id":1}"#)
    }

    @Test("Settings that the app changed are kept by a switch of the environment")
    func settings() throws {
        var (fixture, page) = try opened()
        var settings = UpdaterSettings(app: "com.example.shop", origin: "http://origin.example/manifest.json")
        settings.channel = "beta"
        fixture.handle(.settings(settings))
        _ = call(
            "switchEnvironment", #"{"origin":"http://staging.example/manifest.json"}"#, &fixture, page)
        #expect(switched(fixture).map(\.channel) == ["beta"])
    }

    @Test("Where the app checks by itself alone, a switch of the origin checks all the same")
    func manual() throws {
        var (fixture, page) = try opened()
        var settings = UpdaterSettings(app: "com.example.shop", origin: "http://origin.example/manifest.json")
        settings.updates = .page
        settings.limits.reserveBytes = 0
        fixture.handle(.settings(settings))
        fixture.effects = []
        _ = call(
            "switchEnvironment", #"{"origin":"http://staging.example/manifest.json"}"#, &fixture, page)
        #expect(fixture.show().1.text == "<p>s1</p>")
    }

    @Test("The API alone is pointed elsewhere; what is no root of an API is refused, and the old one stays")
    func setRemoteRoot() throws {
        var (fixture, page) = try opened()
        for params in ["null", #"{"url":7}"#, #"{"url":"ftp://a.example"}"#] {
            #expect(
                call("setRemoteRoot", params, &fixture, page).contains(#""result":"setRemoteRoot: "#),
                "\(params)")
            #expect(fixture.host.launch?.remote == nil)
        }
        #expect(
            call("setRemoteRoot", #"{"url":"http://api.example/v2"}"#, &fixture, page)
                == #"{"method":"setRemoteRoot","result":true,"id":1}"#)
        #expect(loads(fixture) == 0 && switched(fixture).isEmpty)
        _ = call("switchEnvironment", #"{"channel":"beta"}"#, &fixture, page)
        #expect(switched(fixture).map { $0.remote?.base } == ["/v2"])
    }
}
