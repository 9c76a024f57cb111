import AppHost
import Core
import Foundation
import OTAHost
import Subject
import Updater
import World

/// What the laboratory tells an adapter in its environment (`Runner.docc/Adapters.md`), as far as the
/// project's own updater needs it.
///
/// Throws ``UsageError`` for a variable that is missing or makes no sense: the program was not started by the
/// laboratory then.
struct AdapterEnvironment {
    let state: String
    let package: String
    let origin: String
    let dialect: ManifestDialect
    let app: String
    let native: NativeBuild
    let port: UInt16
    let confirmation: ConfirmationPolicy
    let startupTimeout: TimeSpan

    init(_ variables: [String: String] = ProcessInfo.processInfo.environment) throws {
        func value<Value>(_ name: String, _ read: (String) -> Value?) throws -> Value {
            guard let text = variables[name] else {
                throw UsageError(
                    message: "\(name) is not set",
                    help: "the laboratory does: otalab run --subject 'otalab serve app --adapter'")
            }
            guard let value = read(text) else {
                throw UsageError(message: "\(name) can't be '\(text)'", help: "otalab help adapters")
            }
            return value
        }
        func text(_ name: String) throws -> String { try value(name) { $0.isEmpty ? nil : $0 } }
        _ = try value("OTALAB_PROTOCOL") { $0 == "1" ? 1 : nil }
        state = try text("OTALAB_STATE")
        package = try text("OTALAB_PACKAGE")
        origin = try text("OTALAB_ORIGIN")
        dialect = try value("OTALAB_DIALECT") { ManifestDialect(rawValue: $0) }
        app = try text("OTALAB_APP")
        native = try value("OTALAB_NATIVE") { NativeBuild($0) }
        port = try value("OTALAB_PORT") { UInt16($0) }
        let defaults = UpdaterSettings(app: app, origin: origin)
        (confirmation, startupTimeout) = try value("OTALAB_SETTINGS") { text in
            guard let settings = try? JSONReader.read(Array(text.utf8), dialect: .strict) else { return nil }
            let timeout = settings["startupTimeout"]?.integer.map { TimeSpan.milliseconds($0) }
            let confirm = settings["confirm"]?.string.flatMap { ConfirmationPolicy(rawValue: $0) }
            return (confirm ?? defaults.confirmation, timeout ?? defaults.startupTimeout)
        }
    }

    /// The settings of the app. For Meteor's format they name the server, not its manifest.
    var settings: UpdaterSettings {
        var origin = origin[...]
        if dialect == .meteor, origin.hasSuffix(dialect.originPath) {
            origin.removeLast(dialect.originPath.count)
        }
        var settings = UpdaterSettings(app: app, origin: String(origin))
        settings.dialect = dialect
        settings.confirmation = confirmation
        settings.startupTimeout = startupTimeout
        return settings
    }

    /// Installs the version that the laboratory's app ships, as a store would, in the layout of
    /// ``AppPackage``.
    /// - Returns: where it is; nil: the app ships none.
    func install(in folder: StateFolder) throws -> EmbeddedSource? {
        let root = URL(fileURLWithPath: package)
        guard let manifest = FileManager.default.contents(atPath: root.path + "/manifest.json") else {
            return nil
        }
        let table = try ManifestReader(dialect: dialect).read(Array(manifest))
        let names = table.assets.map { (path: "web/" + $0.packagePath, route: $0.route) }
        try folder.install(
            ["manifest.json"] + names.map(\.path), build: SHA256.hash(of: Array(manifest)).hex
        ) { path in
            guard let route = names.first(where: { $0.path == path })?.route else { return Array(manifest) }
            return Array(
                try Data(contentsOf: root.appendingPathComponent(SubjectFolder.packagePath(ofRoute: route))))
        }
        return AppPackage(folder.package, dialect: dialect).embedded
    }
}
