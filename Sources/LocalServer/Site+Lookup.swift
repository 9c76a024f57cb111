import Core

extension Site {
    /// By binary search over the routes' bytes (HT-F4, F6): what no row names does not exist.
    func file(_ route: String) -> SiteFile? {
        var low = 0
        var high = files.count
        while low < high {
            let middle = (low + high) / 2
            if TextBytes.precedes(files[middle].route, route) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < files.count, TextBytes.areEqual(files[low].route, route) else { return nil }
        return files[low]
    }
}
