/// How often an oracle had something to decide about a rule or a clause.
///
/// A decision is a comparison of what a rule allows with what there was, at a point where the two could have
/// differed. An event that a checker only looks at is none. So a rule that was never broken and never decided
/// is distinguished from one that was never broken and decided a million times.
package struct DecisionCount: Hashable, Sendable {
    /// Id of the rule; of the clause, for an oracle that counts its clauses apart.
    package var id: String
    package var count: Int

    package init(_ id: String, _ count: Int) {
        self.id = id
        self.count = count
    }
}

/// A checker whose decisions are all of its rule.
package protocol RuleChecker: Checker {
    /// Number of decisions so far.
    var decided: Int { get set }
}

extension RuleChecker {
    package var decisions: [DecisionCount] { [DecisionCount(rule, decided)] }
    package mutating func forgetDecisions() { decided = 0 }
}
