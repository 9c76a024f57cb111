import Core
import Oracle
import Runner

/// Verifies that states with equal keys (``CrashKey``) have equal futures: merged states are run all the same
/// and must end with the same verdict and the same store.
///
/// For tests of the search, because it costs everything that merging saves. Not verified: differences that
/// show only in a use of the device that ``Recovery`` does not try.
package struct MergeCheck: Sendable {
    /// The end of a state's run.
    package struct End: Sendable {
        package var verdict: Recovery.Finding?
        /// The store when the device is idle; nil if it never became idle.
        package var rest: StoreSnapshot?

        fileprivate func isEquivalent(to other: End) -> Bool {
            verdict?.rule == other.verdict?.rule && (verdict != nil || rest == other.rest)
        }

        fileprivate var text: String { verdict?.headline ?? rest?.text ?? "no failure" }
    }

    /// The key as a search would compute it that ignores part of the state; a test shows that the check finds
    /// such a mistake. The identity otherwise.
    package let forget: @Sendable (CrashKey) -> CrashKey
    private var disturbed: [CrashKey: End] = [:]
    private var recovered: [CrashKey: End] = [:]

    package init(forget: @escaping @Sendable (CrashKey) -> CrashKey = { $0 }) { self.forget = forget }

    /// - Returns: the verdict if the earlier state that this one was merged with ended differently.
    package mutating func flaw(disturbed key: CrashKey, _ end: End) -> Recovery.Finding? {
        MergeCheck.flaw(forget(key), end, &disturbed)
    }

    /// Like ``flaw(disturbed:_:)``, for the state at the end of the recovery.
    package mutating func flaw(recovered key: CrashKey, _ end: End) -> Recovery.Finding? {
        MergeCheck.flaw(forget(key), end, &recovered)
    }

    private static func flaw(
        _ key: CrashKey, _ end: End, _ ends: inout [CrashKey: End]
    ) -> Recovery.Finding? {
        guard let first = ends[key] else {
            ends[key] = end
            return nil
        }
        if first.isEquivalent(to: end) { return nil }
        return Recovery.Finding(
            "merging", "Two states that were merged end differently", expected: first.text, actual: end.text)
    }
}
