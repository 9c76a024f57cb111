import AppHost
import Core
import DevelopmentHost
import DeviceShell
import Foundation
import LocalServer
import Updater

/// A real app host in this process, with a browser as its web view.
///
/// Guarantees: it sleeps when nothing happens, and logs what it does. ``stop()`` shuts it down; ``run()``
/// returns then.
///
/// Makes no decisions: console commands become events for the host, and the host's effects become log lines.
final class ServedApp: @unchecked Sendable {
    private let launch: AppHost.Launch
    /// Names of the mock handlers, in the order of their file.
    let mockNames: [String]
    private let loop: AppLoop
    private let log: ServeLog
    private let lock = NSLock()
    private var status = UpdaterStatus()
    private var nextCall: UInt32 = 1
    private var address: String?

    /// - Throws: ``AppLoopError`` or a `DiskError`.
    init(_ launch: AppHost.Launch, _ mocks: MockHandlers, _ state: StateFolder, _ log: ServeLog) throws {
        self.launch = launch
        mockNames = mocks.handlers.map(\.name)
        self.log = log
        let disk = try PosixDisk(data: state.path("data"), package: state.path("package"))
        do {
            try disk.excludeDataFromBackups()
        } catch {
            log.log("disk", "can't mark the state folder as one that backups leave out: \(error)")
        }
        let relay = Relay()
        loop = try AppLoop(
            disk, DevelopmentHost(mocks: mocks), secureOrigin: SecureOrigin.origin(log),
            secureUpstream: SecureOrigin.upstream(log)
        ) {
            relay.app?.handle($0)
        }
        relay.app = self
    }

    /// Forwards the loop's effects to its owner, which does not exist yet when the loop is created.
    private final class Relay {
        weak var app: ServedApp?
    }

    var port: UInt16 { launch.port ?? 0 }

    // MARK: - Lifecycle

    /// Runs on the calling thread until it is stopped.
    func run() throws { try loop.run(launch) }

    func send(_ event: AppHost.Event) { loop.eventInbox.enqueue(event) }

    func stop() { loop.eventInbox.stop() }

    /// Asks the page to reload itself, as a native button would.
    func reloadPage() {
        let call = lock.withLock {
            defer { nextCall += 1 }
            return AppHost.CallID(nextCall)
        }
        send(.webView(.first, .navigating(.reload, url: "")))
        send(.callPage(call, .first, method: "reload", params: Array("null".utf8)))
    }

    /// - Returns: whether there is a mock handler of this name.
    func switchMock(_ name: String, isOn: Bool) -> Bool {
        guard let index = mockNames.firstIndex(of: name) else { return false }
        send(DevelopmentHost.event(switchingMock: index, isOn: isOn))
        return true
    }

    // MARK: - Effects

    var statusLine: String { lock.withLock { ServedApp.text(status) } }

    private func handle(_ effect: AppHost.Effect) {
        switch effect {
        case .load(_, let url): opened(url)
        case .screen(let screen): log.log("screen", text(screen))
        case .status(let new):
            let isNew = lock.withLock {
                defer { status = new }
                return new != status
            }
            if isNew { log.log("status", ServedApp.text(new)) }
        case .log(let entry):
            let parts = [entry.cause.rawValue, entry.version ?? "", entry.detail].filter { !$0.isEmpty }
            log.log("updater", parts.joined(separator: "  "))
        case .pageLoad(let view, let token, let version):
            let name = view == .first ? "" : "  in web view \(view.rawValue)"
            log.log("page", "load \(token.text.prefix(8)) gets \(version.id)\(name)")
        case .answered(let answer):
            log.detail("server", ServedApp.text(answer))
        case .message(_, _, let bytes):
            log.log("page", "does not listen: " + String(decoding: bytes.prefix(200), as: UTF8.self))
        case .pageReturned(_, let result):
            if result == nil { log.log("page", "no page listens: reload it in the browser") }
        case .report(let text): log.print(text)
        case .openLink(_, let url): log.log("link", "native code handles \(url)")
        case .environmentSwitched(let new):
            let remote = new.remote.map { "\($0)" } ?? "none"
            log.log(
                "page",
                "switches to origin \(new.origin), channel \(new.channel), API \(remote), for this process")
        case .again, .sync, .setTimer, .cancelTimer, .fetch, .cancelFetch, .verifySignatures, .listen,
            .stopListening, .send,
            .close,
            .authenticated, .setReadInterest, .upstream, .nativeMethodCalled, .handlerRequested, .pageTraffic:
            break
        }
    }

    /// Prints the first address for the user; the page is notified of later ones and opens them.
    private func opened(_ url: String) {
        let isFirst = lock.withLock {
            defer { address = url }
            return address == nil
        }
        if isFirst {
            log.print("\nOpen  \(url)\n")
        } else {
            log.log("page", "has to reload; if it has no otalab.js, open \(url)")
        }
    }

    private func text(_ screen: AppHost.Screen) -> String {
        switch screen {
        case .page: "the page"
        case .cover: "the cover, until the page shows content"
        case .loading(nil): "loading"
        case .loading(let progress?):
            "loading  "
                + ServedApp.share(
                    (progress.filesDone, progress.files), (progress.bytesDone, progress.bytes))
        case .offline: "offline: nothing to show yet  (retry, report)"
        case .noSpace: "no space: free some, then retry  (retry, report)"
        case .recovery: "recovery: no version starts automatically  (try, check, report)"
        case .portTaken:
            "port \(port) is in use; retrying until it is free  (stop the process that uses it, or give --port: "
                + "cookies and local storage stay with the old one)"
        case .portFailed(let fault): "\(reason(fault)); trying again"
        }
    }

    private func reason(_ fault: AppHost.PortFault) -> String {
        switch fault {
        case .notAllowed:
            "this user may not listen on port \(port)  (give --port a number from 1024 on: cookies and local "
                + "storage stay with the old one)"
        case .noDescriptor:
            "port \(port) can't be opened: no file descriptor is left  (raise the limit with ulimit -n, or "
                + "stop programs that have many files open)"
        case .noMemory:
            "port \(port) can't be opened: the system has no memory for it  (stop other programs)"
        case .other(let number):
            "port \(port) can't be opened: \(String(cString: strerror(number)))  (give another one with --port: "
                + "cookies and local storage stay with the old one)"
        }
    }

    private static func share(_ files: (done: Int, all: Int), _ bytes: (done: Int, all: Int?)) -> String {
        let count = "\(files.done) of \(files.all) files"
        guard let all = bytes.all, all > 0 else { return count }
        return "\(bytes.done * 100 / all) %, \(count)"
    }

    private static func text(_ answer: LocalServer.AccessLogEntry) -> String {
        let site = answer.site.map { "  \($0.prefix { $0 != "#" })" } ?? ""
        return "\(answer.status) \(answer.method) \(answer.target)\(site)"
    }

    static func text(_ status: UpdaterStatus) -> String {
        let since = status.currentSince.map { " since \(ISODate.text($0))" } ?? ""
        var parts = ["current \(status.current?.id ?? "none")\(since)"]
        if let pending = status.pending {
            parts.append("pending \(pending.id)" + (status.pendingWaits ? " (its second chance)" : ""))
        }
        if let key = status.downloading { parts.append("downloading \(key.id)") }
        if let key = status.lastKnownGood { parts.append("last known good \(key.id)") }
        if let key = status.embedded { parts.append("embedded \(key.id)") }
        for (name, keys) in [("parked", status.parked), ("blacklist", status.blacklist)] where !keys.isEmpty {
            parts.append(name + " " + keys.map(\.id).joined(separator: " "))
        }
        return parts.joined(separator: "  ")
    }
}
