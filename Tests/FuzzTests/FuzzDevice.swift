import Core
import HTTP1
import World

@testable import Updater

/// A device for bytes from outside: an updater with an embedded version, a store that holds whatever it is
/// given, and an origin that answers whatever it is given. Every step must be a bounded one, every launch
/// must show a version, and the work must end.
struct FuzzDevice {
    private var updater = Updater()
    private(set) var disk = SimulatedDisk()
    private var now = Instant.zero
    private var launches: UInt8 = 0
    private var served: [PageLoadToken: ServedVersion?] = [:]
    private var timers: [(name: Updater.TimerName, at: Instant)] = []
    private(set) var pending: VersionKey?
    /// Raw answers of the origin, one for each request in turn; behind the last nobody answers.
    private var answers: [[UInt8]]
    private var unread: [OriginRequest] = []

    private static let index = Array("<p>embedded</p>".utf8)
    /// More events than any store of this size needs.
    private static let mostSteps = 20_000

    init(answers: [[UInt8]] = []) throws {
        self.answers = answers
        let manifest = """
            {"format":"otalab-manifest-1","app":"com.example.shop","version":"v1","serial":1,\
            "index":"/index.html","files":[{"route":"/index.html","size":\(FuzzDevice.index.count),\
            "sha256":"\(SHA256.hash(of: FuzzDevice.index).hex)"}]}
            """
        try disk.mountPackage(files: [
            ("web/manifest.json", Array(manifest.utf8)), ("web/index.html", FuzzDevice.index),
        ])
    }

    mutating func place(_ path: DiskPath, _ bytes: [UInt8]) throws { try disk.place(path, bytes) }

    /// Starts a process, loads its first page, checks, lets some time pass, and ends it.
    mutating func live() throws {
        launches += 1
        updater = Updater()
        timers = []
        var settings = UpdaterSettings(
            app: "com.example.shop", origin: "https://updates.example.com/app/manifest.json")
        settings.updates = .manual
        guard let build = NativeBuild("1.0") else { throw FuzzEntry.Broken("no native build") }
        var launch = Updater.Launch(
            settings: settings, native: build, platform: "ios",
            entropy: [UInt8](repeating: launches, count: 32))
        launch.embedded = EmbeddedSource(
            dialect: .own, manifest: DiskPath(.package, "web/manifest.json"), root: DiskPath(.package, "web"))
        launch.bootID = "boot-1"
        try send(.launched(launch))
        let token = PageLoadToken(UInt64(launches))
        try send(.pageLoadRequested(token, .processStart))
        guard let answer = served[token], answer != nil else {
            throw FuzzEntry.Broken("launch \(launches) shows nothing")
        }
        try send(.page(token, .indexServed))
        try send(.page(token, .committed))
        try send(.page(token, .confirmed))
        try send(.check(.user))
        for _ in 0..<12 { try fireNextTimer() }
        try checkRecord()
        disk.processEnded()
    }

    /// What the updater counts as written is read again by the next process.
    private func checkRecord() throws {
        let durable = updater.durable
        guard updater.store.phase == .running, durable.generation > 0 else { return }
        let isThere = [StorePaths.recordA, StorePaths.recordB].contains { path in
            guard let content = disk.content(of: path) else { return false }
            return RecordCoding.decode(content.read(at: 0, count: content.size)) == durable
        }
        if !isThere { throw FuzzEntry.Broken("the record \(durable.generation) can't be read again") }
    }

    private mutating func fireNextTimer() throws {
        guard let next = timers.min(by: { $0.at < $1.at }) else { return }
        timers.removeAll { $0.name == next.name }
        now = max(now, next.at)
        try send(.timer(next.name))
    }

    private mutating func send(_ event: Updater.Event) throws {
        var queue = [event]
        var steps = 0
        while !queue.isEmpty {
            steps += 1
            if steps > FuzzDevice.mostSteps { throw FuzzEntry.Broken("no end in sight") }
            disk.beginStep()
            let effects = updater.handle(queue.removeFirst(), at: now, disk: &disk)
            if !disk.stepCounts.isWithinBounds { throw FuzzEntry.Broken("a step of \(disk.stepCounts)") }
            for effect in effects { try carryOut(effect, &queue) }
        }
    }

    private mutating func carryOut(_ effect: Updater.Effect, _ queue: inout [Updater.Event]) throws {
        switch effect {
        case .again(let lane): queue.append(.again(lane))
        case .sync(let ticket, let target, _): queue.append(.synced(ticket, disk.sync(target)))
        case .setTimer(let name, let after):
            timers.removeAll { $0.name == name }
            timers.append((name, now + after))
        case .cancelTimer(let name): timers.removeAll { $0.name == name }
        case .fetch(let id, _):
            guard !answers.isEmpty else { return }
            queue += try FuzzDevice.read(answers.removeFirst()).map { .transfer(id, $0) }
        case .answerPageLoad(let token, let version): served[token] = version
        case .status(let status): pending = status.pending
        case .cancelFetch, .verifySignatures, .ready, .reload, .reloadOtherWebView, .screen, .notice,
            .switchAnswered, .current,
            .retired,
            .log:
            break
        }
    }

    /// As a shell would hand a connection's bytes over.
    static func read(_ bytes: [UInt8]) throws -> [TransferEvent] {
        var parser = ResponseParser(syntax: .tolerant)
        parser.expect(.get)
        var events = parser.feed(bytes)
        if let last = parser.close() { events.append(last) }
        var result: [TransferEvent] = []
        for event in events {
            switch event {
            case .interim: break
            case .head(let head, _):
                result.append(.head(status: head.status.code, fields: head.fields))
            case .body(let piece):
                for start in stride(from: 0, to: piece.count, by: 64 << 10) {
                    result.append(.bytes(Array(piece[start..<min(start + (64 << 10), piece.count)])))
                }
            case .end: return result + [.end]
            case .failure: return result + [.failed(.truncated)]
            }
        }
        return result + [.failed(.reset)]
    }
}
