import Core
import HTTP1

/// What answers which path: the first entry whose pattern and methods match. A request that no entry matches
/// is answered by the version's files · files of the app package · the index for document navigations · 404.
///
/// 8fit's server corresponds to `[remote("/api/**"), folder("/static/**", 3600 s)]`, FINCH's to
/// `[remote("/api/**"), file("/assets/**"), site("/**")]`: there a component anywhere in the path made it an
/// API request, here the order of entries does.
public struct RouteTable: Hashable, Sendable {
    /// Entries in order of precedence.
    public var entries: [RouteEntry]

    public init(_ entries: [RouteEntry] = []) { self.entries = entries }

    /// The first entry that matches; nil: none does.
    func entry(for head: RequestHead) -> RouteEntry? {
        guard !entries.isEmpty, let target = head.path, let segments = RoutePattern.segments(of: target)
        else {
            return nil
        }
        return entries.first { entry in
            (entry.methods.isEmpty || entry.methods.contains(head.method)) && entry.pattern.matches(segments)
        }
    }
}
