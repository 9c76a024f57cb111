import ScenarioLanguage

/// What a search needs to know of an updater that it sees from outside only: somebody else's.
package struct OutsideUpdater: Hashable, Sendable {
    /// Formats of manifests that it reads; at least one.
    package var dialects: [ManifestFormat]
    /// Whether it can be told to check for a new version.
    package var checks: Bool
    /// Whether the scenario's time costs no real time.
    package var hasOwnClock: Bool

    package init(dialects: [ManifestFormat], checks: Bool, hasOwnClock: Bool) {
        self.dialects = dialects
        self.checks = checks
        self.hasOwnClock = hasOwnClock
    }
}
