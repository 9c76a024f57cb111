import Core
import HTTP1

/// One entry of a ``RouteTable``.
public struct RouteEntry: Hashable, Sendable {
    public var pattern: RoutePattern
    /// Methods that it matches; empty: all.
    public var methods: [RequestMethod]
    public var target: RouteTarget

    public init(_ pattern: RoutePattern, methods: [RequestMethod] = [], _ target: RouteTarget) {
        self.pattern = pattern
        self.methods = methods
        self.target = target
    }
}

extension RouteEntry {
    /// An entry that forwards to the remote root; nil where `pattern` is malformed.
    public static func remote(_ pattern: String, upgrades: Bool = false) -> RouteEntry? {
        RoutePattern(pattern).map { RouteEntry($0, .remote(upgrades: upgrades)) }
    }
}

/// What answers the requests of an entry.
public enum RouteTarget: Hashable, Sendable {
    /// Pages of the site: the index answers document navigations, whatever their path. Other requests get
    /// 404.
    case site
    /// A file of the version or of the app package, or 404; never the index.
    case file
    /// The remote root answers (rule S7); with `upgrades`, WebSockets may be opened through it (RFC 6455).
    case remote(upgrades: Bool)
    /// Files that belong to no version and that a cache may keep for `age`, in whole seconds (rule S5 allows
    /// an age outside versions only). Routes are whole paths; a path that ends in `/` gets its `index.html`.
    case folder(Site, age: TimeSpan)
    /// Native code answers (``LocalServer/LocalServer/Effect/handlerRequested(_:_:)``), by this name.
    case handler(String)
}
