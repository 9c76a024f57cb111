import Core

/// The installed app: its native builds and its settings.
package struct AppSpec: Hashable, Sendable {
    package var id: Spanned<String>
    package var manifest: ManifestFormat
    /// Native builds in the order of the file, at least one. An app that has only `embeds` has one build,
    /// "1.0".
    package var builds: [BuildSpec]
    /// Name of the build that is installed when the scenario begins.
    package var installed: Spanned<String>
    package var settings: SettingsSpec
    /// Paths that the remote root answers (rule S7); a path that ends in `/` includes all below it.
    package var api: [Spanned<String>] = []
    /// Files of the app package that belong to no version (rule S1).
    package var www: [PackageFileSpec] = []
    /// Paths that native code takes over (rule N5); one that ends in `*` includes all that begin so.
    package var nativeLinks: [Spanned<String>] = []
    /// Paths that are the app's own; native code takes over links to all others. Empty: all are its own.
    package var ownLinks: [Spanned<String>] = []
    /// Methods of messages that native code answers (rule N5).
    package var nativeMethods: [Spanned<String>] = []
    /// Whether a debugger is attached to each of its processes (rule R2).
    package var isDebugged = false
    /// Whether pages may switch the app to another environment (F9).
    package var allowsTestMessages = false
    /// The device's wall clock, from the origin's (rule U16).
    package var wallClock = TimeSpan.zero

    package func build(_ name: String) -> BuildSpec? { builds.first { $0.name.value == name } }
}

/// A file of the app package outside all versions: bridge, plugins.
package struct PackageFileSpec: Hashable, Sendable {
    package var route: Spanned<String>
    /// Size in bytes.
    package var size: Spanned<Int>
}

/// A native build, as an app store delivers it.
package struct BuildSpec: Hashable, Sendable {
    package var name: Spanned<String>
    /// Version inside the package; nil for an app without embedded content.
    package var embeds: Spanned<String>?
    /// Native interface of the build, which `native` of a version refers to; nil when all builds have the
    /// same.
    package var native: Spanned<String>?
    /// Build number in the package; nil for the name. Two builds with the same number differ in their
    /// content.
    package var number: Spanned<String>?
    /// Edge that is this build's own origin, under a remote root of its own (rule U9); nil: the origin that
    /// the route leads to.
    package var origin: Spanned<String>?
    /// Keys by which it accepts manifests; nil: they are not signed (rule U16).
    package var keys: [Spanned<String>]?
}

/// The dialect of the manifest.
package enum ManifestFormat: String, CaseIterable, Hashable, Sendable {
    case own, meteor
    /// The frontend dialect: files and routes, without hashes and sizes.
    case frontend
    /// The frontend dialect with a hash and a size for each file.
    case frontendWithHashes = "frontend with hashes"
}

/// Settings of an app, at its start and in a `set` step. nil does not change a setting.
package struct SettingsSpec: Hashable, Sendable {
    /// Start-up timeout as in the file; the updater uses at least 5 s (rule R3).
    package var startupTimeout: Spanned<TimeSpan>?
    /// Unclear ends in a row until the user gets another version (rule R3; 1 to 3, default 3).
    package var unclearEnds: Spanned<Int>?
    package var confirm: Spanned<ConfirmMode>?
    package var checks: Spanned<CheckMode>?
    package var updates: Spanned<UpdateMode>?
    /// Number of parallel downloads (rule U5).
    package var parallel: Spanned<Int>?
    /// Whether `location.reload()` switches to the pending version (rule U6; default yes).
    package var switchOnReload: Spanned<Bool>?
    /// Whether the return after 30 min in the background switches to the pending version (rule U6; default
    /// no).
    package var switchOnReturn: Spanned<Bool>?
    package var channel: Spanned<String>?
    /// User that the app reports to an origin that chooses versions for devices (rule U9).
    package var user: Spanned<String>?
    package var cohort: Spanned<String>?
    /// Whether versions are downloaded over a metered network (rule U15; default yes).
    package var metered: Spanned<Bool>?
    /// Most missing bytes that are downloaded over a metered network; above it, a version waits for an
    /// unmetered one (rule U15).
    package var meteredUpTo: Spanned<Int>?
    /// Whether outcomes are reported to the origin (rule T3; default no).
    package var outcomes: Spanned<Bool>?

    package init() {}
}

/// How a version is confirmed to have started (rule R6).
package enum ConfirmMode: String, CaseIterable, Hashable, Sendable {
    /// The page calls `startupDidComplete`.
    case called
    /// The server confirms: it answered every request, and the page is alive 5 s later.
    case loaded
}

/// When the app checks for updates.
package enum CheckMode: String, CaseIterable, Hashable, Sendable {
    /// At launch, in the foreground, at a push, and when the page asks (rule U5).
    case automatic
    /// Only by `check` steps.
    case manual
}

/// Whether the app updates automatically, on request of the page, or never (rule U14).
package enum UpdateMode: String, CaseIterable, Hashable, Sendable {
    case automatic, page, never
}

/// The origin that publishes the versions.
package struct OriginSpec: Hashable, Sendable {
    /// Names of the edges, at least one; "origin" when the file has none.
    package var edges: [Spanned<String>]
    /// Edge that the device reaches when the scenario begins.
    package var route: Spanned<String>
    /// How long edges keep an answer.
    package var ages: [EdgeAge] = []
    /// When the URLs of files stop working until the manifest is requested again; nil: never.
    package var urlsExpire: Spanned<URLExpiry>?
}

/// When the URLs of files that a manifest names stop working, as signed URLs do.
package enum URLExpiry: Hashable, Sendable {
    /// This long after the manifest was given out: 403.
    case after(TimeSpan)
    /// With the next publication: 410.
    case withDeploy
}

/// How long an edge keeps an answer that it has given, as a cache does.
package struct EdgeAge: Hashable, Sendable {
    package var edge: Spanned<String>
    package var age: TimeSpan
}
