import Core
import ScenarioLanguage
import World

/// Where a crash happens and what it leaves, so that a scenario can say it: the n-th disk operation from
/// the begin of a step on is the last one that happens.
package struct CrashPlace: Hashable, Sendable {
    package enum Origin: Hashable, Sendable {
        /// The nth step that begins with this verb, counted from 1 over the whole story.
        case step(Verb, nth: Int)
        /// The launch that follows the crash before.
        case recovery
    }

    package var of: Origin
    /// From 1.
    package var operation: Int
    /// Where the last operation is a write: it takes so many bytes; nil: all.
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

extension CrashPlace: CustomStringConvertible {
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
