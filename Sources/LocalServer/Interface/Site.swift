import Core

/// The files of one version, or of one folder, as the server needs them.
public struct Site: Hashable, Sendable {
    /// Name of the version; unique among the sites of this process, which are compared by it.
    public var name: String
    /// The route of the file in ``files`` that answers navigations; empty: none does.
    public var index: String
    /// Files in ascending order of the UTF-8 bytes of their routes, which are unique.
    public var files: [SiteFile]

    public init(name: String, index: String, files: [SiteFile]) {
        self.name = name
        self.index = index
        self.files = files
    }

    /// The file of a route, by binary search over the routes' bytes (HT-F4, F6); nil: the site has none.
    func file(_ route: String) -> SiteFile? { TextBytes.element(route, in: files, by: \.route) }
}

/// One file of a ``Site``.
public struct SiteFile: Hashable, Sendable {
    /// Absolute path of its URL, percent-decoded once.
    public var route: String
    /// Where the disk has it. A stored file does not change while it is served.
    public var path: DiskPath
    /// Length in bytes. A file on disk with another length is not served (R10).
    public var size: Int
    /// Strong entity tag without its quotes (RFC 9110 §8.8.3).
    public var tag: String
    /// Media type (RFC 9110 §8.3); nil: by the route's extension.
    public var type: String?
    /// Whether the URL carries the content's hash: then a cache may keep the file for a year (S5).
    public var isImmutable: Bool
    /// URL of the source map, for `X-SourceMap`; nil: none.
    public var sourceMap: String?

    public init(
        route: String, path: DiskPath, size: Int, tag: String, type: String? = nil, isImmutable: Bool = false,
        sourceMap: String? = nil
    ) {
        self.route = route
        self.path = path
        self.size = size
        self.tag = tag
        self.type = type
        self.isImmutable = isImmutable
        self.sourceMap = sourceMap
    }
}
