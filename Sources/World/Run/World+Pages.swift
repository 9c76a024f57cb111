import AppHost
import Core
import Updater

/// Web views: their events and effects.
extension World {
    /// The host navigates a web view, which is created by its first load.
    mutating func load(_ id: WebViewID, _ url: String, _ device: Int) {
        guard devices[device].isRunning else { return }
        if !devices[device].process.webViews.contains(where: { $0.id == id }) {
            let hosted = HostedWebView(id, storage: devices[device].pages.storage)
            devices[device].process.webViews.append(hosted)
        }
        let name = devices[device].pages.takeNextLoadName()
        deliverToWebView(id, .navigate(url: url, .other, name: name), device)
    }

    mutating func deliverToWebView(_ id: WebViewID, _ event: WebView.Event, _ device: Int) {
        let process = devices[device].process.ordinal
        guard let index = devices[device].process.receiver(of: event, id) else { return }
        let environment = environment(device)
        let effects = devices[device].process.webViews[index].handle(event, in: environment)
        if devices[device].process.webViews.count > 1 {
            let hasLoaded = effects.contains {
                if case .record(.committed(_, load: .some, _)) = $0 { true } else { false }
            }
            shareStorage(of: index, hasLoaded: hasLoaded, device)
        }
        if index == 0 {
            devices[device].process.isContentShown = devices[device].process.webViews[index].isContentShown
        }
        for effect in effects {
            guard devices[device].process.ordinal == process else { return }
            carryOut(effect, id, device)
        }
    }

    // MARK: Several web views

    /// The app opens a separate web view for a link (H4).
    mutating func openWebView(_ route: String, beside opener: WebViewID, _ name: String?, _ device: Int) {
        let views = devices[device].process.webViews
        guard let beside = views.first(where: { $0.id == opener }), !devices[device].pages.origin.isEmpty
        else {
            return record(.actionDidNothing("no web view is there"), device)
        }
        let id = WebViewID((views.map(\.id.rawValue).max() ?? 0) + 1)
        var hosted = HostedWebView(id, storage: beside.storage)
        hosted.view.takeStorage(of: beside.view)
        devices[device].process.webViews.append(hosted)
        deliverToWebView(id, .navigate(url: devices[device].pages.origin + route, .other, name: name), device)
    }

    mutating func closeWebView(_ id: WebViewID, _ name: String?, _ device: Int) {
        guard id != .first else {
            return record(.actionDidNothing("the app's first web view stays"), device)
        }
        deliverToWebView(id, .act(.closes, on: name, name: nil), device)
        devices[device].process.webViews.removeAll { $0.id == id }
    }

    /// - Parameter hasLoaded: whether a document has just come to the front of this web view.
    private mutating func shareStorage(of index: Int, hasLoaded: Bool, _ device: Int) {
        let view = devices[device].process.webViews[index].view
        for other in devices[device].process.webViews.indices where other != index {
            devices[device].process.webViews[other].view.takeStorage(of: view)
            if hasLoaded { devices[device].process.webViews[other].view.newerDocumentLoaded() }
        }
    }

    private mutating func carryOut(_ effect: WebView.Effect, _ id: WebViewID, _ device: Int) {
        switch effect {
        case .open(let socket): connect(socket, id, device)
        case .send(let socket, let bytes): sendToServer(bytes, socket, id, device)
        case .close(let socket): closeFromWebView(socket, id, device)
        case .host(let event): report(event, id, device)
        case .setTimer(let name, let after): setTimer(name, after, id, device)
        case .cancelTimer(let name): cancelTimer(name, id, device)
        case .record(let kind):
            record(kind, device)
            performDue()
        case .started(let index): devices[device].pages.countStart(ofVersion: index)
        case .appDies: end(.crash, device)
        }
    }

    private func environment(_ device: Int) -> WebView.Environment {
        var environment = WebView.Environment(
            library: library, now: now, native: setup.app.builds[devices[device].build].native,
            starts: devices[device].pages.starts, origin: devices[device].pages.origin,
            callsWhenReady: devices[device].settings.confirmation == .called,
            announcesReload: devices[device].profile.announcesReload,
            isAlone: devices[device].process.webViews.count < 2)
        environment.announcesDocuments = devices[device].profile.announcesDocuments
        environment.cachedPages = devices[device].profile.cachedPages
        environment.isOnline = !isOffline(device)
        environment.sendsFetchMetadata = devices[device].profile.sendsFetchMetadata
        return environment
    }

    private mutating func report(_ event: AppHost.WebViewEvent, _ id: WebViewID, _ device: Int) {
        arrive(.webView(id, event), device)
    }

    private mutating func setTimer(
        _ name: WebView.TimerName, _ after: TimeSpan, _ id: WebViewID, _ device: Int
    ) {
        let process = devices[device].process.ordinal
        guard let index = devices[device].process.webViews.firstIndex(where: { $0.id == id }) else { return }
        let ticket = kernel.schedule(
            WorldEvent(
                device: Int32(device), process: Int32(process), cause: causality.last,
                what: .page(id, .timer(name))),
            at: now + after)
        if let old = devices[device].process.webViews[index].timers.set(name, ticket) { kernel.cancel(old) }
    }

    private mutating func cancelTimer(_ name: WebView.TimerName, _ id: WebViewID, _ device: Int) {
        guard let index = devices[device].process.webViews.firstIndex(where: { $0.id == id }) else { return }
        if let old = devices[device].process.webViews[index].timers.remove(name) { kernel.cancel(old) }
    }
}
