import Authoring
import Core
import DevelopmentHost
import Foundation
import HTTP1
import LocalServer
import Runner
import ScenarioLanguage
import Search

/// Routes, remote root and mock handlers of a served app, from files and flags.
///
/// Routes of `--route` come before those of `--routes`. A remote root without routes answers `/api/**`,
/// WebSockets included. Folders are read at the start of the call and copied into the installed package, as a
/// store installs an app's files.
///
/// Throws ``UsageError``, or ``SettingsError`` with the position in a file.
struct ServedRoutes {
    private(set) var remote: RemoteRoot?
    private(set) var table = RouteTable()
    private(set) var mocks = MockHandlers()
    /// Files to copy, with their paths in the package.
    private var copies: [FolderFiles.File] = []

    init(_ arguments: Arguments) throws {
        var file = RouteFile()
        if let path = arguments.text("--routes") {
            file = try ServedRoutes.read(path) { (bytes) throws(JSONFault) in try RouteFile.read(bytes) }
        }
        if let path = arguments.text("--mocks") {
            mocks = try ServedRoutes.read(path) { (bytes) throws(JSONFault) in try MockFile.read(bytes) }
        }
        let routes = try arguments.texts("--route").map { try ServedRoutes.route($0) } + file.entries
        remote = try ServedRoutes.remote(arguments.text("--remote")) ?? file.remote
        guard remote?.isSecure != true || SecureOrigin.isAvailable else {
            throw UsageError(
                message: "the remote root can't be reached over https: this build does not support it",
                help: SecureOrigin.remoteHelp)
        }
        for route in routes { table.entries.append(try served(route)) }
        if routes.isEmpty, remote != nil, let route = RouteEntry.remote("/api/**", upgrades: true) {
            table.entries = [route]
        }
    }

    /// Lines that are printed before the app starts.
    var lines: [String] {
        let root = remote.map { "\($0)" } ?? "no remote root yet: 502"
        let routes = table.entries.map { route in
            let target =
                switch route.target {
                case .site: "the page"
                case .file: "files, or 404"
                case .handler(let name): "native code: \(name)"
                case .remote(let upgrades): root + (upgrades ? ", WebSockets too" : "")
                case .folder(let site, let age):
                    "\(site.files.count) files, for \(age.microseconds / 1_000_000) s"
                }
            return "route  \(ServedRoutes.text(route.methods, route.pattern))  \(target)"
        }
        let handlers = mocks.handlers.map { handler in
            let pattern = ServedRoutes.text(handler.methods, handler.pattern)
            return "mock   \(pattern)  \(handler.name)\(handler.isOn ? "" : ", off")"
        }
        return handlers + routes
    }

    private static func text(_ methods: [RequestMethod], _ pattern: RoutePattern) -> String {
        methods.isEmpty ? pattern.text : methods.map(\.name).joined(separator: " ") + " " + pattern.text
    }

    /// - Parameter package: the folder of the installed package.
    func install(at package: URL) throws {
        for copy in copies { try copy.write(below: package) }
    }

    // MARK: - Routes

    private static func route(_ text: String) throws(UsageError) -> RouteFile.Entry {
        guard let route = RouteFile.Entry(text: text) else {
            throw UsageError(
                message: "--route can't be '\(text)'",
                help: "write PATTERN=remote, =remote+upgrades, =site, =file or =folder:DIR: '/api/**=remote'")
        }
        return route
    }

    private static func remote(_ text: String?) throws(UsageError) -> RemoteRoot? {
        guard let text else { return nil }
        do {
            return try RemoteRoot(text)
        } catch {
            throw UsageError(
                message: "--remote can't be '\(text)': \(error.rawValue)",
                help: "write http://HOST:PORT/BASE or https://HOST/BASE"
            )
        }
    }

    private mutating func served(_ route: RouteFile.Entry) throws -> RouteEntry {
        switch route.target {
        case .site: RouteEntry(route.pattern, methods: route.methods, .site)
        case .file: RouteEntry(route.pattern, methods: route.methods, .file)
        case .remote(let upgrades):
            RouteEntry(route.pattern, methods: route.methods, .remote(upgrades: upgrades))
        case .folder(let name, let age):
            RouteEntry(
                route.pattern, methods: route.methods, .folder(try folder(name, route.pattern), age: age))
        }
    }

    private mutating func folder(_ name: String, _ pattern: RoutePattern) throws -> Site {
        let prefix = "folders/\(table.entries.count)"
        var site = Site(name: prefix, index: "", files: [])
        for file in try FolderFiles.read(name, "--route and --routes") {
            copies.append(FolderFiles.File(path: prefix + "/" + file.path, bytes: file.bytes))
            site.files.append(
                ServedFile(
                    route: pattern.base + "/" + file.path, path: DiskPath(.package, prefix + "/" + file.path),
                    size: file.bytes.count, tag: SHA256.hash(of: file.bytes).hex))
        }
        site.files.sort { TextBytes.precedes($0.route, $1.route) }
        return site
    }

    // MARK: - Files

    private static func read<Value>(
        _ path: String, _ take: ([UInt8]) throws(JSONFault) -> Value
    ) throws -> Value {
        switch FileReading.bytes(at: path) {
        case .failure(let fault):
            throw UsageError(message: "\(path): \(fault.why)", help: fault.help ?? "name a file")
        case .success(let bytes):
            do throws(JSONFault) {
                return try take(bytes)
            } catch {
                throw SettingsError(
                    diagnostics: [Diagnostic(syntax: error, in: SourceFile(path: path, bytes: bytes))])
            }
        }
    }
}
