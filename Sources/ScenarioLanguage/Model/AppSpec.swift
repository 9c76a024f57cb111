import Core

/// The installed app: its native builds and how it is set up.
public struct AppSpec: Hashable, Sendable {
    public var id: Spanned<String>
    public var manifest: ManifestDialect
    /// At least one, in the order of the file. An app that only says `embeds` has one build, "1.0".
    public var builds: [BuildSpec]
    /// The name of the build that is installed when the story begins.
    public var installed: Spanned<String>
    public var settings: SettingsSpec
    /// Paths that the remote root answers (rule S7); one that ends in `/` stands for all below it.
    public var api: [Spanned<String>] = []

    public func build(_ name: String) -> BuildSpec? { builds.first { $0.name.value == name } }
}

/// One native build, as a store delivers it.
public struct BuildSpec: Hashable, Sendable {
    public var name: Spanned<String>
    /// The version inside the package; nil: an app without embedded content.
    public var embeds: Spanned<String>?
    /// The native interface it has; `native` of a version names it too. nil: all builds have the same.
    public var native: Spanned<String>?
    /// The number that the package states; nil: the name. Two builds of one number differ in their content.
    public var number: Spanned<String>?
}

public enum ManifestDialect: String, CaseIterable, Hashable, Sendable {
    case own, meteor
    /// As it is known: files and routes, neither hash nor size.
    case frontend
    /// The same with a hash and a size for each file.
    case frontendWithHashes = "frontend with hashes"
}

/// What an app can set, at its start and by a `set` step. nil leaves it as it is.
public struct SettingsSpec: Hashable, Sendable {
    /// As said; the updater holds it to its floor of 5 s (rule R3).
    public var startupTimeout: Spanned<TimeSpan>?
    public var confirm: Spanned<ConfirmMode>?
    public var checks: Spanned<CheckMode>?
    public var updates: Spanned<UpdateMode>?
    /// Downloads at once (rule U5).
    public var parallel: Spanned<Int64>?
    /// Whether `location.reload()` takes what is pending (rule U6; default yes).
    public var switchOnReload: Spanned<Bool>?
    /// Whether the return after 30 min in background takes what is pending (rule U6; default no).
    public var switchOnReturn: Spanned<Bool>?
    public var channel: Spanned<String>?
    /// What the app tells an origin that chooses versions for devices (rule U9).
    public var user: Spanned<String>?
    public var cohort: Spanned<String>?
    /// Whether versions are fetched over a network that costs (rule U15; default yes).
    public var metered: Spanned<Bool>?
    /// Bytes still missing above which a version waits for a network that costs nothing (rule U15).
    public var meteredUpTo: Spanned<Int64>?
    /// Whether outcomes are reported to the origin (rule T3; default no).
    public var outcomes: Spanned<Bool>?

    public init() {}
}

/// Who says that a version has started (rule R6).
public enum ConfirmMode: String, CaseIterable, Hashable, Sendable {
    /// The page calls `startupDidComplete`.
    case called
    /// The server: everything answered, the page alive 5 s later.
    case loaded
}

public enum CheckMode: String, CaseIterable, Hashable, Sendable {
    /// At launch, at foreground, at push, by the page (rule U5).
    case automatic
    /// Only by `check` steps.
    case manual
}

/// Rule U14.
public enum UpdateMode: String, CaseIterable, Hashable, Sendable {
    case automatic, page, never
}

/// The origin that publishes the versions.
public struct OriginSpec: Hashable, Sendable {
    /// At least one; "origin" where the file names none.
    public var edges: [Spanned<String>]
    /// The edge that the device reaches when the story begins.
    public var route: Spanned<String>
}
