import AppHost
import Backend
import Core
import ScenarioLanguage
import Updater

/// Turns a scenario into a world's setup. The reader has checked names. Mistakes that are found only here,
/// such as a missing build folder or an impossible size, are thrown with their span.
package struct ScenarioCompiler {
    /// Reads a real build from disk; throws an error with one sentence.
    package typealias FolderReader = (_ folder: String, _ scenario: String) throws(FolderError) ->
        [FolderFile]

    package struct FolderError: Error {
        package var message: String
        package var help: String?
    }

    package struct FolderFile {
        package var route: String
        package var bytes: [UInt8]
    }

    package let scenario: Scenario
    package let profiles: [DeviceProfile]
    package let readFolder: FolderReader

    package init(scenario: Scenario, profiles: [DeviceProfile], readFolder: @escaping FolderReader) {
        self.scenario = scenario
        self.profiles = profiles
        self.readFolder = readFolder
    }

    package func setup(seed: UInt64) throws(ScenarioFault) -> WorldSetup {
        let named = scenario.devices.isEmpty ? [scenario.device] : scenario.devices.map(\.profile)
        var devices: [DeviceProfile] = []
        for name in named {
            guard let profile = profiles.first(where: { $0.name == name.value }) else {
                throw ScenarioFault(
                    .unknownName, "the profile '\(name.value)' can't be used", at: name.span,
                    help: "its file has mistakes of its own, or was not looked for")
            }
            devices.append(profile.changed(by: scenario.deviceChanges))
        }
        var versions: [VersionSetup] = []
        for version in scenario.versions { versions.append(try setup(of: version)) }
        var setup = WorldSetup(
            seed: seed, app: app(), versions: versions, devices: devices,
            origin: OriginSetup(
                edges: scenario.origin.edges.map(\.value), route: scenario.origin.route.value))
        setup.origin.ages = scenario.origin.edges.map { edge in
            scenario.origin.ages.first { $0.edge.value == edge.value }?.age
        }
        setup.origin.urlsExpire = scenario.origin.urlsExpire?.value
        if let events = scenario.limits.events { setup.limits.events = events.value }
        // An app that is busy without end is found as that, also in a world of few events.
        let most = max(setup.limits.events / 2, 5_000)
        setup.limits.eventsWithoutProgress = min(setup.limits.eventsWithoutProgress, most)
        // ScenarioRun enforces the scenario's own limit; the rounds of liveness need more time after it.
        if let time = scenario.limits.virtualTime { setup.limits.virtualTime = time.value + .days(4) }
        return setup
    }

    private func app() -> AppSetup {
        let spec = scenario.app
        var settings = UpdaterSettings(app: spec.id.value, origin: "")
        spec.settings.apply(to: &settings)
        var app = AppSetup(
            id: spec.id.value, dialect: ManifestDialect(spec.manifest),
            builds: spec.builds.map { setup(of: $0) },
            installed: spec.installed.value, settings: settings)
        app.frontendStatesHashes = spec.manifest == .frontendWithHashes
        app.api = spec.api.map { $0.value.hasSuffix("/") ? $0.value + "**" : $0.value }
        app.nativeLinks = spec.nativeLinks.map(\.value)
        app.isDebugged = spec.isDebugged
        app.allowsTestMessages = spec.allowsTestMessages
        app.wallClock = spec.wallClock
        app.keys = scenario.keys.map { spec in
            var key = KeySetup(name: spec.name.value)
            (key.algorithm, key.form) = (spec.algorithm, spec.form)
            return key
        }
        app.ownLinks = spec.ownLinks.map(\.value)
        app.nativeMethods = spec.nativeMethods.map(\.value)
        // Pages of a real build load the scripts that a real app provides; generated pages load none.
        if hasBuilds { app.www = PageSide.files.map { WWWFile(path: $0.name, size: $0.text.utf8.count) } }
        app.www += spec.www.map { WWWFile(path: String($0.route.value.dropFirst()), size: $0.size.value) }
        return app
    }

    private func setup(of build: BuildSpec) -> BuildSetup {
        var setup = BuildSetup(
            name: build.name.value, embeds: build.embeds?.value, native: build.native?.value,
            number: build.number?.value)
        setup.origin = build.origin?.value
        setup.keys = build.keys?.map(\.value)
        return setup
    }

    // MARK: - Versions

    private func setup(of version: VersionSpec) throws(ScenarioFault) -> VersionSetup {
        let files = try files(of: version)
        var setup = VersionSetup(
            name: version.name.value, id: version.id?.value, files: files,
            startup: version.startup, native: version.native?.value)
        setup.dataSchema = version.dataSchema?.value
        setup.dataSchemaReadableFrom = version.dataSchemaReadableFrom?.value
        return setup
    }
}

/// An impossible setup or action of a scenario, found while it is prepared or run.
package struct ScenarioFault: Error {
    package var code: DiagnosticCode
    package var message: String
    package var span: SourceSpan
    package var help: String?

    package init(_ code: DiagnosticCode, _ message: String, at span: SourceSpan, help: String? = nil) {
        self.code = code
        self.message = message
        self.span = span
        self.help = help
    }

    /// The fault as a diagnostic with its line.
    package func diagnostic(in scenario: Scenario) -> Diagnostic {
        Diagnostic(code, message, file: scenario.source, at: span, help: help)
    }
}

extension ScenarioFault {
    /// An error of the world's setup, with the span of the wrong name.
    package init(_ error: SetupError, in scenario: Scenario) {
        func version(_ name: String) -> SourceSpan {
            scenario.version(name)?.name.span ?? scenario.title.span
        }
        switch error {
        case .tooManyVersions(let count):
            self.init(
                .outOfRange, "\(count) versions are too many", at: scenario.title.span,
                help: "a scenario has at most 64")
        case .noDevice: self.init(.impossible, "there is no device", at: scenario.device.span)
        case .duplicateName(let kind, let name):
            self.init(.duplicateName, "the \(kind) '\(name)' is there twice", at: scenario.title.span)
        case .unknownVersion(let name):
            self.init(.unknownName, "no version is named '\(name)'", at: scenario.app.id.span)
        case .unknownBuild(let name):
            self.init(.unknownName, "no build is named '\(name)'", at: scenario.app.installed.span)
        case .unknownEdge(let name):
            self.init(.unknownName, "no edge is named '\(name)'", at: scenario.origin.route.span)
        case .invalidBuildNumber(let name):
            self.init(
                .unknownKeyword, "'\(name)' is no build number", at: scenario.app.installed.span,
                help: "write digits and dots, like \"1.2\"")
        case .invalidRoute(let name, let route):
            self.init(.unknownKeyword, "\(route) is no route that a file can have", at: version(name))
        case .negativeSize(let name, let route):
            self.init(.outOfRange, "\(route) has a size that can't be", at: version(name))
        case .noIndex(let name):
            self.init(
                .impossible, "'\(name)' has no file that could answer a navigation", at: version(name),
                help: "add \"index.html\"")
        case .manifest(let name, let reason):
            self.init(.impossible, "no manifest can say '\(name)': \(reason)", at: version(name))
        case .unknownNative(let native):
            self.init(
                .unknownName, "no build has the native interface '\(native)'",
                at: scenario.versions.first { $0.native?.value == native }?.native?.span
                    ?? scenario.title.span)
        }
    }
}
