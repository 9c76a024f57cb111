import Core
import LocalServer
import Updater

/// Launch, the listening socket, and the life of the app around it (S4, S8).
extension AppHost {
    mutating func begin(_ launch: Launch) {
        self.launch = launch
        inForeground = launch.updater.inForeground
        key = KeyedHash.Key(bytes: launch.updater.entropy.suffix(16)) ?? KeyedHash.Key(low: 0, high: 0)
        sessionKey = Hex.text(choose("session", 0)) + Hex.text(choose("session", 1))
        link = launch.link.flatMap(checked)
        port = launch.port ?? PortPlan.port(ofApp: launch.updater.settings.app)
        effects.append(.screen(.cover))
        inbox.append(.updater(.launched(launch.updater)))
        if let www = launch.www {
            folder = PackageFolder(www)
            inbox.append(.www)
        } else {
            startServer(nil)
        }
    }

    private mutating func startServer(_ www: Site?) {
        var configuration = LocalServer.Configuration(port: port, sessionKey: sessionKey, www: www)
        if let launch {
            configuration.limits = launch.limits
            configuration.routes = launch.routes
            configuration.remote = launch.remote
            configuration.wallClock = launch.wallClock
        }
        server = LocalServer(configuration)
        effects.append(.listen(port: port))
    }

    /// A package without readable plugin files has none; the version is served all the same.
    mutating func listPackage(_ disk: inout some Disk) {
        guard var listing = folder else { return }
        let isDone: Bool
        do {
            isDone = try listing.step(&disk)
        } catch {
            log(LogEntry(.diskFailed, detail: "www: \(error)"))
            isDone = true
        }
        folder = listing
        guard isDone else { return inbox.append(.www) }
        folder = nil
        startServer(listing.site)
    }

    mutating func listener(_ event: ListenerEvent) {
        switch event {
        case .listening:
            isListening = true
            portPlan.reset()
            isPortTaken = false
            showScreen()
            let loads = wanted
            wanted = []
            for wanted in loads { load(wanted) }
        case .portTaken:
            isListening = false
            log(LogEntry(.serverPortTaken, detail: "port=\(port)"))
            isPortTaken = true
            showScreen()
            effects.append(.setTimer(.listenAgain, after: portPlan.next()))
        case .lost:
            isListening = false
            inbox.append(.server(.stopped))
            if inForeground { effects.append(.listen(port: port)) }
        }
    }

    mutating func foreground() {
        inForeground = true
        inbox.append(.updater(.foreground))
        if !isListening, server != nil { effects.append(.listen(port: port)) }
    }

    /// The system may take the socket while the process stands still: it is given back in order (HT-T9).
    mutating func suspended() {
        inbox.append(.updater(.suspended))
        guard server != nil else { return }
        isListening = false
        effects.append(.stopListening)
        inbox.append(.server(.stopped))
    }

    mutating func resumed() {
        inbox.append(.updater(.resumed))
        if !isListening, server != nil { effects.append(.listen(port: port)) }
    }

    // MARK: Loads that the host asks for

    mutating func newToken() -> PageLoadToken {
        nextToken += 1
        return PageLoadToken(choose("load", nextToken))
    }

    /// - Parameter target: path and query; nil: the start page.
    mutating func command(_ view: WebViewID, _ moment: Updater.Moment, _ target: String?) {
        let load = Expected(token: newToken(), view: view, moment: moment, target: target ?? "/")
        if view == .first { cover() }
        guard isListening else {
            wanted.removeAll { $0.view == view }
            wanted.append(load)
            return
        }
        self.load(load)
    }

    private mutating func load(_ load: Expected) {
        expected.removeAll { $0.view == load.view }
        expected.append(load)
        inbox.append(.server(.announced(load.token)))
        effects.append(
            .load(
                load.view,
                url: "http://localhost:\(port)"
                    + load.target(with: "otalab-key=\(sessionKey)&otalab-load=\(load.token.text)")))
    }
}

/// Lists the plugin files of the app package (M16), one folder or fifteen files to a step.
struct PackageFolder: Sendable {
    private let root: DiskPath
    private var folders: [String]
    private var names: [String] = []
    private var files: [SiteFile] = []

    init(_ root: DiskPath) {
        self.root = root
        folders = [""]
    }

    var site: Site {
        Site(
            name: "www", index: "",
            files: files.sorted { TextBytes.precedes($0.route, $1.route) })
    }

    /// - Returns: true when everything is listed.
    mutating func step(_ disk: inout some Disk) throws(DiskError) -> Bool {
        if names.isEmpty {
            guard let folder = folders.popLast() else { return true }
            let place = folder.isEmpty ? root : DiskPath(root.volume, root.text + folder)
            names = try disk.list(place).map { folder + "/" + $0 }
            return false
        }
        for name in names.suffix(15) {
            let path = DiskPath(root.volume, root.text + name)
            let status = try disk.status(path)
            switch status.kind {
            case .directory: folders.append(name)
            case .file:
                // No hash is known: length and route stand for the content, which changes with the package
                // alone.
                let tag = "www-\(FNV1a32.hash(of: name))-\(status.size)"
                files.append(SiteFile(route: name, path: path, size: status.size, tag: tag))
            case .other: break
            }
        }
        names.removeLast(min(15, names.count))
        return false
    }
}
