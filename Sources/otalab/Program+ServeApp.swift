import AppHost
import Core
import DeviceShell
import Foundation
import LocalServer
import OTAHost
import Runner
import Updater

extension Service {
    static let app = Service(
        name: "app",
        options: [
            Option(
                "--package", value: "DIR", offer: .folders,
                "app: the web build in the app package; without it the first version comes over the air"),
            Option(
                "--www", value: "DIR", offer: .folders,
                "app: files of bridge and plugins; otalab.js and cordova.js are always included"),
            Option(
                "--state", value: "DIR", offer: .folders,
                "app: folder for what a phone would keep; without it nothing is kept"),
            Option(
                "--origin", value: "URL",
                "app: the origin's manifest, or its folder; without it there are no update checks"),
            Option("--app", value: "ID", "app: the app's id (default: the manifest's, or that of --state)"),
            port,
            Option("--native", value: "VERSION", "app: the native build (default 1.0)"),
            Option(
                "--dialect", value: "NAME", offer: .choices(ManifestDialect.allCases.map(\.rawValue)),
                "app: dialect of the manifests: own (default), frontend or meteor"),
            Option(
                "--confirm", value: "HOW", offer: .choices(ConfirmationPolicy.allCases.map(\.rawValue)),
                "app: called (default): the page must call ready(); loaded: it only has to load"),
            Option(
                "--updates", value: "WHEN", offer: .choices(UpdatePolicy.allCases.map(\.rawValue)),
                "app: automatic (default), manual, page or never"),
            Option(
                "--key", value: "KEY", offer: .files, repeats: true,
                "app: takes only what this key of 'otalab keys public' has signed; may be repeated"),
            Option("--startup-timeout", value: "TIME", "app: time for a version to confirm (default 20s)"),
            Option("--channel", value: "NAME", "app: the update channel (default stable)"),
            Option("--user", value: "NAME", "app: sent to the origin as OTA-User"),
            Option(
                "--platform", value: "NAME", offer: .choices(["ios", "android"]),
                "app: the platform in Meteor's manifests"),
            Option(
                "--compatibility", value: "TEXT", "app: the compatibility version of a Meteor app's build"),
            Option("--link", value: "PATH", "app: open the app at this page, such as /items/7"),
            Option(
                "--native-link", value: "PATH",
                "app: a link that native code handles; /cart/* for all below; may be repeated"),
            Option(
                "--allowed-route", value: "PATH",
                "app: a part of the site that is meant for the app, /items/* for all below; native code "
                    + "handles links elsewhere; may be repeated"),
            Option(
                "--release",
                "app: as in a release: pages can't switch mock handlers, the API's root or the environment"),
            Option(
                "--remote", value: "URL",
                "app: where API requests go, http://HOST:PORT/BASE or https://HOST/BASE (if this build supports "
                    + "https); without routes: requests to /api/**"),
            Option(
                "--route", value: "PATTERN=WHO", repeats: true,
                "app: what answers which paths: '/api/**=remote' (or remote+upgrades, site, file, folder:DIR); "
                    + "may be repeated"),
            Option(
                "--routes", value: "FILE", offer: .files, "app: routes and the remote root, from a file"),
            Option(
                "--mocks", value: "FILE", offer: .files,
                "app: mock handlers that replace the API, from a file"),
            Option("--in-background", "app: launched by a silent push, in background"),
            Option(
                // The laboratory's variables for an adapter have the names of flags.
                "--adapter", ownsEnvironment: true,
                "app: an adapter of the project's own updater, started by the laboratory: "
                    + "otalab run --subject 'otalab serve app --adapter'"),
            Option("--verbose", short: "-v", "also print each request"), .ascii,
        ]
    ) { program, paths in try program.serveApp(paths) }
}

extension Program {
    func serveApp(_ paths: [String]) throws -> ExitCode {
        guard paths.isEmpty else {
            throw UsageError(
                message: "serve app takes no '\(paths[0])'", help: "name the web build with --package DIR")
        }
        if arguments.has("--adapter") { return try runAdapter() }
        let state = try ServedFolder(arguments.text("--state"))
        defer { state.removeIfTemporary() }
        let plan = try AppPlan(arguments, state)
        let log = ServeLog(
            TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii")),
            showsDetails: arguments.has("--verbose"))
        for line in plan.opening { log.print(line) }
        let app: ServedApp
        do throws(StartError) {
            app = try ServedApp(plan.launch, plan.mocks, state, log)
        } catch {
            throw state.usageError(error)
        }
        StopSignals.onFirst { app.stop() }
        AppConsole.read(app, log)
        try app.run()
        log.log("otalab", "stopped")
        return .passed
    }

    private func runAdapter() throws -> ExitCode {
        let environment = try AdapterEnvironment()
        do {
            try AppAdapter(environment).run()
        } catch let error as StartError {
            throw UsageError(message: "\(error)", help: "the laboratory makes the folder OTALAB_STATE anew")
        }
        return .passed
    }
}
