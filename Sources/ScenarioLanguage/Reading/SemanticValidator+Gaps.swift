import Core

// Gaps.
extension SemanticValidator {
    /// A gap in rounds would need a filling for each of them, which no file can show.
    mutating func checkRounds(_ rounds: RepeatSpec) {
        for step in rounds.steps {
            guard case .gap(let gap) = step.action else { continue }
            report(
                .conflict, "a gap in a 'repeat'", label: "only in the steps of the scenario", at: gap.span,
                help: "put it before or after the rounds, or write the rounds as steps")
        }
    }
}
