import Core

/// What an app decides about its updates. Passed at each launch; the updater has no other source for it.
public struct UpdaterSettings: Hashable, Sendable {
    /// Id of the app; must equal the manifest's app id (U10).
    public var app: String
    /// Format of the origin's manifests.
    public var dialect: ManifestDialect = .own
    /// Absolute http(s) URL without query: of the manifest (own, frontend), or of the root of `__cordova/`
    /// or of this folder itself (Meteor). Its scheme and authority are the root of the origin line.
    public var origin: String
    /// Scheme and authority of further servers, such as a content delivery network, to which a manifest's
    /// URLs and an origin's redirects may lead. With an https origin only https ones count.
    public var allowedRoots: [String] = []
    /// Channel that the origin selects versions by (U9); manifests of another one are refused.
    public var channel = "stable"
    /// Cohort that the origin selects versions by (U9); sent with each check.
    public var cohort: String?
    /// User that the origin selects versions for (U9); sent with each check.
    public var user: String?

    public var updates = UpdatePolicy.automatic
    public var confirmation = ConfirmationPolicy.called
    /// Time in front that an unproven version has to confirm its start; at least 5 s (R3), and 10 s where the
    /// server confirms it, 5 s after the page has loaded (R6).
    public var startupTimeout = TimeSpan.seconds(20)
    var effectiveStartupTimeout: TimeSpan {
        switch confirmation {
        case .called: max(startupTimeout, .seconds(5))
        case .loaded: max(startupTimeout, .seconds(10))
        }
    }
    /// Unclear ends in a row, of starts of an unproven version, after which the user gets another version
    /// (R3): 1 to 3. An end in front counts as one whatever the setting is; it matters for the others: power
    /// cuts, ends in background after 5 s in front, and all ends where the platform has no boot id.
    ///
    /// 1: the user never meets such an end twice, but each flat battery during a start costs a good version
    /// one process in which the older one runs. 3: a good version is left for no coincidence, but where a
    /// device gives neither exit record nor boot id, the user sees three crashes before the old version is
    /// back. 2 is between the two. Blame is the same for all three: a version that was left waits, and is
    /// parked when its second chance ends unclear too, or at the third such end in a row.
    public var unclearEndsUntilRescue = 3
    /// `location.reload()` activates the pending version (U6).
    public var switchesOnReload = true
    /// A return after 30 min in background activates the pending version (U6).
    public var switchesOnReturn = false
    /// Outcomes are reported to the origin (T3).
    public var reportsOutcomes = false
    /// Keys by which manifests are accepted (U16); nil: they are not signed. An empty list accepts nothing.
    /// They belong to the native build: the origin replaces them for its line by a signed manifest.
    public var keys: [PublicKey]?

    /// Versions may be downloaded over a metered network (U15).
    public var usesMeteredNetwork = true
    /// Missing bytes above which a download waits for an unmetered network; nil: no limit (U15). A size that
    /// the manifest does not state counts when a response announces it.
    public var meteredBytes: Int?
    /// Files that are downloaded at once (U5).
    public var parallelTransfers = 6
    /// Time without a response head after which a request ends (U5).
    public var connectTimeout = TimeSpan.seconds(15)
    /// Time without a byte after which a request ends (U5).
    public var idleTimeout = TimeSpan.seconds(30)
    public var limits = UpdaterLimits()

    public init(app: String, origin: String) {
        self.app = app
        self.origin = origin
    }
}

extension UpdaterSettings {
    private static let cordovaFolder = "/__cordova"

    /// URL from which the manifest is requested.
    var manifestURL: String { dialect == .meteor ? fileBase + "manifest.json" : origin }

    /// URL against which the URLs of assets are resolved.
    var fileBase: String {
        guard dialect == .meteor else { return origin }
        var root = origin[...]
        while root.hasSuffix("/") { root = root.dropLast() }
        if root.hasSuffix(UpdaterSettings.cordovaFolder) {
            root = root.dropLast(UpdaterSettings.cordovaFolder.count)
        }
        return root + UpdaterSettings.cordovaFolder + "/"
    }
}

/// Who may cause a request to the origin (U14).
public enum UpdatePolicy: String, Hashable, Sendable, CaseIterable {
    /// Launch, return to the front after 15 min, push, page, user.
    case automatic
    /// Only requests by the page, a push or the user; for a laboratory that sends them by hand.
    case manual
    /// Only requests by the page.
    case page
    /// No request to the origin at all.
    case never
}

/// What counts as the confirmation of a start (R6).
public enum ConfirmationPolicy: String, Hashable, Sendable, CaseIterable {
    /// The page calls `startupDidComplete`.
    case called
    /// Index and all resources that it refers to are answered, and the page is alive 5 s later.
    case loaded
}

/// Limits on what an origin may demand of a device (U10, U11).
public struct UpdaterLimits: Hashable, Sendable {
    /// Bytes of a manifest.
    public var manifestBytes = 4 << 20
    /// Bytes of a version's table: its manifest, and where each asset's content is.
    var tableBytes: Int { min(max(manifestBytes, 0), Int.max / 2) * 2 }
    /// Assets of a version.
    public var assetCount = 20_000
    /// Bytes of one file.
    public var fileBytes = 512 << 20
    /// Bytes of all files of a version.
    public var versionBytes = 2 << 30
    /// Bytes that must stay free in addition to the missing ones × 1.1.
    public var reserveBytes = 50_000_000

    public init() {}
}
