import Backend
import ReferenceModel

/// R2 to R13, U6, N1: the app decides as the rules allow.
///
/// What they allow is computed by a ``ReferenceModel`` from the trace alone; its head says what it is silent
/// about. A violation names the clause, and its rule is the clause's.
struct Decisions: Checker {
    /// Most of its decisions are of this rule; each violation names its own clause.
    let rule = "R3"

    private var model: ReferenceModel?

    var decisions: [DecisionCount] {
        ModelClause.allCases.map { DecisionCount($0.id, model?.decisions(of: $0) ?? 0) }
    }

    mutating func forgetDecisions() { model?.forgetDecisions() }

    func hashMemory(into hasher: inout Hasher) { model?.hash(into: &hasher) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if model == nil {
            model = ReferenceModel(observed.app, observed.versions, observed.profile)
        }
        return Decisions.violation(model?.observe(event).first, observed)
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        Decisions.violation(model?.timePassed(to: observed.now).first, observed)
    }

    /// Static, because a method would copy the model for each event.
    private static func violation(_ found: Disagreement?, _ observed: ObservedState) -> Violation? {
        guard let found else { return nil }
        let name = found.version.map { observed.names.name(ofID: $0.id) } ?? "The app"
        return Violation(
            "\(version: name): a decision that \(found.clause) does not allow",
            expected: ViolationText(found.allowed), actual: ViolationText(found.actual), clause: found.clause)
    }
}
