import Core
import Oracle
import Runner

/// Holds a search to its promise that states which count as one (``CrashKey``) have one future: what was
/// merged is carried out all the same, and must come to the same verdict and the same store at rest.
///
/// For tests of the search: it costs all that merging saves. What it can't see: a difference that comes to
/// light only in a use of the device that ``Recovery`` does not try.
package struct MergeCheck: Sendable {
    /// What came of a state in the end.
    package struct End: Sendable {
        package var verdict: Recovery.Verdict?
        /// Nil where no rest was reached.
        package var rest: StoreAtRest?

        fileprivate func isOne(with other: End) -> Bool {
            verdict?.rule == other.verdict?.rule && (verdict != nil || rest == other.rest)
        }

        fileprivate var text: String { verdict?.headline ?? rest?.text ?? "no failure" }
    }

    /// What a search that forgets something would take for the key; a test shows that it is found out.
    package let forget: @Sendable (CrashKey) -> CrashKey
    private var crashed: [CrashKey: End] = [:]
    private var recovered: [CrashKey: End] = [:]

    package init(forget: @escaping @Sendable (CrashKey) -> CrashKey = { $0 }) { self.forget = forget }

    /// - Returns: what is to be said when the earlier state that this one was merged with ended otherwise.
    package mutating func flaw(crashed key: CrashKey, _ end: End) -> Recovery.Verdict? {
        MergeCheck.flaw(forget(key), end, &crashed)
    }

    /// As ``flaw(crashed:_:)``, of the state at the end of the recovery.
    package mutating func flaw(recovered key: CrashKey, _ end: End) -> Recovery.Verdict? {
        MergeCheck.flaw(forget(key), end, &recovered)
    }

    private static func flaw(
        _ key: CrashKey, _ end: End, _ ends: inout [CrashKey: End]
    ) -> Recovery.Verdict? {
        guard let first = ends[key] else {
            ends[key] = end
            return nil
        }
        if first.isOne(with: end) { return nil }
        return Recovery.Verdict(
            "merging", "Two states that count as one end differently", expected: first.text, actual: end.text)
    }
}
