import Core

/// What an app decides about its updates. Part of the app, given anew at each launch; never guessed.
public struct UpdaterSettings: Hashable, Sendable {
    /// Must equal the manifest's app id (U10).
    public var app: String
    public var dialect: ManifestDialect = .own
    /// Absolute http(s) URL without query of the manifest (own, frontend) or of the root below which
    /// `__cordova/` lies (Meteor). Its scheme and authority are the remote root of the origin line.
    public var origin: String
    /// Scheme and authority of further places that a manifest's URLs and an origin's redirects may lead to: a
    /// content network. With an https origin only those with https count.
    public var allowedRoots: [String] = []
    public var channel = "stable"
    public var cohort: String?
    public var user: String?

    public var updates = UpdatePolicy.automatic
    public var confirmation = ConfirmationPolicy.called
    /// Time in front that a version not yet proven gets to confirm; never under 5 s (R3).
    public var startupTimeout = TimeSpan.seconds(20)
    /// `location.reload()` takes up what is pending (U6).
    public var switchesOnReload = true
    /// Return after 30 min in background takes up what is pending (U6).
    public var switchesOnReturn = false
    /// Outcomes are reported to the origin (T3).
    public var reportsOutcomes = false

    /// Versions may be fetched over a network that costs (U15).
    public var usesMeteredNetwork = true
    /// Missing bytes above which a download waits for a network that costs nothing; nil: none (U15).
    public var meteredBytes: Int?
    public var parallelTransfers = 6
    public var connectTimeout = TimeSpan.seconds(15)
    public var idleTimeout = TimeSpan.seconds(30)
    public var limits = UpdaterLimits()

    public init(app: String, origin: String) {
        self.app = app
        self.origin = origin
    }
}

/// Who starts a request to the origin (U14).
public enum UpdatePolicy: String, Hashable, Sendable, CaseIterable {
    /// Launch, foreground after 15 min, push, page, user.
    case automatic
    /// Only what the page, a push or the user asks for; for a laboratory that wants to ask by hand.
    case manual
    /// Only the page.
    case page
    /// No request to the origin, ever.
    case never
}

/// What counts as the confirmation of a start (R6).
public enum ConfirmationPolicy: String, Hashable, Sendable, CaseIterable {
    /// The page calls `startupDidComplete`.
    case called
    /// Index and all it refers to are answered and the page is alive 5 s later.
    case loaded
}

/// Bounds on what an origin may ask of a device (U10, U11).
public struct UpdaterLimits: Hashable, Sendable {
    public var manifestBytes = 4 << 20
    public var rows = 20_000
    public var fileBytes = 512 << 20
    public var versionBytes = 2 << 30
    /// Free bytes that must be left beside the missing ones × 1.1.
    public var reserveBytes = 50_000_000

    public init() {}
}
