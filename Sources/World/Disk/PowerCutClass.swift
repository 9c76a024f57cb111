/// Classes of power-cut outcomes by what survives. Which operations survive in an outcome is chosen in
/// `PowerCutSurvivors.swift` (``PowerCutOutcome`` `survivors(of:_:)`); the crash search tries an outcome of
/// each class (`Sources/Runner/Runner.docc/CrashPoints.md`).
package enum PowerCutClass: Int, CaseIterable, Hashable, Sendable {
    case nothing
    case everything
    /// All names and lengths, no content.
    case metadataOnly
    /// All content, no names and lengths.
    case dataOnly
    /// One operation, with those that it depends on.
    case only
    /// All but one operation and those that depend on it.
    case allBut
    /// Two operations, with those that they depend on; only up to 24 pending operations.
    case pair
    /// Everything, with garbage instead of one write.
    case torn
    /// What the syncs in flight cover, with all that it depends on; only while one of them covers something.
    case syncsInFlight
    /// All other legal subsets.
    case other
}

/// A set of classes.
package struct PowerCutClasses: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package init(_ one: PowerCutClass) { rawValue = 1 << one.rawValue }

    package func contains(_ one: PowerCutClass) -> Bool { contains(PowerCutClasses(one)) }
}
