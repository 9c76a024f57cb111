import Core

/// The installed app: its native builds and how it is set up.
package struct AppSpec: Hashable, Sendable {
    package var id: Spanned<String>
    package var manifest: ManifestFormat
    /// At least one, in the order of the file. An app that only says `embeds` has one build, "1.0".
    package var builds: [BuildSpec]
    /// The name of the build that is installed when the story begins.
    package var installed: Spanned<String>
    package var settings: SettingsSpec
    /// Paths that the remote root answers (rule S7); one that ends in `/` stands for all below it.
    package var api: [Spanned<String>] = []

    package func build(_ name: String) -> BuildSpec? { builds.first { $0.name.value == name } }
}

/// One native build, as a store delivers it.
package struct BuildSpec: Hashable, Sendable {
    package var name: Spanned<String>
    /// The version inside the package; nil: an app without embedded content.
    package var embeds: Spanned<String>?
    /// The native interface it has; `native` of a version names it too. nil: all builds have the same.
    package var native: Spanned<String>?
    /// The number that the package states; nil: the name. Two builds of one number differ in their content.
    package var number: Spanned<String>?
}

package enum ManifestFormat: String, CaseIterable, Hashable, Sendable {
    case own, meteor
    /// As it is known: files and routes, neither hash nor size.
    case frontend
    /// The same with a hash and a size for each file.
    case frontendWithHashes = "frontend with hashes"
}

/// What an app can set, at its start and by a `set` step. nil leaves it as it is.
package struct SettingsSpec: Hashable, Sendable {
    /// As said; the updater holds it to its floor of 5 s (rule R3).
    package var startupTimeout: Spanned<TimeSpan>?
    package var confirm: Spanned<ConfirmMode>?
    package var checks: Spanned<CheckMode>?
    package var updates: Spanned<UpdateMode>?
    /// Downloads at once (rule U5).
    package var parallel: Spanned<Int>?
    /// Whether `location.reload()` takes what is pending (rule U6; default yes).
    package var switchOnReload: Spanned<Bool>?
    /// Whether the return after 30 min in background takes what is pending (rule U6; default no).
    package var switchOnReturn: Spanned<Bool>?
    package var channel: Spanned<String>?
    /// What the app tells an origin that chooses versions for devices (rule U9).
    package var user: Spanned<String>?
    package var cohort: Spanned<String>?
    /// Whether versions are fetched over a network that costs (rule U15; default yes).
    package var metered: Spanned<Bool>?
    /// Bytes still missing above which a version waits for a network that costs nothing (rule U15).
    package var meteredUpTo: Spanned<Int>?
    /// Whether outcomes are reported to the origin (rule T3; default no).
    package var outcomes: Spanned<Bool>?

    package init() {}
}

/// Who says that a version has started (rule R6).
package enum ConfirmMode: String, CaseIterable, Hashable, Sendable {
    /// The page calls `startupDidComplete`.
    case called
    /// The server: everything answered, the page alive 5 s later.
    case loaded
}

package enum CheckMode: String, CaseIterable, Hashable, Sendable {
    /// At launch, at foreground, at push, by the page (rule U5).
    case automatic
    /// Only by `check` steps.
    case manual
}

/// Rule U14.
package enum UpdateMode: String, CaseIterable, Hashable, Sendable {
    case automatic, page, never
}

/// The origin that publishes the versions.
package struct OriginSpec: Hashable, Sendable {
    /// At least one; "origin" where the file names none.
    package var edges: [Spanned<String>]
    /// The edge that the device reaches when the story begins.
    package var route: Spanned<String>
}
