import Core
import Testing
import Updater

@testable import AppHost

/// The states and events of `StartScreens.md`: what stands on the native side of the screen, done to a real
/// host.
enum ScreenTable {
    /// What stands there, and why.
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
        var bench = try bench(situation)
        #expect(name(bench.screen) == situation.rawValue.prefix { $0 != ":" }, "\(situation.rawValue)")
        try happens(event, &bench)
        return Row(situation: situation, event: event, screen: name(bench.screen), shows: served(&bench))
    }

    static func name(_ screen: AppHost.Screen) -> String {
        switch screen {
        case .page: "page"
        case .cover: "cover"
        case .loading: "loading"
        case .offline: "offline"
        case .recovery: "recovery"
        case .portTaken: "port taken"
        }
    }

    /// The version that the newest address of the host leads to; a page load of its own, at the very end.
    private static func served(_ bench: inout HostBench) -> String {
        if bench.address.isEmpty {
            return [.page, .cover].contains(bench.screen) ? bench.front : "nothing"
        }
        if bench.isPortTaken { return "nothing" }
        let (_, got) = bench.open(bench.start)
        return got.status == 200 ? got.text.filter { !"<p>/".contains($0) } : "nothing"
    }

    // MARK: - Situations

    private static func bench(_ situation: Situation) throws -> HostBench {
        let isEmpty = [.loading, .offline, .noNetwork, .recovery].contains(situation)
        var bench = try HostBench(embeds: isEmpty ? nil : HostBench.Version("v1", 1))
        switch situation {
        case .loading:
            bench.isSilent = true
            try bench.launch()
        case .offline: try bench.launch()
        case .noNetwork:
            bench.isSilent = true
            try bench.launch()
            bench.tell(.network(.offline))
        case .cover: try bench.launch()
        case .page:
            try bench.launch()
            bench.browse()
        case .pending:
            bench.offered = HostBench.Version("v2", 2)
            try bench.launch()
            bench.browse()
        case .starting:
            bench.offered = HostBench.Version("v2", 2)
            try bench.launch()
            bench.browse()
            bench.browse(bench.target, isReload: true)
        case .recovery:
            bench.offered = HostBench.Version("v1", 1)
            try bench.launch()
            bench.browse()
            bench.message("startupDidFail")
        case .portTaken:
            bench.isPortTaken = true
            try bench.launch()
        }
        return bench
    }

    // MARK: - Events

    private static func happens(_ event: Event, _ bench: inout HostBench) throws {
        switch event {
        case .originUp:
            bench.isSilent = false
            bench.offered = HostBench.Version("v2", 2)
            bench.tell(.user(.retry))
        case .originDown:
            bench.isSilent = false
            bench.offered = nil
            bench.tell(.user(.retry))
            bench.wait(.milliseconds(1))
        case .networkLost: bench.tell(.network(.offline))
        case .networkBack:
            bench.isSilent = false
            bench.offered = HostBench.Version("v2", 2)
            bench.tell(.network(.offline))
            bench.tell(.network(.online))
            bench.wait(.seconds(3))
        case .shown: bench.browse()
        case .reload: bench.browse(bench.target, isReload: true)
        case .link: bench.follow("/items/7")
        case .deepLink: bench.tell(.openLink("/items/7"))
        case .fails: bench.message("startupDidFail")
        case .clock: bench.wait(.minutes(1))
        case .webProcessDies: bench.tell(.webView(.first, .webProcessDied))
        case .push:
            bench.isSilent = false
            bench.offered = HostBench.Version("v2", 2)
            bench.tell(.background)
            bench.tell(.push)
            bench.wait(.seconds(1))
        case .tryAgain: bench.tell(.user(.tryAgain))
        case .suspended:
            bench.tell(.background)
            bench.tell(.suspended)
            bench.wait(.minutes(1))
            bench.tell(.resumed)
            bench.tell(.foreground)
        case .portTaken:
            bench.isPortTaken = true
            bench.tell(.listener(.lost))
        case .portFree:
            bench.isPortTaken = false
            bench.wait(.seconds(10))
        case .restart:
            bench.kill()
            bench.isPortTaken = false
            bench.address = ""
            try bench.launch()
        }
    }
}

extension HostBench {
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
        tell(.webView(.first, .navigating(.link, url: "http://localhost:12308" + link)))
        let (place, got) = open(link)
        guard got.status == 200 else { return }
        tell(.webView(.first, .committed(url: "http://localhost:12308" + place)))
        shownTarget = place
        shownText = got.text
    }

    mutating func message(_ method: String) {
        guard !shownTarget.isEmpty else { return }
        let bytes = Array(#"{"method":"\#(method)"}"#.utf8)
        tell(.webView(.first, .message(bytes, documentURL: "http://localhost:12308" + shownTarget)))
    }
}
