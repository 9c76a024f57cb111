import Authoring
import Core
import DevelopmentHost
import Foundation
import HTTP1
import LocalServer
import Runner
import ScenarioLanguage
import Search

/// Who answers which path of a served app: routes, remote root and mock handlers, from files and flags.
///
/// Rows of `--route` come before those of `--routes`. A remote root alone takes `/api/**`, WebSockets
/// included. Folders are copied into the installed package, as a store brings an app's files: a copy, read as
/// the call begins.
///
/// What can go wrong: a ``UsageError``, or a ``SettingsError`` that shows the place in a file.
struct ServedRoutes {
    private(set) var remote: RemoteRoot?
    private(set) var table = RouteTable()
    private(set) var mocks = MockBook()
    /// By their paths in the package.
    private var copies: [FolderFiles.File] = []

    init(_ arguments: Arguments) throws {
        var file = RouteFile()
        if let path = arguments.text("--routes") {
            file = try ServedRoutes.read(path) { (bytes) throws(JSONFault) in try RouteFile.read(bytes) }
        }
        if let path = arguments.text("--mocks") {
            mocks = try ServedRoutes.read(path) { (bytes) throws(JSONFault) in try MockFile.read(bytes) }
        }
        let rows = try arguments.texts("--route").map { try ServedRoutes.row($0) } + file.rows
        remote = try ServedRoutes.remote(arguments.text("--remote")) ?? file.remote
        guard remote?.isSecure != true || SecureOrigin.isThere else {
            throw UsageError(
                message: "the remote root can't be reached over https: this build cannot speak it",
                help: SecureOrigin.remoteHelp)
        }
        for row in rows { table.rows.append(try served(row)) }
        if rows.isEmpty, remote != nil, let row = RouteRow.remote("/api/**", upgrades: true) {
            table.rows = [row]
        }
    }

    /// What is told before the app begins.
    var lines: [String] {
        let root = remote.map { "\($0)" } ?? "no remote root yet: 502"
        let rows = table.rows.map { row in
            let who =
                switch row.target {
                case .site: "the page"
                case .file: "files, or 404"
                case .handler(let name): "native code: \(name)"
                case .remote(let upgrades): root + (upgrades ? ", WebSockets too" : "")
                case .folder(let site, let age):
                    "\(site.files.count) files, for \(age.microseconds / 1_000_000) s"
                }
            return "route  \(ServedRoutes.words(row.methods, row.pattern))  \(who)"
        }
        let handlers = mocks.handlers.map { handler in
            let words = ServedRoutes.words(handler.methods, handler.pattern)
            return "mock   \(words)  \(handler.name)\(handler.isOn ? "" : ", off")"
        }
        return handlers + rows
    }

    private static func words(_ methods: [RequestMethod], _ pattern: RoutePattern) -> String {
        methods.isEmpty ? pattern.text : methods.map(\.name).joined(separator: " ") + " " + pattern.text
    }

    /// - Parameter package: the installed one's folder.
    func install(at package: URL) throws {
        for copy in copies { try copy.write(below: package) }
    }

    // MARK: - Rows

    private static func row(_ text: String) throws(UsageError) -> RouteFile.Row {
        guard let row = RouteFile.Row(text: text) else {
            throw UsageError(
                message: "--route can't be '\(text)'",
                help: "write PATTERN=remote, =remote+upgrades, =site, =file or =folder:DIR: '/api/**=remote'")
        }
        return row
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

    private mutating func served(_ row: RouteFile.Row) throws -> RouteRow {
        switch row.target {
        case .site: RouteRow(row.pattern, methods: row.methods, .site)
        case .file: RouteRow(row.pattern, methods: row.methods, .file)
        case .remote(let upgrades): RouteRow(row.pattern, methods: row.methods, .remote(upgrades: upgrades))
        case .folder(let name, let age):
            RouteRow(row.pattern, methods: row.methods, .folder(try folder(name, row.pattern), age: age))
        }
    }

    private mutating func folder(_ name: String, _ pattern: RoutePattern) throws -> Site {
        let home = "folders/\(table.rows.count)"
        var site = Site(name: home, index: "", files: [])
        for file in try FolderFiles.read(name, "--route and --routes") {
            copies.append(FolderFiles.File(path: home + "/" + file.path, bytes: file.bytes))
            site.files.append(
                SiteFile(
                    route: pattern.base + "/" + file.path, path: DiskPath(.package, home + "/" + file.path),
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
