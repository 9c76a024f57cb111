import Core
import HTTP1

/// Who answers which path: ordered rows, the first that fits counts. What no row takes goes the usual way:
/// the version's files · files of the app package · the index for document navigations · 404.
///
/// 8fit's server is `[remote("/api/**"), folder("/static/**", 3600 s)]`, FINCH's `[remote("/api/**"),
/// file("/assets/**"), site("/**")]`: there a component anywhere in the path made it an API request, here
/// the order does.
public struct RouteTable: Hashable, Sendable {
    public var rows: [RouteRow]

    public init(_ rows: [RouteRow] = []) { self.rows = rows }

    func row(for head: RequestHead) -> RouteRow? {
        guard !rows.isEmpty, let target = head.path, let segments = RoutePattern.segments(of: target) else {
            return nil
        }
        return rows.first { row in
            (row.methods.isEmpty || row.methods.contains(head.method)) && row.pattern.matches(segments)
        }
    }
}

public struct RouteRow: Hashable, Sendable {
    public var pattern: RoutePattern
    /// Empty: all.
    public var methods: [RequestMethod]
    public var target: RouteTarget

    public init(_ pattern: RoutePattern, methods: [RequestMethod] = [], _ target: RouteTarget) {
        self.pattern = pattern
        self.methods = methods
        self.target = target
    }
}

public enum RouteTarget: Hashable, Sendable {
    /// Pages of the site: the index answers document navigations, whatever their path looks like. Nothing
    /// else is there.
    case site
    /// A file of the version or of the app package, or 404; never the index.
    case file
    /// The remote root answers (rule S7).
    /// `upgrades`: WebSockets may be opened through it.
    case remote(upgrades: Bool)
    /// Files that belong to no version and may be kept by a cache for so long (8fit; rule S5 allows an age
    /// outside versions only). Routes are whole paths; a path that ends in `/` is answered by its
    /// `index.html`.
    case folder(Site, age: TimeSpan)
    /// Native code answers (``LocalServer/LocalServer/Effect/handlerAsked(_:_:)``), by this name.
    case handler(String)
}

extension RouteRow {
    /// nil for a pattern that is none.
    public static func remote(_ pattern: String, upgrades: Bool = false) -> RouteRow? {
        RoutePattern(pattern).map { RouteRow($0, .remote(upgrades: upgrades)) }
    }
}
