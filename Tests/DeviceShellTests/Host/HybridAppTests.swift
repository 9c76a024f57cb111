import AppHost
import Core
import Foundation
import HTTP1
import Synchronization
import Testing
import Updater

@testable import DeviceShell
@testable import OTAHost

@Suite("One type to begin with: an app's web content on a real disk and a real port", .serialized)
struct HybridAppTests {
    private static let manifest = """
        {"format": "otalab-manifest-1", "app": "com.example.hybrid", "version": "1.0", "index": "/index.html",
         "files": [{"route": "/index.html", "size": 4,
           "sha256": "\(SHA256.hash(of: Array("<p>1".utf8)).hex)"}]}
        """

    /// A folder of its own, removed at the end.
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("hybrid-\(UUID().uuidString)")

        var package: String { url.appendingPathComponent("package").path }
        var state: String { url.appendingPathComponent("deep/down/state").path }

        func write(_ name: String, _ text: String) throws {
            let file = url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        deinit { do { try FileManager.default.removeItem(at: url) } catch {} }
    }

    /// Remembers what the app asked of its shell.
    final class Shell: HybridAppDelegate {
        private let seen = Mutex<[String]>([])

        func load(_ url: String, in view: WebViewID) { add("load \(url)") }
        func show(_ screen: AppHost.Screen) { add("screen \(screen)") }
        func deliver(_ message: [UInt8], to load: PageLoadToken, in view: WebViewID) { add("message") }
        func statusChanged(_ status: UpdaterStatus) { add("status \(status.current?.id ?? "none")") }
        func log(_ entry: LogEntry) { add("log \(entry.cause.rawValue)") }
        func add(_ line: String) { seen.withLock { $0.append(line) } }

        /// The first line that begins so, within 20 s.
        func line(_ beginning: String) throws -> String {
            for _ in 0..<2_000 {
                if let line = seen.withLock({ $0.first { $0.hasPrefix(beginning) } }) { return line }
                usleep(10_000)
            }
            throw Missing(line: beginning, seen: seen.withLock { $0 })
        }
    }

    struct Missing: Error {
        var line: String
        var seen: [String]
    }

    private static func settings() -> UpdaterSettings {
        var settings = UpdaterSettings(app: "com.example.hybrid", origin: "http://127.0.0.1:9/manifest.json")
        settings.updates = .never
        return settings
    }

    private static func app(
        _ folder: Folder, _ state: StateFolder, _ shell: Shell, build: String = "1.0"
    ) throws(StartError) -> HybridApp {
        try HybridApp(
            settings(), build: build, package: AppPackage(folder.package), state: state, delegate: shell)
    }

    @Test("It shows the embedded version, answers for it, and a call of a page that is not there is answered")
    func shows() throws {
        let folder = Folder()
        try folder.write("package/manifest.json", Self.manifest)
        try folder.write("package/web/index.html", "<p>1")
        try folder.write("package/www/otalab.js", "// bridge")
        let shell = Shell()
        let state = try StateFolder(folder.state)
        let app = try Self.app(folder, state, shell)
        let ended = DispatchSemaphore(value: 0)
        try app.start { error in
            shell.add("ended \(error.map { "\($0)" } ?? "in order")")
            ended.signal()
        }
        let url = String(try shell.line("load http").dropFirst("load ".count))
        #expect(try PageClient(try #require(URL(string: url))).document == "<p>1")
        #expect(try shell.line("status") == "status 1.0")
        app.callPage("reload") { shell.add("answer \($0 == nil)") }
        #expect(try shell.line("answer") == "answer true")
        app.stop()
        #expect(ended.wait(timeout: .now() + 20) == .success)
        #expect(try shell.line("ended") == "ended in order")
        app.callPage("reload") { shell.add("late \($0 == nil)") }
        #expect(try shell.line("late") == "late true")
    }

    @Test("What is not there, or in use, is an error with its place before anything runs")
    func refusals() throws {
        let folder = Folder()
        try folder.write("file", "")
        do {
            _ = try StateFolder(folder.url.appendingPathComponent("file").path)
            Issue.record("a file was taken for a folder")
        } catch {
            guard case .stateFolder = error else { throw error }
        }
        let state = try StateFolder(folder.state)
        #expect(throws: StartError.stateFolderInUse(folder.state)) { try StateFolder(folder.state) }
        do {
            _ = try Self.app(folder, state, Shell())
            Issue.record("a package that is not there was opened")
        } catch {
            guard case .package(folder.package, let error) = error, error.code == .notFound else {
                throw error
            }
        }
        try folder.write("package/web/index.html", "<p>1")
        #expect(throws: StartError.noManifest(folder.package + "/manifest.json")) {
            try Self.app(folder, state, Shell())
        }
        try folder.write("package/manifest.json", Self.manifest)
        #expect(throws: StartError.buildNumber("five")) {
            try Self.app(folder, state, Shell(), build: "five")
        }
    }

    @Test("A package from an archive is installed into the state folder, once for each build")
    func installs() throws {
        let folder = Folder()
        let state = try StateFolder(folder.state)
        var reads = 0
        for build in ["1", "1", "2"] {
            try state.install(["manifest.json", "web/index.html"], build: build) { path in
                reads += 1
                return path == "manifest.json" ? Array(Self.manifest.utf8) : Array("<p>1".utf8)
            }
        }
        #expect(reads == 4)
        let shell = Shell()
        let app = try HybridApp(
            Self.settings(), build: "2", package: AppPackage(state.package), state: state, delegate: shell)
        try app.start()
        let url = String(try shell.line("load http").dropFirst("load ".count))
        #expect(try PageClient(try #require(URL(string: url))).document == "<p>1")
        app.stop()
    }
}
