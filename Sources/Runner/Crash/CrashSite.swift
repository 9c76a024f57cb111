import Core
import ScenarioLanguage
import World

/// The point at which a crash happens, and its outcome, in the terms of a `crash` step: the n-th disk
/// operation after the start of a step is the last one performed.
package struct CrashSite: Hashable, Sendable {
    package enum Origin: Hashable, Sendable {
        /// The n-th step with this verb, counted from 1 over the whole scenario.
        case step(Verb, nth: Int)
        /// The launch that follows the previous crash.
        case recovery
    }

    /// Start from which operations are counted.
    package var of: Origin
    /// Ordinal of the last operation, from 1.
    package var operation: Int
    /// Bytes that the last operation writes if it is a write; nil: all.
    package var writes: Int?
    package var outcome: CrashOutcome

    package init(of origin: Origin, operation: Int, writes: Int? = nil, outcome: CrashOutcome) {
        of = origin
        self.operation = operation
        self.writes = writes
        self.outcome = outcome
    }
}

extension CrashOutcome {
    var action: Action {
        switch self {
        case .kill: .kill(.system)
        case .powerCut(let survivors): .powerCut(.these(survivors.indices.filter { survivors[$0] }))
        case .torn(let index): .powerCut(.torn(index))
        }
    }
}

extension CrashSite: CustomStringConvertible {
    package var description: String {
        let begin =
            switch of {
            case .recovery: "of the launch after it"
            case .step(let verb, let nth): nth == 1 ? "of \(verb.rawValue)" : "of \(verb.rawValue) no. \(nth)"
            }
        let end =
            switch outcome {
            case .kill: "kill"
            case .powerCut, .torn: "power cut \(outcome.text)"
            }
        let cut = writes.map { ", \($0) bytes of it" } ?? ""
        return "operation \(operation) \(begin)\(cut): \(end)"
    }
}
