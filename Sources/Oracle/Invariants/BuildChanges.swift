/// Notices store updates as an app does: at the first launch of another native build than that of the process
/// before (N1).
struct BuildChanges: Sendable {
    /// Number of builds whose launch was noticed.
    private var noticed = 1

    /// Call this at each launch.
    /// - Returns: Whether the launched build is another one.
    mutating func hasChanged(_ observed: ObservedState) -> Bool {
        defer { noticed = observed.buildsSeen.count }
        return observed.buildsSeen.count > noticed
    }
}
