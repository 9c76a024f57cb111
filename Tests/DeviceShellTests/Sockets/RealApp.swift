import AppHost
import Core
import Foundation
import LocalServer
import Synchronization
import Updater

@testable import DeviceShell

/// An app in temporary folders, run by a real loop on a separate thread.
final class RealApp: Sendable {
    let port: UInt16
    let folder: URL
    private let effects = Mutex<[AppHost.Effect]>([])
    private let running = Mutex<Running?>(nil)
    /// Microseconds for which the loop's thread stops when it carries out a report.
    private let pause = Mutex<UInt32>(0)

    /// The loop belongs to its thread; when that ends, so do its disk and the lock on the store.
    private final class Running: @unchecked Sendable {
        let inbox: Inbox
        var loop: AppLoop?
        let isOver = DispatchSemaphore(value: 0)

        init(_ loop: AppLoop) {
            inbox = loop.eventInbox
            self.loop = loop
        }

        func run(_ launch: AppHost.Launch) {
            do { try loop?.run(launch) } catch { print("the loop failed: \(error)") }
            loop = nil
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// - Parameter embeds: route and bytes of the version in the package; none: no embedded version.
    init(embeds files: [(route: String, bytes: [UInt8])]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-app-\(UUID().uuidString)")
        for name in ["state", "package/web"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        port = try RealApp.freePort()
        guard !files.isEmpty else { return }
        let web = folder.appendingPathComponent("package/web")
        for file in files {
            let place = web.appendingPathComponent(String(file.route.dropFirst()))
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.bytes).write(to: place)
        }
        try Data(RealApp.manifest("v1", serial: 1, files).utf8).write(
            to: web.appendingPathComponent("manifest.json"))
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    static func freePort() throws -> UInt16 {
        let descriptor = try SocketCalls.listen(at: .version4, port: 0)
        defer { SocketCalls.close(descriptor) }
        return try SocketCalls.port(of: descriptor)
    }

    /// A manifest of the own dialect.
    static func manifest(_ version: String, serial: Int, _ files: [(route: String, bytes: [UInt8])]) -> String
    {
        let rows = files.map { file in
            #"{"route":"\#(file.route)","size":\#(file.bytes.count),"sha256":"\#(SHA256.hash(of: file.bytes).hex)"}"#
        }
        return """
            {"format":"otalab-manifest-1","app":"com.example.real","version":"\(version)","serial":\(serial),
            "index":"/index.html","files":[\(rows.joined(separator: ","))]}
            """
    }

    /// What the app starts with.
    func launchValue(
        origin: String = "http://127.0.0.1:9/manifest.json",
        limits: LocalServer.Limits = LocalServer.Limits()
    ) throws -> AppHost.Launch {
        guard let native = NativeBuild("1.0") else { throw Failure(description: "no build") }
        var settings = UpdaterSettings(app: "com.example.real", origin: origin)
        settings.limits.reserveBytes = 0
        var updater = Updater.Launch(
            settings: settings, native: native, platform: "ios", entropy: (0..<32).map { UInt8($0) + 1 })
        let web = folder.appendingPathComponent("package/web/manifest.json")
        if FileManager.default.fileExists(atPath: web.path) {
            let root = DiskPath(.package, "web")
            updater.embedded = EmbeddedSource(dialect: .own, manifest: root / "manifest.json", root: root)
        }
        return AppHost.Launch(updater: updater, port: port, limits: limits)
    }

    func disk() throws(DiskError) -> PosixDisk {
        try PosixDisk(
            data: folder.appendingPathComponent("state").path,
            package: folder.appendingPathComponent("package").path)
    }

    func launch(
        origin: String = "http://127.0.0.1:9/manifest.json",
        limits: LocalServer.Limits = LocalServer.Limits(), upstream: (any AppLoop.UpstreamTransport)? = nil,
        _ set: (inout AppHost.Launch) -> Void = { _ in }
    ) throws {
        var whole = try launchValue(origin: origin, limits: limits)
        set(&whole)
        let launch = whole
        let loop = try AppLoop(disk(), secureUpstream: upstream) { [weak self] effect in
            self?.effects.withLock { $0.append(effect) }
            if case .report = effect, let pause = self?.pause.withLock({ $0 }), pause > 0 { usleep(pause) }
        }
        let running = Running(loop)
        self.running.withLock { $0 = running }
        Thread.detachNewThread {
            running.run(launch)
            running.isOver.signal()
        }
    }

    var inbox: Inbox? { running.withLock { $0?.inbox } }

    /// Stops the loop's thread for a time, as the system does with a process that it freezes.
    func freeze(milliseconds: UInt32) {
        pause.withLock { $0 = milliseconds * 1_000 }
        inbox?.enqueue(.user(.sendReport))
    }

    /// Read from another thread: only for a loop that sleeps.
    var turns: Int { running.withLock { $0?.loop?.turns ?? 0 } }

    /// - Returns: false when it did not end within 5 s.
    @discardableResult
    func stop() -> Bool {
        guard
            let running = running.withLock({ value in
                defer { value = nil }; return value
            })
        else { return true }
        running.inbox.stop()
        return running.isOver.wait(timeout: .now() + 5) == .success && isStoreFree
    }

    /// Waits until nothing holds the store's lock. A program that another test starts at this moment inherits
    /// the lock's descriptor, and has it until its `exec` closes it.
    private var isStoreFree: Bool {
        for _ in 0..<500 {
            do throws(DiskError) {
                // The disk gives the lock back when it goes.
                _ = try disk().lock(StorePaths.lock)
                return true
            } catch {
                if error.code != .locked { return true }
            }
            usleep(10_000)
        }
        return false
    }

    /// Waits for the first matching effect of the loop.
    func effect<Value>(_ what: String, _ fits: (AppHost.Effect) -> Value?) throws -> Value {
        for _ in 0..<1_000 {
            let all = effects.withLock { $0 }
            if let value = all.lazy.compactMap(fits).first { return value }
            usleep(10_000)
        }
        throw Failure(description: "\(what) did not come within 10 s")
    }

    func forgetEffects() { effects.withLock { $0 = [] } }

    /// Path and query of the start URL.
    func startTarget() throws -> String {
        let url = try effect("a start URL") { if case .load(_, let url) = $0 { url } else { nil } }
        return String(url.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.drop { $0 != "/" })
    }

    func logged(_ cause: LogCause) throws -> LogEntry {
        try effect("the log entry \(cause.rawValue)") { effect in
            if case .log(let entry) = effect, entry.cause == cause { entry } else { nil }
        }
    }

    func request(_ target: String, _ method: String = "GET", cookie: String? = nil, more: String = "")
        -> String
    {
        "\(method) \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
            + (cookie.map { "Cookie: \($0)\r\n" } ?? "") + more + "\r\n"
    }

    /// Follows the start URL as a browser does.
    /// - Returns: the cookies, and the document.
    func start() throws -> (cookie: String, document: RawClient.Answer, target: String) {
        // The socket is open when the host requests the page.
        let begin = try startTarget()
        let client = try RawClient(port: port)
        client.say(request(begin, more: "Sec-Fetch-Mode: navigate\r\nAccept: text/html\r\n"))
        guard let first = try client.answer(), first.status == 307, var target = first.field("Location"),
            let key = first.field("Set-Cookie")?.split(separator: ";").first
        else { throw Failure(description: "no redirect to the document") }
        func navigate() throws -> RawClient.Answer {
            client.say(
                request(
                    target, cookie: String(key), more: "Sec-Fetch-Mode: navigate\r\nAccept: text/html\r\n"))
            guard let answer = try client.answer() else { throw Failure(description: "no document") }
            return answer
        }
        var document = try navigate()
        // The address names a load that has ended, because its document was never shown: it gets a new one.
        if document.status == 307, let next = document.field("Location") {
            target = next
            document = try navigate()
        }
        let load = document.field("Set-Cookie")?.split(separator: ";").first ?? ""
        return ("\(key); \(load)", document, target)
    }
}
