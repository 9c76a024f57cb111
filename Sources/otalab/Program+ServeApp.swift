import AppHost
import Core
import DeviceShell
import Foundation
import LocalServer
import Runner
import Updater

extension Service {
    static let app = Service(
        name: "app",
        options: [
            Option(
                "--package", value: "DIR", offer: .folders,
                "app: the web build inside the app package; without it the first version comes over the air"),
            Option(
                "--www", value: "DIR", offer: .folders,
                "app: files of bridge and plugins; otalab.js and cordova.js are there anyway"),
            Option(
                "--state", value: "DIR", offer: .folders,
                "app: what a phone would keep; without it nothing is kept"),
            Option(
                "--origin", value: "URL",
                "app: the origin's manifest, or its folder; without it nothing is looked for"),
            Option("--app", value: "ID", "app: the app's id (default: the manifest's, or that of --state)"),
            port,
            Option("--native", value: "VERSION", "app: the native build (default 1.0)"),
            Option(
                "--dialect", value: "NAME", offer: .words(ManifestDialect.allCases.map(\.rawValue)),
                "app: of the manifests: own (default), frontend or meteor"),
            Option(
                "--confirm", value: "HOW", offer: .words(ConfirmationPolicy.allCases.map(\.rawValue)),
                "app: called (default): a page must say that it is ready; loaded: it must only load"),
            Option(
                "--updates", value: "WHEN", offer: .words(UpdatePolicy.allCases.map(\.rawValue)),
                "app: automatic (default), manual, page or never"),
            Option("--startup-timeout", value: "TIME", "app: for a version to confirm (default 20s)"),
            Option("--channel", value: "NAME", "app: the channel it follows (default stable)"),
            Option("--user", value: "NAME", "app: told to the origin as OTA-User"),
            Option(
                "--platform", value: "NAME", offer: .words(["ios", "android"]), "app: for Meteor's manifests"),
            Option(
                "--compatibility", value: "TEXT", "app: the compatibility version of a Meteor app's build"),
            Option("--link", value: "PATH", "app: opened for this page, such as /items/7"),
            Option(
                "--native-link", value: "PATH",
                "app: native code takes this link over; /cart/* for all below; more than once"),
            Option(
                "--remote", value: "URL",
                "app: where API requests go, http://HOST:PORT/BASE or https://HOST/BASE (where this build speaks "
                    + "https); without routes those to /api/**"),
            Option(
                "--route", value: "PATTERN=WHO", repeats: true,
                "app: who answers which paths: '/api/**=remote' (or remote+upgrades, site, file, folder:DIR); "
                    + "more than once"),
            Option(
                "--routes", value: "FILE", offer: .files, "app: the same, and the remote root, from a file"),
            Option(
                "--mocks", value: "FILE", offer: .files,
                "app: mock handlers that stand in for the API, from a file"),
            Option("--in-background", "app: started by a silent push, nobody looks"),
            Option("--verbose", short: "-v", "each request too"), .ascii,
        ]
    ) { program, paths in try program.serveApp(paths) }
}

extension Program {
    func serveApp(_ paths: [String]) throws -> ExitCode {
        guard paths.isEmpty else {
            throw UsageError(
                message: "serve app takes no '\(paths[0])'", help: "name the web build with --package DIR")
        }
        let state = try StateFolder(arguments.text("--state"))
        defer { state.leave() }
        let plan = try AppPlan(arguments, state)
        let log = ServeLog(
            Human(stream: STDOUT_FILENO, isPlain: arguments.has("--ascii")),
            showsDetails: arguments.has("--verbose"))
        for line in plan.opening { log.text(line) }
        let app = try ServedApp(plan.launch, plan.mocks, state, log)
        StopSignals.onFirst { app.stop() }
        AppConsole.read(app, log)
        try app.run()
        log.tell("otalab", "stopped")
        return .passed
    }
}
