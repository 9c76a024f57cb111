/// Which of the pending operations survive a power cut; they have the indices 0 ..< count in program order.
/// The page `Sources/Runner/Runner.docc/CrashPoints.md` lists the classes of outcomes. The disk adds or
/// removes operations that its profile's order requires, so that no outcome is impossible. Scenarios use
/// `nothing`; the crash search uses the others.
package enum PowerCutOutcome: Hashable, Sendable {
    case nothing
    case everything
    /// This operation and those that it needs.
    case only(Int)
    /// All but this operation and those that need it.
    case allBut(Int)
    /// These two operations and those that they need.
    case pair(Int, Int)
    /// All names and lengths and no content, if the order allows it.
    case metadataOnly
    /// All content and no names and lengths, if the order allows it.
    case dataOnly
    /// What the syncs in flight cover, and what that needs: they are done, and nothing else is.
    case syncsInFlight
    /// These operations, in ascending order, and those that they need.
    case these([Int])
    /// A subset that is derived from the key.
    case keyed(UInt64)
    /// Everything, but this write left a torn block: zeros, or garbage if the garbage fault is on.
    case torn(Int)
}
