import Core
import LocalServer
import Updater

/// The app: joins updater, server and page, and is the only place that knows the words of both.
///
/// An inner effect of one becomes the sibling's event at once, within the same step: a page load asked
/// at the server is asked of the updater; its answer pins the load at the server. What neither can do
/// leaves as an ``Effect``.
///
/// **What it promises.** N4: a silent push checks at once and never reloads a page in front. N5: bridge
/// messages of any form get an answer or are dropped. R6: a message counts for the page load of the document
/// that sent it; the host attaches that load. T2: notices wait until a page listens. T4: a cover stands from
/// launch or switch to first content. S4: one port, bound again after background.
///
/// **What it deliberately does not do.** Choose versions (the updater does), attribute requests (the server
/// does), know sockets, threads or clocks.
///
/// **How it works.** Every event becomes words for the updater or the server, in a queue. One step handles
/// the words up to and with the first that may touch the disk; the rest waits for ``Event/again``, so that a
/// step stays bounded.
public struct AppHost: Sendable {
    /// Words for one of the parts.
    enum Inner: Sendable {
        case updater(Updater.Event)
        case server(LocalServer.Event)
        case www
    }

    var updater = Updater()
    var server: LocalServer?
    var launch: Launch?
    var key = KeyedHash.Key(low: 0, high: 0)
    var now = Instant.zero
    var inbox: [Inner] = []
    var effects: [Effect] = []
    var isAgainAsked = false

    var port: UInt16 = 0
    var sessionKey = ""
    var portPlan = PortPlan()
    var isListening = false
    var inForeground = true
    var folder: PackageFolder?

    var views: [ViewState] = [ViewState(id: .first)]
    var asks: [Ask] = []
    var expected: [Expected] = []
    var sites: [NamedSite] = []
    var nextToken: UInt64 = 0
    /// Loads that wait for the socket, at most one of each view.
    var wanted: [Expected] = []
    var hasLoaded = false
    var heldOffSince: Instant?

    /// What was last told; what stands when the port is there.
    var screen = Screen.cover
    var isPortTaken = false
    var nativeScreen: Screen?
    var notices = NoticeBox()
    /// Loads whose documents have asked for notices.
    var listeners: [PageLoadToken] = []
    var switchCalls: [SwitchCall] = []
    var nativeCalls: [NativeCall] = []
    var nextNativeCall: UInt32 = 1
    var questions: [PageQuestion] = []
    /// What the app was opened for and has not shown yet.
    var link: String?
    var entries: [LogEntry] = []

    public init() {}

    /// One bounded step. Effects are to be carried out in order.
    public mutating func handle(_ event: Event, at now: Instant, disk: inout some Disk) -> [Effect] {
        self.now = now
        if case .again = event { isAgainAsked = false }
        receive(event)
        var mayTouchDisk = true
        while mayTouchDisk, !inbox.isEmpty {
            mayTouchDisk = !pass(inbox.removeFirst(), &disk)
        }
        if !inbox.isEmpty, !isAgainAsked {
            isAgainAsked = true
            effects.append(.again)
        }
        let result = effects
        effects.removeAll(keepingCapacity: true)
        return result
    }

    /// - Returns: true when the disk may have been touched.
    private mutating func pass(_ inner: Inner, _ disk: inout some Disk) -> Bool {
        switch inner {
        case .updater(let event):
            for effect in updater.handle(event, at: now, disk: &disk) { carryOut(effect) }
            return updater.hasTouchedDisk
        case .server(let event):
            guard let effects = server?.handle(event, at: now, disk: &disk) else { return false }
            for effect in effects { carryOut(effect) }
            return server?.hasTouchedDisk ?? false
        case .www:
            listPackage(&disk)
            return true
        }
    }

    private mutating func receive(_ event: Event) {
        switch event {
        case .launched(let launch): begin(launch)
        case .again: break
        case .timer(let name): timerFired(name)
        case .transfer(let id, let part): inbox.append(.updater(.transfer(id, part)))
        case .listener(let event): listener(event)
        case .connection(let id, let event): connection(id, event)
        case .upstream(let id, let event): inbox.append(.server(.upstream(id, event)))
        case .webView(let id, let event): webView(id, event)
        case .foreground: foreground()
        case .background:
            inForeground = false
            inbox.append(.updater(.background))
        case .suspended: suspended()
        case .resumed: resumed()
        case .push: inbox.append(.updater(.check(.push)))
        case .check: inbox.append(.updater(.check(.app)))
        case .network(let state): inbox.append(.updater(.network(state)))
        case .user(let intent): user(intent)
        case .settings(let changed): inbox.append(.updater(.settings(changed)))
        case .openLink(let target): openLink(target)
        case .askPage(let call, let view, let method, let params): ask(call, view, method, params)
        case .answerPage(let call, let answer): nativeCodeAnswers(call, answer)
        case .delivered(let token): if launch?.confirmsDelivery == true { notices.heard(token) }
        case .answerRequest(let call, let answer): inbox.append(.server(.handlerAnswer(call, answer)))
        case .routes(let table): inbox.append(.server(.routes(table)))
        }
    }

    private mutating func timerFired(_ name: TimerName) {
        switch name {
        case .updater(let name): inbox.append(.updater(.timer(name)))
        case .server(let name): inbox.append(.server(.timer(name)))
        case .listenAgain: effects.append(.listen(port: port))
        case .outer: break
        }
    }

    private mutating func connection(_ id: ConnectionID, _ event: ConnectionEvent) {
        switch event {
        case .opened: inbox.append(.server(.opened(id)))
        case .received(let bytes): inbox.append(.server(.received(id, bytes)))
        case .sent: inbox.append(.server(.sent(id)))
        case .progressed: inbox.append(.server(.progressed(id)))
        case .finished: inbox.append(.server(.finished(id)))
        case .closed(let error): inbox.append(.server(.closed(id, error)))
        }
    }

    private mutating func user(_ intent: UserIntent) {
        switch intent {
        case .retry, .lookForUpdate: inbox.append(.updater(.check(.user)))
        // A button of that screen alone: a page in front is not reloaded by one that is not there.
        case .tryAgain where nativeScreen != .recovery: break
        case .tryAgain: inbox.append(.updater(.userTriesAgain))
        case .sendReport: effects.append(.report(report))
        }
    }

    /// One text: what the updater knows and its log over process deaths, then what this process met around
    /// it.
    /// The error report of this moment (F4).
    public var report: String {
        var report = updater.report()
        for (number, entry) in entries.enumerated() {
            report.lines.append(ErrorReport.hostLine(number + 1, entry))
        }
        return report.text
    }

    func choose(_ words: String, _ number: UInt64 = 0) -> UInt64 {
        var hash = KeyedHash(key: key)
        hash.update(words)
        hash.update(number)
        return hash.finish()
    }

    /// The screen of this moment, where it is another one than before.
    mutating func showScreen() {
        let hasContent = views.first { $0.id == .first }?.hasContent ?? false
        show(isPortTaken ? .portTaken : nativeScreen ?? (hasContent ? .page : .cover))
    }

    /// The cover, unless something native stands there (T4).
    mutating func cover() {
        if let place = views.firstIndex(where: { $0.id == .first }) { views[place].hasContent = false }
        showScreen()
    }

    private mutating func show(_ wanted: Screen) {
        guard wanted != screen else { return }
        screen = wanted
        effects.append(.screen(wanted))
    }
}
