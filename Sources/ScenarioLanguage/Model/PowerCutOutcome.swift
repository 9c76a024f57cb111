/// What a power cut leaves of the pending operations, numbered 0 ..< count in program order
/// (storage.md, "What 'every legal outcome' means"). A disk makes each closed under its profile's order
/// before it happens, so none of them is impossible. Scenarios say `nothing`; the crash search says the rest.
package enum PowerCutOutcome: Hashable, Sendable {
    case nothing
    case everything
    /// This one and what it needs.
    case only(Int)
    /// All but this one and what needs it.
    case allBut(Int)
    case pair(Int, Int)
    /// All names and lengths, no content, as far as the order allows.
    case metadataOnly
    /// All content, no names and lengths, as far as the order allows.
    case dataOnly
    /// These, in rising order, and what they need.
    case these([Int])
    /// A subset drawn from the key: the same key, the same subset.
    case keyed(UInt64)
    /// Everything, but this write left a torn block: zeros, or garbage where the garbage fault is on.
    case torn(Int)
}
