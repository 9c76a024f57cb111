/// One file of a version or of a folder, as the updater hands it to the server: where the disk has it, and
/// how it is answered.
public struct ServedFile: Hashable, Sendable {
    /// Absolute path of its URL, percent-decoded once.
    public var route: String
    /// Where the disk has it. A stored file does not change while it is served.
    public var path: DiskPath
    /// Length in bytes. A file on disk with another length is not served (R10).
    public var size: Int
    /// Strong entity tag without its quotes (RFC 9110 §8.8.3): the SHA-256 of the content if it is known,
    /// otherwise the manifest's hash in hex.
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
