import Core
import Testing
import Updater

@testable import AppHost

/// The states and events of `StartScreens.md`: which screen is shown, performed with a real
/// host.
enum ScreenTable {
    /// The screen, and why it is shown.
    enum Situation: String, CaseIterable {
        case loading = "loading: no content yet, the origin has not answered"
        case offline = "offline: no content yet, the origin failed"
        case noNetwork = "offline: no content yet, the device has no network"
        case cover = "cover: a version is there, its page has not shown content"
        case page = "page: it has"
        case pending = "page: it has, and a newer version is pending"
        case starting = "page: of a version that has not confirmed yet, another one stands behind it"
        case recovery = "recovery: the only version failed"
        case portTaken = "port taken: at launch, someone else listens there"
    }

    enum Event: String, CaseIterable {
        case originUp = "retry, and the origin offers a version"
        case originDown = "retry, and the origin fails"
        case networkLost = "the network goes"
        case networkBack = "the network comes back, and the origin offers a version"
        case shown = "the page shows content"
        case reload = "the page reloads"
        case link = "a link is followed"
        case deepLink = "a link from elsewhere opens the app"
        case fails = "the page reports that its start failed"
        case clock = "a minute passes"
        case webProcessDies = "the web process dies"
        case push = "a push arrives in background"
        case tryAgain = "try again"
        case suspended = "the process is suspended and goes on"
        case portTaken = "the socket is lost and its port taken"
        case portFree = "the port is free again"
        case restart = "the process ends, the next one starts"
    }

    struct Row: Equatable {
        var situation: Situation
        var event: Event
        var screen: String
        /// What the page in front is then, or what the next address leads to.
        var shows: String
    }

    static func row(_ situation: Situation, _ event: Event) throws -> Row {
        var fixture = try fixture(situation)
        #expect(name(fixture.screen) == situation.rawValue.prefix { $0 != ":" }, "\(situation.rawValue)")
        try happens(event, &fixture)
        return Row(situation: situation, event: event, screen: name(fixture.screen), shows: served(&fixture))
    }

    static func name(_ screen: AppHost.Screen) -> String {
        switch screen {
        case .page: "page"
        case .cover: "cover"
        case .loading: "loading"
        case .offline: "offline"
        case .noSpace: "no space"
        case .recovery: "recovery"
        case .portTaken: "port taken"
        case .portFailed(let fault): "port not opened: \(fault)"
        }
    }

    /// The version that the newest address of the host leads to; a page load of its own, at the very end.
    private static func served(_ fixture: inout HostFixture) -> String {
        if fixture.address.isEmpty {
            return [.page, .cover].contains(fixture.screen) ? fixture.front : "nothing"
        }
        if fixture.isPortTaken { return "nothing" }
        let (_, got) = fixture.open(fixture.start)
        return got.status == 200 ? got.text.filter { !"<p>/".contains($0) } : "nothing"
    }

    // MARK: - Situations

    private static func fixture(_ situation: Situation) throws -> HostFixture {
        let isEmpty = [.loading, .offline, .noNetwork, .recovery].contains(situation)
        var fixture = try HostFixture(embeds: isEmpty ? nil : HostFixture.Version("v1", 1))
        switch situation {
        case .loading:
            fixture.isSilent = true
            try fixture.launch()
        case .offline: try fixture.launch()
        case .noNetwork:
            fixture.isSilent = true
            try fixture.launch()
            fixture.handle(.network(.offline))
        case .cover: try fixture.launch()
        case .page:
            try fixture.launch()
            fixture.browse()
        case .pending:
            fixture.offered = HostFixture.Version("v2", 2)
            try fixture.launch()
            fixture.browse()
        case .starting:
            fixture.offered = HostFixture.Version("v2", 2)
            try fixture.launch()
            fixture.browse()
            fixture.browse(fixture.target, isReload: true)
        case .recovery:
            fixture.offered = HostFixture.Version("v1", 1)
            try fixture.launch()
            fixture.browse()
            fixture.message("startupDidFail")
        case .portTaken:
            fixture.isPortTaken = true
            try fixture.launch()
        }
        return fixture
    }

    // MARK: - Events

    private static func happens(_ event: Event, _ fixture: inout HostFixture) throws {
        switch event {
        case .originUp:
            fixture.isSilent = false
            fixture.offered = HostFixture.Version("v2", 2)
            fixture.handle(.user(.retry))
        case .originDown:
            fixture.isSilent = false
            fixture.offered = nil
            fixture.handle(.user(.retry))
            fixture.wait(.milliseconds(1))
        case .networkLost: fixture.handle(.network(.offline))
        case .networkBack:
            fixture.isSilent = false
            fixture.offered = HostFixture.Version("v2", 2)
            fixture.handle(.network(.offline))
            fixture.handle(.network(.online))
            fixture.wait(.seconds(3))
        case .shown: fixture.browse()
        case .reload: fixture.browse(fixture.target, isReload: true)
        case .link: fixture.follow("/items/7")
        case .deepLink: fixture.handle(.openLink("/items/7"))
        case .fails: fixture.message("startupDidFail")
        case .clock: fixture.wait(.minutes(1))
        case .webProcessDies: fixture.handle(.webView(.first, .webProcessDied))
        case .push:
            fixture.isSilent = false
            fixture.offered = HostFixture.Version("v2", 2)
            fixture.handle(.background)
            fixture.handle(.push)
            fixture.wait(.seconds(1))
        case .tryAgain: fixture.handle(.user(.tryAgain))
        case .suspended:
            fixture.handle(.background)
            fixture.handle(.suspended)
            fixture.wait(.minutes(1))
            fixture.handle(.resumed)
            fixture.handle(.foreground)
        case .portTaken:
            fixture.isPortTaken = true
            fixture.handle(.listener(.lost))
        case .portFree:
            fixture.isPortTaken = false
            fixture.wait(.seconds(10))
        case .restart:
            fixture.kill()
            fixture.isPortTaken = false
            fixture.address = ""
            try fixture.launch()
        }
    }
}

extension HostFixture {
    /// The address that the page in front has, as path and query.
    var target: String { shownTarget.isEmpty ? start : shownTarget }

    /// What the page in front is of.
    var front: String { shownText.filter { !"<p>/".contains($0) } }

    mutating func browse(_ target: String? = nil, isReload: Bool = false) {
        guard !address.isEmpty else { return }
        let (place, got) = show(target, isReload: isReload)
        guard got.status == 200 else { return }
        shownTarget = place
        shownText = got.text
    }

    /// A link of the page in front; its document is there, content not yet.
    mutating func follow(_ link: String) {
        guard !shownTarget.isEmpty else { return }
        handle(.webView(.first, .navigating(.link, url: "http://localhost:12308" + link)))
        let (place, got) = open(link)
        guard got.status == 200 else { return }
        handle(.webView(.first, .committed(url: "http://localhost:12308" + place)))
        shownTarget = place
        shownText = got.text
    }

    mutating func message(_ method: String) {
        guard !shownTarget.isEmpty else { return }
        let bytes = Array(#"{"method":"\#(method)"}"#.utf8)
        handle(.webView(.first, .message(bytes, documentURL: "http://localhost:12308" + shownTarget)))
    }
}
