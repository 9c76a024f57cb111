import AppHost
import Core
import Foundation
import LocalServer
import OTAHost
import Synchronization
import Updater

/// What a served app shows: lines in a terminal, in place of a phone's screens.
final class ServedShell: HybridAppDelegate {
    private let logLines: ServeLog
    private let port: UInt16
    private let state = Mutex(State())

    private struct State {
        var status = UpdaterStatus()
        var hasOpened = false
    }

    init(_ log: ServeLog, port: UInt16) {
        logLines = log
        self.port = port
    }

    var statusLine: String { ServedShell.text(state.withLock { $0.status }) }

    // MARK: - The delegate

    func show(_ screen: AppHost.Screen) { logLines.log("screen", text(screen)) }

    func deliver(_ message: [UInt8], to load: PageLoadToken, in view: WebViewID) {
        logLines.log("page", "does not listen: " + String(decoding: message.prefix(200), as: UTF8.self))
    }

    func log(_ entry: LogEntry) {
        let parts = [entry.cause.rawValue, entry.version ?? "", entry.detail].filter { !$0.isEmpty }
        logLines.log("updater", parts.joined(separator: "  "))
    }

    func note(_ text: String) { logLines.log("disk", text) }

    func statusChanged(_ status: UpdaterStatus) {
        let isNew = state.withLock { state in
            defer { state.status = status }
            return status != state.status
        }
        if isNew { logLines.log("status", ServedShell.text(status)) }
    }

    func pageLoadBegan(_ load: PageLoadToken, of version: VersionKey, in view: WebViewID) {
        let name = view == .first ? "" : "  in web view \(view.rawValue)"
        logLines.log("page", "load \(load.text.prefix(8)) gets \(version.id)\(name)")
    }

    func answered(_ entry: LocalServer.AccessLogEntry) { logLines.detail("server", ServedShell.text(entry)) }

    func report(_ text: String) { logLines.print(text) }

    func openLink(_ url: String, in view: WebViewID) { logLines.log("link", "native code handles \(url)") }

    func environmentSwitched(to environment: AppHost.Environment) {
        let remote = environment.remote.map { "\($0)" } ?? "none"
        logLines.log(
            "page",
            "switches to origin \(environment.origin), channel \(environment.channel), API \(remote), "
                + "for this process")
    }

    /// What became of a call of the page.
    func pageAnswered(_ result: [UInt8]?) {
        if result == nil { logLines.log("page", "no page listens: reload it in the browser") }
    }

    /// Prints the first address for the user; the page is notified of later ones and opens them.
    func load(_ url: String, in view: WebViewID) {
        let isFirst = state.withLock { state in
            defer { state.hasOpened = true }
            return !state.hasOpened
        }
        if isFirst {
            logLines.print("\nOpen  \(url)\n")
        } else {
            logLines.log("page", "has to reload; if it has no otalab.js, open \(url)")
        }
    }

    // MARK: - Texts

    private func text(_ screen: AppHost.Screen) -> String {
        switch screen {
        case .page: "the page"
        case .cover: "the cover, until the page shows content"
        case .loading(nil): "loading"
        case .loading(let progress?):
            "loading  "
                + ServedShell.share(
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
