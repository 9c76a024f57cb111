import AppHost
import Core
import DevelopmentHost
import DeviceShell
import Foundation
import Live
import OTAHost
import Updater

/// The launch of a served app, from the command line and the state folder. Installs the package, and records
/// app id and port in the state folder.
struct AppPlan {
    let launch: AppHost.Launch
    let mocks: MockHandlers
    /// Lines that are printed before the app starts.
    let opening: [String]

    init(_ arguments: Arguments, _ state: ServedFolder) throws {
        let dialect: ManifestDialect = try AppPlan.value(arguments, "--dialect", .own)
        let updates: UpdatePolicy = try AppPlan.value(arguments, "--updates", .automatic)
        let requested = arguments.text("--app") ?? state.app
        guard arguments.has("--package") || arguments.has("--origin") else {
            throw UsageError(
                message: "there is nothing to show",
                help: "name a web build with --package DIR, an origin with --origin URL, or both")
        }
        guard arguments.has("--package") || updates != .never else {
            throw UsageError(
                message: "there is nothing to show: no package, and --updates never brings none",
                help: "name a web build with --package DIR, or leave --updates out")
        }
        let package = try InstalledPackage(
            arguments.text("--package"), www: arguments.text("--www"), app: requested, dialect: dialect)
        let declared = package.table?.metadata.app ?? ""
        guard let app = requested ?? (declared.isEmpty ? nil : declared), !app.isEmpty else {
            throw UsageError(
                message: "the app has no id", help: "give it one with --app, such as --app com.example.shop")
        }
        guard declared.isEmpty || declared == app else {
            throw UsageError(
                message: "the package belongs to the app '\(declared)', not to '\(app)'",
                help: "name that one with --app, or another package")
        }
        let previous = state.port
        let port = try AppPlan.port(arguments, previous, app)
        let routes = try ServedRoutes(arguments)
        try state.record(app: app, port: port)
        let installed = URL(fileURLWithPath: state.package)
        try package.install(at: installed)
        try routes.install(at: installed)
        let origin = try arguments.text("--origin").map { try AppPlan.origin($0, dialect) }
        var settings = UpdaterSettings(app: app, origin: origin ?? "http://127.0.0.1/manifest.json")
        settings.dialect = dialect
        settings.updates = origin == nil ? .never : updates
        settings.confirmation = try AppPlan.value(arguments, "--confirm", .called)
        settings.channel = arguments.text("--channel") ?? settings.channel
        settings.user = arguments.text("--user")
        let keys = try PublicKeyFile.read(arguments.texts("--key"))
        // Without the flag the app takes what is not signed.
        settings.keys = keys.isEmpty ? nil : keys
        settings.startupTimeout = try AppPlan.time(arguments, "--startup-timeout") ?? settings.startupTimeout
        var launch = try AppPlan.launch(arguments, settings, package, port)
        launch.routes = routes.table
        launch.remote = routes.remote
        self.launch = launch
        mocks = routes.mocks
        opening = AppPlan.opening(launch, package, origin, previous) + routes.lines
    }

    private static func launch(
        _ arguments: Arguments, _ settings: UpdaterSettings, _ package: InstalledPackage, _ port: UInt16
    ) throws -> AppHost.Launch {
        let text = arguments.text("--native") ?? "1.0"
        guard let native = NativeBuild(text) else {
            throw UsageError(message: "--native can't be '\(text)'", help: "write numbers and dots: 5.2.1")
        }
        var updater = Updater.Launch(
            settings: settings, native: native, platform: arguments.text("--platform") ?? "ios",
            entropy: LaunchEntropy.bytes())
        updater.compatibility = arguments.text("--compatibility")
        updater.embedded = package.source
        updater.bootID = BootID.read()
        updater.isDebugged = Debugger.isAttached
        updater.inForeground = !arguments.has("--in-background")
        var launch = AppHost.Launch(updater: updater, port: port, www: DiskPath(.package, "www"))
        launch.nativeLinks = arguments.texts("--native-link")
        launch.allowedRoutes = arguments.texts("--allowed-route")
        launch.allowsTestMessages = !arguments.has("--release")
        launch.link = arguments.text("--link")
        return launch
    }

    private static func opening(
        _ launch: AppHost.Launch, _ package: InstalledPackage, _ origin: String?, _ previous: UInt16?
    ) -> [String] {
        let settings = launch.updater.settings
        let version = package.table.map { "embeds \($0.key.id), \($0.assets.count) files" }
        var lines = [
            "\(settings.app), native build \(launch.updater.native.text), \(version ?? "embeds nothing")",
            origin.map { "updates \(settings.updates.rawValue) from \($0)" } ?? "no origin, no updates",
        ]
        if package.table == nil, settings.updates != .automatic {
            lines.append("the first version comes when it is requested: type retry")
        }
        if let previous, let port = launch.port, previous != port {
            lines.append(
                "port \(port), not \(previous) as before: to a browser this is another origin, with separate cookies and storage"
            )
        }
        return lines
    }

    // MARK: - Flags

    private static func value<Value: RawRepresentable & CaseIterable>(
        _ arguments: Arguments, _ flag: String, _ defaultValue: Value
    ) throws(UsageError) -> Value where Value.RawValue == String {
        guard let text = arguments.text(flag) else { return defaultValue }
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue)
            let near = Nearest.to(text, among: names)
            throw UsageError(
                message: "\(flag) can't be '\(text)'",
                help: near.map { "did you mean '\($0)'?" } ?? "write " + names.joined(separator: ", "))
        }
        return value
    }

    private static func time(_ arguments: Arguments, _ flag: String) throws(UsageError) -> TimeSpan? {
        guard let text = arguments.text(flag) else { return nil }
        let digits = text.prefix { $0.isNumber }
        guard let number = Int64(digits), (1...86_400).contains(number), text.dropFirst(digits.count) == "s"
        else {
            throw UsageError(message: "\(flag) can't be '\(text)'", help: "write seconds: 20s")
        }
        return .seconds(number)
    }

    /// The port of `--port`, else the previous one, else the one made from the app's id (S4).
    private static func port(_ arguments: Arguments, _ previous: UInt16?, _ app: String) throws -> UInt16 {
        guard let number = try arguments.number("--port", in: 0...65_535) else {
            return previous ?? AppHost.defaultPort(ofApp: app)
        }
        if number > 0 { return UInt16(number) }
        guard let free = FreePort.find() else {
            throw UsageError(message: "the system has no free port", help: "name one with --port")
        }
        return free
    }

    /// The manifest's URL. A folder means the manifest in it, except for Meteor, whose origins are folders.
    private static func origin(_ text: String, _ dialect: ManifestDialect) throws(UsageError) -> String {
        let url = URLParts(text)
        guard let isSecure = url.isSecure else {
            throw UsageError(
                message: "--origin can't be '\(text)'", help: "write http://HOST[:PORT]/manifest.json")
        }
        guard !isSecure || SecureOrigin.isAvailable else {
            throw UsageError(message: "this build cannot speak https", help: SecureOrigin.help)
        }
        if dialect == .meteor { return text }
        if url.path.isEmpty { return text + "/manifest.json" }
        return text.hasSuffix("/") ? text + "manifest.json" : text
    }
}
