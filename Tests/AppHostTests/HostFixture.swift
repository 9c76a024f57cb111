import Core
import DevelopmentHost
import HTTP1
import LocalServer
import ModuleTestSupport
import Testing
import Updater
import World

@testable import AppHost

/// What shows the pages.
enum BenchWebView {
    case native
    /// A plain browser, around the host (``DevelopmentHost``).
    case browser
}

/// One app host on a simulated disk, an origin that answers at once, and a browser that sends what a browser
/// sends. Small on purpose: scenarios belong in the laboratory.
struct HostFixture {
    struct Version {
        var id: String
        var serial: Int
        var files: [(route: String, bytes: [UInt8])]

        init(_ id: String, _ serial: Int) {
            self.id = id
            self.serial = serial
            files = [("/app.js", Array("let v = '\(id)'".utf8)), ("/index.html", Array("<p>\(id)</p>".utf8))]
        }

        var manifest: [UInt8] {
            let assets = files.map { file in
                #"{"route":"\#(file.route)","size":\#(file.bytes.count),"sha256":"\#(SHA256.hash(of: file.bytes).hex)"}"#
            }
            return Array(
                """
                {"format":"otalab-manifest-1","app":"com.example.shop","version":"\(id)","serial":\(serial),
                "index":"/index.html","files":[\(assets.joined(separator: ","))]}
                """.utf8)
        }
    }

    var disk = SimulatedDisk()
    private var plain = AppHost()
    private var development: DevelopmentHost?
    var mocks = MockHandlers()
    var routes = RouteTable()
    var host: AppHost { development?.host ?? plain }
    var now = Instant.zero
    var launches: UInt8 = 0
    var kind = BenchWebView.native
    var embeds: Version?
    var wwwFiles: [(path: String, bytes: [UInt8])] = []
    var links: [String] = []
    /// The embedded version is in a folder of `www`, as in a Cordova app.
    var embedsInside = false
    var allowedRoutes: [String] = []
    var allowsTestMessages = false
    var nativeMethods: [String] = []
    var confirmsDelivery = false
    var reportsPageTraffic = false
    var announcesDocuments = false
    /// Whether the web view sends `Sec-Fetch-*`.
    var sendsFetchMetadata = true
    /// Another environment's origin, and what it offers.
    var otherOffered: (root: String, version: Version)?
    /// What the origin offers; nil: 404.
    var offered: Version?
    /// Nothing is answered.
    var isSilent = false
    /// Someone else has the port.
    var isPortTaken = false

    var timers: [(name: AppHost.TimerName, at: Instant)] = []
    var effects: [AppHost.Effect] = []
    var screen = AppHost.Screen.page
    /// Address of the newest load that the host asked for.
    var address = ""
    /// Path and query of the page in front, and its text.
    var shownTarget = ""
    var shownText = ""
    private var connection: UInt32 = 0
    private var cookies: [(name: String, value: String)] = []

    init(embeds: Version? = Version("v1", 1), kind: BenchWebView = .native) throws {
        self.embeds = embeds
        self.kind = kind
        try mount()
    }

    mutating func mount() throws {
        var files = wwwFiles
        if let embeds {
            files +=
                [(folder + "/manifest.json", embeds.manifest)]
                + embeds.files.map { (folder + $0.route, $0.bytes) }
        }
        try disk.mountPackage(files: files)
    }

    private var folder: String { embedsInside ? "www/application" : "web" }

    // MARK: - Life

    mutating func launch(link: String? = nil) throws {
        plain = AppHost()
        development = kind == .browser ? DevelopmentHost(mocks: mocks) : nil
        timers = []
        cookies = []
        shownTarget = ""
        shownText = ""
        launches += 1
        let build = try #require(NativeBuild("1.0"))
        var settings = UpdaterSettings(app: "com.example.shop", origin: "http://origin.example/manifest.json")
        settings.limits.reserveBytes = 0
        var updater = Updater.Launch(
            settings: settings, native: build, platform: "ios", entropy: (0..<32).map { $0 &+ launches })
        updater.bootID = "boot-1"
        if embeds != nil {
            let root = DiskPath(.package, folder)
            updater.embedded = EmbeddedSource(dialect: .own, manifest: root / "manifest.json", root: root)
        }
        var launch = AppHost.Launch(
            updater: updater, www: wwwFiles.isEmpty ? nil : DiskPath(.package, "www"))
        launch.routes = routes
        launch.nativeMethods = nativeMethods
        launch.confirmsDelivery = confirmsDelivery
        launch.reportsPageTraffic = reportsPageTraffic
        launch.announcesDocuments = announcesDocuments
        launch.nativeLinks = links
        launch.allowedRoutes = allowedRoutes
        launch.allowsTestMessages = allowsTestMessages
        launch.link = link
        handle(.launched(launch))
    }

    mutating func kill() { disk.processEnded() }

    /// One event and all that it leads to at once.
    mutating func handle(_ event: AppHost.Event) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            let new =
                development?.handle(event, at: now, disk: &disk) ?? plain.handle(event, at: now, disk: &disk)
            for effect in new {
                effects.append(effect)
                events += carryOut(effect)
            }
        }
    }

    private mutating func carryOut(_ effect: AppHost.Effect) -> [AppHost.Event] {
        switch effect {
        case .again(let lane): return [.again(lane)]
        case .sync(let ticket, let target, _): return [.synced(ticket, disk.sync(target))]
        case .setTimer(let name, let after):
            timers.removeAll { $0.name == name }
            timers.append((name, now + after))
        case .cancelTimer(let name): timers.removeAll { $0.name == name }
        case .listen: return [.listener(isPortTaken ? .portTaken : .listening)]
        case .screen(let new): screen = new
        case .load(_, let url): address = url
        case .fetch(let id, let request): return isSilent ? [] : answer(id, request)
        case .cancelFetch, .verifySignatures, .stopListening, .send, .close, .authenticated, .setReadInterest,
            .upstream,
            .message,
            .pageReturned, .nativeMethodCalled, .handlerRequested, .pageTraffic, .status, .log, .pageLoad,
            .answered,
            .report, .openLink, .environmentSwitched:
            break
        }
        return []
    }

    private func answer(_ id: TransferID, _ request: OriginRequest) -> [AppHost.Event] {
        if let other = otherOffered, request.url.hasPrefix(other.root) {
            return answer(id, String(request.url.dropFirst(other.root.count)), other.version)
        }
        return answer(id, String(request.url.dropFirst("http://origin.example".count)), offered)
    }

    private func answer(_ id: TransferID, _ path: String, _ offered: Version?) -> [AppHost.Event] {
        let body =
            path == "/manifest.json" ? offered?.manifest : offered?.files.first { $0.route == path }?.bytes
        let fields: HeaderFields = [
            "Content-Length": "\(body?.count ?? 0)",
            "Date": HTTPDate.text(OriginTime(seconds: 1_800_000_000 + now.microseconds / 1_000_000)),
        ]
        let head = AppHost.Event.transfer(id, .head(status: body == nil ? 404 : 200, fields: fields))
        return [head] + (body.map { [.transfer(id, .bytes($0))] } ?? []) + [.transfer(id, .end)]
    }

    /// Time passes; what is due happens at its time.
    mutating func wait(_ span: TimeSpan) {
        let end = now + span
        while let next = timers.min(by: { $0.at < $1.at }), next.at <= end {
            now = max(now, next.at)
            timers.removeAll { $0.name == next.name }
            handle(.timer(next.name))
        }
        now = end
    }

    // MARK: - A browser

    struct Got {
        /// What has arrived; its status is 0 while nothing has.
        var reply: PeerReply
        var connection: ConnectionID
        var status: Int { reply.status }
        var fields: HeaderFields { reply.fields }
        var body: [UInt8] { reply.body }
        var text: String { reply.text }
    }

    /// One request on a separate connection.
    mutating func ask(
        _ target: String, _ method: String = "GET", referer: String? = nil, body: String = "",
        isDocument: Bool = false, isReload: Bool = false
    ) -> Got {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost:12308\r\n"
        if isDocument {
            text += "Accept: text/html\r\n"
            if sendsFetchMetadata { text += "Sec-Fetch-Dest: document\r\nSec-Fetch-Mode: navigate\r\n" }
        }
        if isReload { text += "Cache-Control: max-age=0\r\n" }
        if let referer { text += "Referer: http://localhost:12308\(referer)\r\n" }
        if !cookies.isEmpty {
            text += "Cookie: " + cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") + "\r\n"
        }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        connection += 1
        let id = ConnectionID(connection)
        handle(.connection(id, .opened))
        let start = effects.count
        handle(.connection(id, .received(Array((text + "\r\n" + body).utf8))))
        return answer(on: id, since: start)
    }

    /// What was sent on a connection since; status 0: nothing yet.
    mutating func answer(on id: ConnectionID, since start: Int) -> Got {
        var bytes: [UInt8] = []
        for effect in effects[start...] {
            guard case .send(id, let output) = effect else { continue }
            do { bytes += try output.bytes(from: &disk) } catch { Issue.record("\(error)") }
        }
        let got = Got(reply: PeerReply(bytes), connection: id)
        for cookie in got.reply.cookies {
            cookies.removeAll { $0.name == cookie.name }
            cookies.append(cookie)
        }
        if got.status > 0 { handle(.connection(id, .sent)) }
        return got
    }

    /// A document with all its redirects.
    /// - Returns: its own target, with the token, and what came.
    mutating func open(_ target: String, referer: String? = nil, isReload: Bool = false)
        -> (target: String, Got)
    {
        var target = target
        var got = ask(target, referer: referer, isDocument: true, isReload: isReload)
        for _ in 0..<4 where got.status == 307 {
            target = got.fields["Location"] ?? ""
            got = ask(target, referer: referer, isDocument: true, isReload: isReload)
        }
        return (target, got)
    }

    /// The address that the host gave, as path and query.
    var start: String {
        address.isEmpty ? "/" : String(address.dropFirst("http://localhost:12308".count).prefix { $0 != "#" })
    }

    /// Opens it, as a native web view does: it commits, and shows content.
    mutating func show(_ target: String? = nil, isReload: Bool = false) -> (target: String, Got) {
        if isReload { handle(.webView(.first, .navigating(.reload, url: ""))) }
        let (target, got) = open(target ?? start, isReload: isReload)
        address = ""
        guard got.status == 200, kind == .native else { return (target, got) }
        handle(.webView(.first, .committed(url: "http://localhost:12308" + target)))
        handle(.webView(.first, .contentShown))
        return (target, got)
    }

    /// A message over the bridge; status 0: the call waits.
    mutating func call(_ message: String, from document: String) -> Got {
        ask("/__otalab/bridge", "POST", referer: document, body: message)
    }

    func count(_ fits: (AppHost.Effect) -> Bool) -> Int { effects.count(where: fits) }
}
