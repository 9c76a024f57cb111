import Backend
import Core
import HTTP1
import Testing
import World

@testable import Updater

/// One device with one updater on a simulated disk, and an origin that responds at once. Small on purpose:
/// scenarios belong to the laboratory; here single rules are tested against the updater alone.
struct Harness {
    var disk: SimulatedDisk
    var updater = Updater()
    var now = Instant.zero
    var launches: UInt8 = 0
    var timers: [(name: Updater.TimerName, at: Instant)] = []
    var effects: [Updater.Effect] = []
    var settings: UpdaterSettings
    var native = "1.0"
    /// Empty: the platform provides none.
    var boot = "boot-1"
    var isDebugged = false
    var exit: ExitRecord?
    /// Version that the origin offers; nil: 204.
    var offered: Version?
    /// Verifies signed manifests; nil: this host can't.
    var verifier: (any SignatureVerifier)?
    /// Responses that replace the origin's, by URL.
    var answers: [(url: String, status: Int, body: [UInt8])] = []
    /// Called before all others; nil from it: the origin's response.
    var script: ((OriginRequest) -> Reply?)?
    /// Requests that were never answered.
    var unanswered: [TransferID] = []
    var isOffline = false
    /// URLs whose responses the origin delays.
    var delayed: [String] = []
    /// Requests that wait for a response.
    var waiting: [(id: TransferID, url: String)] = []
    /// Whether no request is answered.
    var isSilent = false
    var requests: [OriginRequest] = []
    var status = UpdaterStatus()
    var logged: [LogEntry] = []
    var served: [PageLoadToken: ServedVersion] = [:]
    var nextToken: UInt64 = 1

    init(embedded: Version?, dialect: ManifestDialect = .own, names: NameRule = .anyCaseAndForm) throws {
        disk = SimulatedDisk(names: names)
        settings = UpdaterSettings(
            app: "com.example.shop", origin: "https://origin.example/app/manifest.json")
        settings.dialect = dialect
        settings.updates = .manual
        if let embedded { try embed(embedded) }
    }

    /// With v1 embedded, started and confirmed.
    static func started() throws -> Harness {
        var device = try Harness(embedded: Version("v1", serial: 1))
        try device.start()
        return device
    }

    /// v1 embedded, v2 good and running, v3 pending; the process has ended.
    static func stoppedWithPending() throws -> Harness {
        var device = try started()
        for (id, serial) in [("v2", 2), ("v3", 3)] {
            device.offered = Version(id, serial: serial)
            device.check()
            device.kill()
            if id == "v2" { try device.start() }
        }
        return device
    }

    /// As ``started()``, with a version pending, just before the process start that activates it.
    static func aboutToStart(_ version: Version = Version("v2", serial: 2)) throws -> Harness {
        var device = try started()
        device.offered = version
        device.check()
        device.kill()
        try device.launch()
        return device
    }

    var hasEmbedded = false
    var embeddedDialect = ManifestDialect.own

    mutating func embed(_ version: Version) throws {
        var files = [(path: "web/manifest.json", bytes: version.manifest)]
        files += version.files.map { ("web" + $0.route, $0.bytes) }
        try disk.mountPackage(files: files)
        hasEmbedded = true
    }

    /// - Parameter events: sent before the store has been opened.
    mutating func launch(inForeground: Bool = true, then events: [Updater.Event] = []) throws {
        launches += 1
        updater = Updater()
        timers = []
        let build = try #require(NativeBuild(native))
        var launch = Updater.Launch(
            settings: settings, native: build, platform: "ios",
            entropy: Array(repeating: launches, count: 32), inForeground: inForeground,
            network: isOffline ? .offline : .online)
        launch.isDebugged = isDebugged
        if hasEmbedded {
            launch.embedded = EmbeddedSource(
                dialect: embeddedDialect, manifest: DiskPath(.package, "web/manifest.json"),
                root: DiskPath(.package, "web"))
        }
        launch.bootID = boot.isEmpty ? nil : boot
        launch.lastExit = exit
        exit = nil
        send([.launched(launch)] + events)
    }

    /// Ends the process, by default as a user's swipe does: the app leaves the front before.
    mutating func kill(_ record: ExitRecord? = nil, inFront: Bool = false) {
        if record == nil, !inFront { send(.inactive) }
        disk.processEnded()
        exit = record
    }

    /// Sends an event and everything that follows from it while no time passes.
    mutating func send(_ event: Updater.Event) { send([event]) }

    /// Sends events that are waiting together: what follows from the first comes after the others.
    mutating func send(_ events: [Updater.Event]) {
        var queue = events
        while !queue.isEmpty {
            disk.beginStep()
            let result = updater.handle(queue.removeFirst(), at: now, disk: &disk)
            let counts = disk.stepCounts
            #expect(counts.isWithinBounds, "\(counts)")
            #expect(counts.others == 0 || updater.hasTouchedDisk, "\(counts)")
            for effect in result { perform(effect, &queue) }
        }
    }

    private mutating func perform(_ effect: Updater.Effect, _ queue: inout [Updater.Event]) {
        effects.append(effect)
        switch effect {
        case .again(let lane):
            #expect(!queue.contains(.again(lane)), "one step of a lane is requested at a time")
            queue.append(.again(lane))
        case .sync(let ticket, let target, _): queue.append(.synced(ticket, disk.sync(target)))
        case .setTimer(let name, let after):
            timers.removeAll { $0.name == name }
            timers.append((name, now + after))
        case .cancelTimer(let name): timers.removeAll { $0.name == name }
        case .fetch(let id, let request): queue += answer(id, request)
        case .answerPageLoad(let token, let version): served[token] = version
        case .status(let stated): status = stated
        case .log(let entry): logged.append(entry)
        case .verifySignatures(let id, let request):
            queue.append(.signaturesVerified(id, verifier.map { request.answer(by: $0) } ?? .unavailable))
        case .cancelFetch, .ready, .reload, .reloadOtherWebView, .screen, .notice, .switchAnswered, .current,
            .retired:
            break
        }
    }

    private mutating func answer(_ id: TransferID, _ request: OriginRequest) -> [Updater.Event] {
        requests.append(request)
        if delayed.contains(where: { request.url.hasSuffix($0) }) {
            waiting.append((id, request.url))
            return []
        }
        if isSilent { return [] }
        if isOffline { return [.transfer(id, .failed(.offline))] }
        if let reply = script?(request) {
            if reply.isSilent { unanswered.append(id) }
            return reply.events(now).map { .transfer(id, $0) }
        }
        if let stated = answers.first(where: { request.url.hasSuffix($0.url) }) {
            return whole(id, stated.status, stated.body)
        }
        guard let offered else { return whole(id, 204, []) }
        switch request.kind {
        case .manifest: return whole(id, 200, offered.manifest)
        case .file(let route):
            guard let file = offered.files.first(where: { $0.route == route }) else {
                return whole(id, 404, [])
            }
            return whole(id, 200, file.bytes)
        case .outcomes: return whole(id, 204, [])
        }
    }

    func whole(_ id: TransferID, _ status: Int, _ body: [UInt8]) -> [Updater.Event] {
        let fields: HeaderFields = [
            "Content-Length": String(body.count),
            "Date": HTTPDate.text(OriginTime(seconds: 1_800_000_000 + now.microseconds / 1_000_000)),
        ]
        var events: [Updater.Event] = [.transfer(id, .head(status: status, fields: fields))]
        var rest = body[...]
        while !rest.isEmpty {
            events.append(.transfer(id, .bytes(Array(rest.prefix(64 << 10)))))
            rest = rest.dropFirst(64 << 10)
        }
        return events + [.transfer(id, .end)]
    }

    /// Lets time pass and fires the timers that are due.
    mutating func wait(_ span: TimeSpan) {
        let end = now + span
        while let next = timers.filter({ $0.at <= end }).min(by: { $0.at < $1.at }) {
            timers.removeAll { $0.name == next.name }
            now = max(now, next.at)
            send(.timer(next.name))
        }
        now = end
    }

    /// The web view requests its index, receives it and shows it.
    @discardableResult
    mutating func load(_ moment: Updater.Moment) -> PageLoadToken {
        let token = PageLoadToken(nextToken)
        nextToken += 1
        send(.pageLoadRequested(token, moment))
        send(.page(token, .indexServed))
        send(.page(token, .committed))
        send(.page(token, .contentShown))
        return token
    }

    mutating func check() { send(.check(.app)) }

    /// Launch, first page, confirmed.
    mutating func start() throws {
        try launch()
        let token = load(.processStart)
        send(.page(token, .confirmed))
    }

    /// Loads a page; returns the id of its version.
    mutating func show(_ moment: Updater.Moment) -> String? {
        let token = load(moment)
        return running(token)
    }

    func running(_ token: PageLoadToken) -> String? { served[token]?.key.id }

    /// Delivers bytes of a waiting request, or only its end.
    mutating func arrive(_ url: String, _ bytes: [UInt8], of length: Int, ends: Bool = false) {
        guard let request = waiting.last(where: { $0.url.hasSuffix(url) }) else { return }
        if bytes.count < length || !ends {
            send(.transfer(request.id, .head(status: 200, fields: ["Content-Length": String(length)])))
        }
        send(.transfer(request.id, .bytes(bytes)))
        if ends { send(.transfer(request.id, .end)) }
    }

    var notices: [Updater.Notice] {
        effects.compactMap { effect in if case .notice(let notice) = effect { notice } else { nil } }
    }

    var screens: [Updater.Screen] {
        effects.compactMap { effect in if case .screen(let screen) = effect { screen } else { nil } }
    }

    var reloads: [Updater.ReloadReason] {
        effects.compactMap { effect in if case .reload(let reason) = effect { reason } else { nil } }
    }

    func bytes(of path: DiskPath) -> [UInt8] {
        guard let content = disk.content(of: path) else { return [] }
        return content.read(at: 0, count: content.size)
    }

    func causes(_ cause: LogCause) -> Int { logged.count { $0.cause == cause } }
}

/// A version of the own dialect with generated content.
struct Version {
    var id: String
    /// Serial; below 0: none is stated.
    var serial: Int
    var files: [(route: String, bytes: [UInt8])]
    var native = ""
    var extra = ""
    /// Routes of optional assets.
    var optional: [String] = []

    init(_ id: String, serial: Int, app: String? = nil, size: Int = 3_000) {
        self.id = id
        self.serial = serial
        files = [
            ("/index.html", Array("<script src=/app.js></script>".utf8)),
            ("/app.js", Version.content(app ?? id, size)), ("/logo.png", Version.content("logo", 700)),
        ]
    }

    static func content(_ seed: String, _ size: Int) -> [UInt8] {
        var state = UInt64(FNV1a32.hash(of: seed))
        return (0..<size).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    var manifest: [UInt8] {
        let rows = files.map { file in
            """
            { "route": "\(file.route)", "size": \(file.bytes.count), \
            "sha256": "\(SHA256.hash(of: file.bytes).hex)"\(optional.contains(file.route) ? ", \"optional\": true" : "") }
            """
        }
        return Array(
            """
            { "format": "otalab-manifest-1", "app": "com.example.shop", "version": "\(id)",
              \(serial < 0 ? "" : "\"serial\": \(serial),")
              "index": "/index.html", \(native) \(extra) "files": [ \(rows.joined(separator: ",\n")) ] }
            """.utf8)
    }
}
