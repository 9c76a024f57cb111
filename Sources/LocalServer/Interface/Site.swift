import Core

/// The files of one version, or of one folder, as the server needs them.
public struct Site: Hashable, Sendable {
    /// Name of the version; unique among the sites of this process, which are compared by it.
    public var name: String
    /// The route of the file in ``files`` that answers navigations; empty: none does.
    public var index: String
    /// Files in ascending order of the UTF-8 bytes of their routes, which are unique.
    public var files: [ServedFile]

    public init(name: String, index: String, files: [ServedFile]) {
        self.name = name
        self.index = index
        self.files = files
    }

    /// The file of a route, by binary search over the routes' bytes; nil: the site has none.
    func file(_ route: String) -> ServedFile? { TextBytes.element(route, in: files, by: \.route) }
}
