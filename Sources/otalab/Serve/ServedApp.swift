import AppHost
import Core
import DevelopmentHost
import DeviceShell
import Foundation
import LocalServer
import Updater

/// A real app host in this process, with a browser in the place of its web view.
///
/// VerificationSummary
/// - It sleeps when nothing happens; what it does is told as lines of text.
/// - ``stop()`` ends it in order; ``run()`` comes back then.
///
/// Makes no decision: words become events for the host, the host's effects become lines.
final class ServedApp: @unchecked Sendable {
    private let launch: AppHost.Launch
    private let loop: AppLoop
    private let log: ServeLog
    private let lock = NSLock()
    private var status = Status()
    private var nextCall: UInt32 = 1
    private var address: String?

    /// - Throws: ``AppLoopError`` or a `DiskError`.
    init(_ launch: AppHost.Launch, _ mocks: MockBook, _ state: StateFolder, _ log: ServeLog) throws {
        self.launch = launch
        self.log = log
        let disk = try PosixDisk(data: state.path("data"), package: state.path("package"))
        let relay = Relay()
        loop = try AppLoop(
            disk, DevelopmentHost(mocks: mocks), secure: SecureOrigin.made(log),
            upstream: SecureOrigin.upstream(log)
        ) {
            relay.app?.take($0)
        }
        relay.app = self
    }

    /// The loop's way back to who made it.
    private final class Relay {
        weak var app: ServedApp?
    }

    var port: UInt16 { launch.port ?? 0 }

    // MARK: - Its life

    /// Until it is stopped, on the calling thread.
    func run() throws { try loop.run(launch) }

    func tell(_ event: AppHost.Event) { loop.door.tell(event) }

    func stop() { loop.door.stop() }

    /// The page in front is asked to load itself anew, as a native button would.
    func reloadPage() {
        let call = lock.withLock {
            defer { nextCall += 1 }
            return AppHost.CallID(nextCall)
        }
        tell(.webView(.first, .navigating(.reload, url: "")))
        tell(.askPage(call, .first, method: "reload", params: Array("null".utf8)))
    }

    // MARK: - What it tells

    var statusLine: String { lock.withLock { ServedApp.words(status) } }

    private func take(_ effect: AppHost.Effect) {
        switch effect {
        case .load(_, let url): opened(url)
        case .screen(let screen): log.tell("screen", words(screen))
        case .status(let new):
            let isNew = lock.withLock {
                defer { status = new }
                return new != status
            }
            if isNew { log.tell("status", ServedApp.words(new)) }
        case .log(let entry):
            let words = [entry.cause.rawValue, entry.version ?? "", entry.detail].filter { !$0.isEmpty }
            log.tell("updater", words.joined(separator: "  "))
        case .pageLoad(let view, let token, let version):
            let name = view == .first ? "" : "  in web view \(view.number)"
            log.tell("page", "load \(token.text.prefix(8)) gets \(version.id)\(name)")
        case .answered(let answer):
            log.detail("server", ServedApp.words(answer))
        case .message(_, _, let bytes):
            log.tell("page", "does not listen: " + String(decoding: bytes.prefix(200), as: UTF8.self))
        case .pageAnswered(_, let result):
            if result == nil { log.tell("page", "none listens: reload it in the browser") }
        case .report(let text): log.text(text)
        case .openLink(_, let url): log.tell("link", "native code takes \(url)")
        case .again, .setTimer, .cancelTimer, .fetch, .cancelFetch, .listen, .stopListening, .send, .close,
            .admitted, .hear, .upstream, .pageAsks, .handlerAsked, .pageTraffic:
            break
        }
    }

    /// The first address is for a person; later ones the page is told, and opens them itself.
    private func opened(_ url: String) {
        let isFirst = lock.withLock {
            defer { address = url }
            return address == nil
        }
        if isFirst {
            log.text("\nOpen  \(url)\n")
        } else {
            log.tell("page", "is to load anew; without otalab.js in it open \(url)")
        }
    }

    private func words(_ screen: AppHost.Screen) -> String {
        switch screen {
        case .page: "the page"
        case .cover: "the cover, until the page shows content"
        case .loading(nil): "loading"
        case .loading(let progress?):
            "loading  "
                + ServedApp.share(
                    (progress.filesDone, progress.files), (progress.bytesDone, progress.bytes))
        case .offline: "offline: nothing to show yet  (retry, report)"
        case .recovery: "recovery: no version starts by itself  (try, check, report)"
        case .portTaken:
            "port \(port) is taken; it is tried again until it is free  (stop who holds it, or give --port: "
                + "cookies and local storage stay with the old one)"
        }
    }

    private static func share(_ files: (done: Int, all: Int), _ bytes: (done: Int, all: Int?)) -> String {
        let words = "\(files.done) of \(files.all) files"
        guard let all = bytes.all, all > 0 else { return words }
        return "\(bytes.done * 100 / all) %, \(words)"
    }

    private static func words(_ answer: LocalServer.Answer) -> String {
        let site = answer.site.map { "  \($0.prefix { $0 != "#" })" } ?? ""
        return "\(answer.status) \(answer.method) \(answer.target)\(site)"
    }

    static func words(_ status: Status) -> String {
        var words = ["current \(status.current?.id ?? "none")"]
        if let pending = status.pending {
            words.append("pending \(pending.id)" + (status.pendingWaits ? " (its second chance)" : ""))
        }
        if let key = status.downloading { words.append("downloading \(key.id)") }
        if let key = status.lastKnownGood { words.append("last known good \(key.id)") }
        if let key = status.embedded { words.append("embedded \(key.id)") }
        for (name, keys) in [("parked", status.parked), ("blacklist", status.blacklist)] where !keys.isEmpty {
            words.append(name + " " + keys.map(\.id).joined(separator: " "))
        }
        return words.joined(separator: "  ")
    }
}
