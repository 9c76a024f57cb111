// swift-tools-version: 6.2
// One target per module. An arrow only ever points down; `.ci/run` and the tidy test
// keep the walls. No package dependencies: the toolchain's own modules only.
import PackageDescription

// Optimising across modules makes a simulated world half again as fast, and Swift's own libraries linked in
// another tenth (`otalab bench`). SwiftPM takes no such flags from a package that another one depends on;
// that one lies in a folder `checkouts`.
//
// Two ways to build the program, by traits: as it is, a release build is one file that runs where there is no
// Swift, and can't speak https. With `--traits HTTPS` it is linked dynamically, to FoundationNetworking and
// through it to libcurl and some twenty libraries of the system: who needs no TLS does not carry them, and
// libcurl is not there to be linked in.
let isDependency = Context.packageDirectory.contains("/checkouts/")
let linkedInWhen = BuildSettingCondition.when(
    platforms: [.linux], configuration: .release, traits: ["OneFile"])
let across: [SwiftSetting] =
    isDependency
    ? []
    : [
        .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
        .unsafeFlags(["-static-stdlib"], linkedInWhen),
    ]
let linkedIn: [LinkerSetting] =
    isDependency
    ? [] : [.unsafeFlags(["-static-stdlib"], linkedInWhen)]

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)] + across

func module(_ name: String, _ below: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: below, swiftSettings: strict)
}

/// In a release build only what is tested is optimised, because most of a test's time is spent there, and to
/// optimise the tests takes as long as all modules together.
let asInDebug: [SwiftSetting] =
    isDependency ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))]

func tests(_ name: String, _ below: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: below, swiftSettings: [.treatAllWarnings(as: .error)] + asInDebug)
}

let package = Package(
    name: "OTALab",
    // What an app needs runs on these; `Tests/Tools/availability` names what would need more. macOS is higher,
    // because the laboratory itself uses `Synchronization`, and a package has one limit for all of its modules.
    platforms: [.iOS(.v15), .macOS(.v15)],
    products: [
        .executable(name: "otalab", targets: ["otalab"]),
        .library(
            name: "OTAHost",
            targets: ["OTAHost", "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DeviceShell"]),
        // a browser in place of the web view, while an app is developed
        .library(name: "OTAHostDevelopment", targets: ["DevelopmentHost"]),
        // for an app whose origin speaks https
        .library(name: "OTAHostHTTPS", targets: ["DeviceShellHTTPS"]),
        // a WKWebView and an iOS app's life cycle; empty where there is no WebKit
        .library(name: "OTAHostWebKit", targets: ["OTAHostWebKit"]),
    ],
    traits: [
        .default(enabledTraits: ["OneFile"]),
        .trait(
            name: "OneFile", description: "Swift's libraries are linked into a release build; no https."),
        .trait(
            name: "HTTPS",
            description: "The program speaks https, by FoundationNetworking, dynamically linked."
        ),
    ],
    targets: [
        // The lowest layer first; an arrow points to a module above it in this list.
        // one function in C, for which Swift has no intrinsics; `Core` has the same one in Swift
        .target(name: "SHA256Instructions"),
        module("Core", ["SHA256Instructions"]),
        module("HTTP1", ["Core"]),
        module("Updater", ["Core", "HTTP1"]),
        module("LocalServer", ["Core", "HTTP1"]),
        module("ScenarioLanguage", ["Core"]),
        module("AppHost", ["Core", "HTTP1", "Updater", "LocalServer"]),
        // epoll, declared: no code
        .systemLibrary(name: "LinuxSystem"),
        module("DeviceShell", ["Core", "HTTP1", "Updater", "LocalServer", "AppHost", "LinuxSystem"]),
        // calls of libcurl's, declared: no code
        .systemLibrary(name: "CurlCalls"),
        // what of it needs FoundationNetworking
        module(
            "DeviceShellHTTPS",
            ["Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DeviceShell", "CurlCalls"]),
        // one type to begin with, for an app of one's own
        module("OTAHost", ["Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DeviceShell"]),
        // what an app with a WKWebView would have to write around it; on other systems its decisions alone
        module("OTAHostWebKit", ["Core", "Updater", "AppHost", "OTAHost"]),
        // what only a developer's browser needs of an app: no app links it
        module("DevelopmentHost", ["Core", "HTTP1", "LocalServer", "AppHost"]),
        // what a scenario runs on, seen from above: the world, real sockets, a foreign process
        module("Backend", ["Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage"]),
        module(
            "World", ["Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "Backend"]),
        module(
            "Live",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "DeviceShell",
                "Backend", "World",
            ]),
        // what the rules allow, computed from trace events alone: shares no code with the updater
        module("ReferenceModel", ["Core", "Backend"]),
        // knows no world: trace events, bytes and disk images
        module(
            "Oracle",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "Backend",
                "ReferenceModel",
            ]),
        module(
            "Runner",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "Backend", "World",
                "Oracle",
            ]),
        module(
            "Search", ["Core", "Updater", "ScenarioLanguage", "Backend", "World", "Oracle", "Runner"]),
        module(
            "Authoring",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "Backend", "World",
                "Oracle", "Runner",
            ]),
        // releases in a folder that a static host serves
        module("Publishing", ["Core", "Updater"]),
        // a scenario's origin on a real port, for any updater
        module(
            "OriginServer",
            [
                "Core", "HTTP1", "Updater", "AppHost", "ScenarioLanguage", "DeviceShell", "Backend", "World",
                "Live", "Runner",
            ]),
        // somebody else's updater behind an adapter
        module(
            "Subject",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "DeviceShell",
                "Backend", "World", "Live", "Oracle", "Runner",
            ]),
        module(
            "Reporting",
            ["Core", "ScenarioLanguage", "Backend", "Oracle", "Runner", "Search", "Authoring"]),
        .executableTarget(
            name: "otalab",
            dependencies: [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DevelopmentHost", "DeviceShell",
                "OTAHost", "ScenarioLanguage", "Backend", "World", "Live", "Oracle", "Runner", "Search",
                "Authoring", "Publishing", "OriginServer", "Subject", "Reporting",
                .target(name: "DeviceShellHTTPS", condition: .when(traits: ["HTTPS"])),
            ],
            swiftSettings: strict,
            linkerSettings: linkedIn),

        // fixtures for tests of single modules; no module links it
        .target(
            name: "ModuleTestSupport", dependencies: ["Core", "HTTP1", "LocalServer"],
            path: "Tests/ModuleSupport",
            swiftSettings: strict),
        tests("CoreTests", ["Core", "ModuleTestSupport"]),
        tests("HTTP1Tests", ["Core", "HTTP1", "ModuleTestSupport"]),
        tests(
            "UpdaterTests",
            ["Core", "HTTP1", "Updater", "ScenarioLanguage", "Backend", "World", "ModuleTestSupport"]),
        tests("PublishingTests", ["Core", "Updater", "Backend", "World", "Publishing"]),
        tests("LocalServerTests", ["Core", "HTTP1", "LocalServer", "World", "ModuleTestSupport"]),
        tests("ScenarioLanguageTests", ["Core", "ScenarioLanguage", "ModuleTestSupport"]),
        tests(
            "AppHostTests",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DevelopmentHost", "Backend", "World",
                "ModuleTestSupport",
            ]),
        tests(
            "WorldTests",
            ["Core", "HTTP1", "Updater", "AppHost", "ScenarioLanguage", "DeviceShell", "Backend", "World"]),
        tests(
            "DeviceShellTests",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "AppHost", "DeviceShell", "DeviceShellHTTPS",
                "OTAHost", "ScenarioLanguage", "Backend", "World", "Oracle", "Runner", "Live",
                "OriginServer", "ModuleTestSupport",
            ]),
        tests("OTAHostWebKitTests", ["Core", "Updater", "AppHost", "OTAHostWebKit"]),
        // fixtures for tests that run scenarios; no module links it
        .target(
            name: "TestSupport", dependencies: ["ScenarioLanguage", "Backend", "Runner"],
            path: "Tests/Support",
            swiftSettings: strict),
        tests(
            "OracleTests",
            [
                "Core", "Updater", "LocalServer", "AppHost", "ScenarioLanguage", "Backend", "World", "Oracle",
                "Runner", "TestSupport",
            ]),
        tests(
            "RunnerTests",
            [
                "Core", "Updater", "AppHost", "ScenarioLanguage", "Backend", "World", "Oracle", "Runner",
                "TestSupport",
            ]),
        tests(
            "SearchTests",
            [
                "Core", "Updater", "ScenarioLanguage", "Backend", "World", "Oracle", "Runner", "Search",
                "TestSupport",
            ]),
        tests(
            "AuthoringTests",
            [
                "Core", "Updater", "AppHost", "ScenarioLanguage", "Backend", "World", "Oracle", "Runner",
                "Authoring", "TestSupport",
            ]),
        tests(
            "ReportingTests",
            [
                "Core", "ScenarioLanguage", "Backend", "Oracle", "Runner", "Search", "Authoring", "Reporting",
                "TestSupport",
            ]),
        tests(
            "FuzzTests",
            [
                "Core", "HTTP1", "Updater", "LocalServer", "ScenarioLanguage", "Backend", "World",
                "ModuleTestSupport",
            ]),
        tests(
            "SubjectTests",
            [
                "Core", "ScenarioLanguage", "Backend", "World", "Oracle", "Runner", "Subject", "TestSupport",
            ]),
        tests("HouseTests", []),
    ],
    swiftLanguageModes: [.v6]
)
