import Core

extension Site {
    /// By binary search over the routes' bytes (HT-F4, F6): what no row names does not exist.
    func file(_ route: String) -> SiteFile? { TextBytes.element(route, in: files, by: \.route) }
}
