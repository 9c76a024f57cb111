import Core
import LocalServer
import Updater

/// The life of the process: launch, the listening socket, foreground, background and suspension (S4, S8).
extension AppHost {
    mutating func begin(_ launch: Launch) {
        self.launch = launch
        secrets = LaunchSecrets(entropy: launch.updater.entropy)
        port = LocalPort(
            launch.port ?? LocalPort.defaultNumber(ofApp: launch.updater.settings.app),
            isInForeground: launch.updater.inForeground)
        if let link = launch.link, let target = checked(link) {
            if isNative(target) {
                effects.append(.openLink(.first, url: target))
            } else {
                pendingLink = target
            }
        }
        effects.append(.screen(.cover))
        var updater = launch.updater
        updater.wallClock = updater.wallClock ?? launch.wallClock
        partEvents.append(.updater(.launched(updater)))
        if let www = launch.www {
            packageFolder = PackageFolder(www, excluding: launch.updater.embedded)
            partEvents.append(.listPackage)
        } else {
            startServer(nil)
        }
    }

    private mutating func startServer(_ www: Site?) {
        var configuration = LocalServer.Configuration(
            port: port.number, sessionKey: secrets.sessionKey, www: www)
        if let launch {
            configuration.limits = launch.limits
            configuration.routes = launch.routes
            configuration.remote = launch.remote
            configuration.wallClock = launch.wallClock
        }
        server = LocalServer(configuration)
        listen()
    }

    /// Continues to list the app package. Without readable plugin files the server has none, and serves the
    /// version all the same.
    mutating func listPackage(_ disk: inout some Disk) {
        guard var folder = packageFolder else { return }
        let isDone: Bool
        do {
            isDone = try folder.step(&disk)
        } catch {
            append(LogEntry(.diskFailed, detail: "www: \(error)"))
            isDone = true
        }
        packageFolder = folder
        guard isDone else { return partEvents.append(.listPackage) }
        packageFolder = nil
        startServer(folder.site)
    }

    // MARK: - The listening socket

    mutating func listen() {
        port.attempt()
        effects.append(.listen(port: port.number))
    }

    mutating func handleListener(_ event: ListenerEvent) {
        guard event == .lost || port.takeAnswer() else { return }
        switch event {
        case .listening:
            port.bound()
            showScreen()
            for load in loads.takeWaiting() {
                // It may have waited since before the server stopped.
                webViews.expectDocument(of: load.token, in: load.view, byHost: true)
                send(load)
            }
            loadCutOffDocument()
        case .portTaken:
            append(LogEntry(.serverPortTaken, detail: "port=\(port.number)"))
            listenLater(.portTaken)
        case .portFailed(let fault):
            append(LogEntry(.serverPortFailed, detail: "port=\(port.number) reason=\(fault)"))
            listenLater(.portFailed(fault))
        case .lost:
            stopServer()
            if port.isInForeground { listen() }
        }
    }

    private mutating func listenLater(_ screen: Screen) {
        if port.isListening { stopServer() }
        let delay = port.failed(screen)
        showScreen()
        effects.append(.setTimer(.retryListening, after: delay))
    }

    private mutating func listenIfNeeded() {
        if !port.isListening, server != nil { listen() }
    }

    // MARK: - Foreground, background, suspension

    // What comes from the platform is handled in the step in which it comes. It would count time in
    // background as time in front if it waited here (N3), and a process that ends now would seem to have
    // ended in front (R4).

    mutating func foreground() {
        port.enterForeground()
        partEvents.putFirst(.updater(.foreground))
        listenIfNeeded()
        loadCutOffDocument()
    }

    mutating func background() {
        port.enterBackground()
        partEvents.putFirst(.updater(.background))
    }

    mutating func activityChanged(_ isActive: Bool) {
        partEvents.putFirst(.updater(isActive ? .active : .inactive))
    }

    /// Where the app is now decides whether the push may switch (N4).
    mutating func pushed() { partEvents.putFirst(.updater(.check(.push))) }

    /// The system may take the socket while the process is suspended: it is closed in order before.
    mutating func suspended() {
        partEvents.putFirst(.updater(.suspended))
        guard server != nil else { return }
        effects.append(.stopListening)
        stopServer()
    }

    private mutating func stopServer() {
        port.lost()
        partEvents.append(.server(.stopped))
        webViews.serverStopped()
    }

    /// The first view has waited for a document since before the server stopped: nothing else would end its
    /// cover (R13, S8). The same version is loaded again, which is no moment to switch (U6).
    private mutating func loadCutOffDocument() {
        let view = webViews.first
        let isCutOff = view.expected?.isCutOff ?? false
        guard port.isListening, port.isInForeground, isCutOff, !view.hasContent, screen.native == nil
        else { return }
        load(.first, loads.hasLoadedPage ? .webProcessRestart : .processStart, view.target)
    }

    mutating func resumed() {
        partEvents.putFirst(.updater(.resumed))
        listenIfNeeded()
    }
}
