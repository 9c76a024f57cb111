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

/// What a checker knew before a store update. The build may come back before the device has noticed that it
/// was away; to the device nothing has changed then (N1).
struct BeforeStoreUpdate<Memory: Sendable>: Sendable {
    private var kept: (build: String, memory: Memory)?

    /// Call this when ``BuildChanges`` sees another build.
    /// - Parameter memory: what is known until now.
    /// - Returns: what was known of the build that is back; nil: to the device it is another one.
    mutating func changed(_ memory: Memory, _ observed: ObservedState) -> Memory? {
        if observed.isBuildBack, let kept {
            self.kept = nil
            return kept.memory
        }
        // Of several builds that the device has not noticed, the one before them counts.
        if let build = observed.formerBuild?.name, build != kept?.build { kept = (build, memory) }
        return nil
    }
}
