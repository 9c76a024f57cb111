import Core
import LocalServer
import Updater

/// The app: joins updater, server and page, and is the only module that knows the interfaces of both.
///
/// An effect of one part becomes an event of the other within the same step: a page load requested at the
/// server is requested of the updater; its answer pins the load at the server. What neither part can do
/// leaves as an ``Effect``.
///
/// **What it promises.** N4: a silent push checks at once and never reloads a page in front. N5: a bridge
/// message of any form gets an answer or is dropped. R6: a message counts for the page load of the document
/// that sent it; the host attaches that load. T2: notices wait until a page listens. T4: a cover is shown
/// from launch or switch to first content. S4: one port, bound again after background.
///
/// **What it deliberately does not do.** Choose versions (the updater does), attribute requests (the server
/// does), know sockets, threads or clocks.
///
/// **How it works.** Every event becomes events for the updater or the server, in a queue. One step handles
/// them up to and with the first that may touch the disk; the rest waits for ``Event/again``, so that a step
/// stays bounded.
///
/// **How the state is grouped.** Each value keeps its own invariants: ``PartEventQueue``, ``LaunchSecrets``,
/// ``LocalPort``, ``WebViewTable``, ``LoadRequests``, ``SiteCache``, ``ScreenState``, ``NoticeOutbox``,
/// ``BridgeCalls``, ``EnvironmentSwitch``, ``SwitchHold``, ``HostLog``. The extensions of this type join them
/// and append effects; between two events `effects` is empty.
public struct AppHost: Sendable {
    // The parts, and what waits for them.
    var updater = Updater()
    /// nil until the app package has been listed.
    var server: LocalServer?
    var partEvents = PartEventQueue()
    var sites = SiteCache()

    // The process.
    /// nil until the first event.
    var launch: Launch?
    var secrets = LaunchSecrets()
    var port = LocalPort(0, isInForeground: false)
    /// The listing of the app package in progress.
    var packageFolder: PackageFolder?
    var log = HostLog()

    // Pages.
    var webViews = WebViewTable()
    var loads = LoadRequests()
    var screen = ScreenState()
    var switchHold = SwitchHold()
    /// Path, query and fragment that the app was opened for and has not shown yet.
    var pendingLink: String?

    // The bridge.
    var notices = NoticeOutbox()
    var calls = BridgeCalls()
    var environment = EnvironmentSwitch()

    /// Instant of the step.
    var now = Instant.zero
    var effects: [Effect] = []

    public init() {}

    /// Handles one event in one bounded step.
    /// - Returns: the effects, to be performed in order.
    public mutating func handle(_ event: Event, at now: Instant, disk: inout some Disk) -> [Effect] {
        self.now = now
        if case .again(.urgent) = event { partEvents.continued() }
        receive(event)
        // It is one event of the updater.
        if event.lane == .background { partEvents.putLastFirst() }
        var mayTouchDisk = true
        while mayTouchDisk, let event = partEvents.next() { mayTouchDisk = !pass(event, &disk) }
        if partEvents.requestsAgain() { effects.append(.again(.urgent)) }
        return effects.takeAll()
    }

    /// - Returns: true when the disk may have been touched.
    private mutating func pass(_ event: PartEvent, _ disk: inout some Disk) -> Bool {
        switch event {
        case .updater(let event):
            for effect in updater.handle(event, at: now, disk: &disk) { perform(effect) }
            return updater.hasTouchedDisk
        case .server(let event):
            guard let effects = server?.handle(event, at: now, disk: &disk) else { return false }
            for effect in effects { perform(effect) }
            return server?.hasTouchedDisk ?? false
        case .listPackage:
            listPackage(&disk)
            return true
        }
    }

    private mutating func receive(_ event: Event) {
        switch event {
        case .launched(let launch): begin(launch)
        case .again(.urgent): break
        case .again(.background): partEvents.append(.updater(.again(.background)))
        case .synced(let ticket, let error): partEvents.append(.updater(.synced(ticket, error)))
        case .timer(let name): timerFired(name)
        case .transfer(let id, let part): partEvents.append(.updater(.transfer(id, part)))
        case .signaturesVerified(let id, let answer):
            partEvents.append(.updater(.signaturesVerified(id, answer)))
        case .listener(let event): handleListener(event)
        case .connection(let id, let event): handleConnection(id, event)
        case .upstream(let id, let event): partEvents.append(.server(.upstream(id, event)))
        case .webView(let id, let event): handleWebView(id, event)
        case .foreground: foreground()
        case .background: background()
        case .active: activityChanged(true)
        case .inactive: activityChanged(false)
        case .suspended: suspended()
        case .resumed: resumed()
        case .frozen(let span):
            partEvents.append(.updater(.frozen(span)))
            partEvents.append(.server(.frozen))
        case .push: pushed()
        case .check: partEvents.append(.updater(.check(.app)))
        case .network(let state): partEvents.append(.updater(.network(state)))
        case .user(let intent): handleUser(intent)
        case .settings(let changed):
            launch?.updater.settings = changed
            partEvents.append(.updater(.settings(changed)))
        case .openLink(let target): openLink(target)
        case .callPage(let call, let view, let method, let params): callPage(call, view, method, params)
        case .nativeMethodReturned(let call, let answer): nativeMethodAnswered(call, answer)
        case .delivered(let token): if launch?.confirmsDelivery == true { notices.delivered(to: token) }
        case .handlerAnswer(let call, let answer): partEvents.append(.server(.handlerAnswer(call, answer)))
        case .routes(let table): partEvents.append(.server(.routes(table)))
        }
    }

    private mutating func timerFired(_ name: TimerName) {
        switch name {
        case .updater(let name): partEvents.append(.updater(.timer(name)))
        case .server(let name): partEvents.append(.server(.timer(name)))
        case .retryListening: listen()
        case .pageAnswer(let id): endPageCall(id)
        case .wrapper: break
        }
    }

    private mutating func handleConnection(_ id: ConnectionID, _ event: ConnectionEvent) {
        switch event {
        // It was accepted before the socket was closed, and would be one that nothing ends (S8).
        case .opened where !port.isListening: effects.append(.close(id))
        case .opened: partEvents.append(.server(.opened(id)))
        case .received(let bytes): partEvents.append(.server(.received(id, bytes)))
        case .sent: partEvents.append(.server(.sent(id)))
        case .progressed: partEvents.append(.server(.progressed(id)))
        case .finished: partEvents.append(.server(.finished(id)))
        case .closed(let error): partEvents.append(.server(.closed(id, error)))
        }
    }

    private mutating func handleUser(_ intent: UserIntent) {
        switch intent {
        case .retry, .lookForUpdate: partEvents.append(.updater(.check(.user)))
        // The button belongs to the recovery screen: without that screen, no page is reloaded.
        case .tryAgain where screen.native != .recovery: break
        case .tryAgain:
            // What a link led to showed nothing (R13): the same address would show nothing again.
            if screen.endsWithContent { pendingLink = nil }
            partEvents.append(.updater(.userTriesAgain))
        case .sendReport: effects.append(.report(report))
        }
    }

    /// The error report of this moment (F4), as text: the updater's state and its log over process deaths,
    /// then the entries that the host itself logged in this process.
    public var report: String {
        var report = updater.report()
        report.lines += log.reportLines
        return report.text
    }

    mutating func append(_ entry: LogEntry) {
        for entry in log.append(entry, at: now) { effects.append(.log(entry)) }
    }
}
