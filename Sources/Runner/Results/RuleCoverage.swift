/// The scenarios that cover one rule, and each of its clauses; a line of the table rules × scenarios.
package struct RuleCoverage: Hashable, Sendable {
    package var rule: String
    /// The rule's name in <doc:Rules>.
    package var title: String
    /// Whether it is an invariant, checked after every event of every run.
    package var isInvariant: Bool
    /// Scenarios that name the rule in `covers`, with their verdicts, in the order of the run.
    package var scenarios: [Entry]

    /// Its clauses, in the order of <doc:Rules>.
    package var clauses: [ClauseEntry]

    /// A clause, and the scenarios that name it.
    package struct ClauseEntry: Hashable, Sendable {
        package var id: String
        package var text: String
        package var scenarios: [String]
        /// Suite that shows it where no scenario can.
        package var test: String?

        package init(id: String, text: String, scenarios: [String], test: String? = nil) {
            self.id = id
            self.text = text
            self.scenarios = scenarios
            self.test = test
        }
    }

    package struct Entry: Hashable, Sendable {
        package var name: String
        package var verdict: Verdict

        package init(name: String, verdict: Verdict) {
            self.name = name
            self.verdict = verdict
        }
    }

    package init(
        rule: String, title: String, isInvariant: Bool, scenarios: [Entry], clauses: [ClauseEntry] = []
    ) {
        self.rule = rule
        self.title = title
        self.isInvariant = isInvariant
        self.scenarios = scenarios
        self.clauses = clauses
    }

    /// Whether the rule is tested by neither a scenario nor a checker.
    package var isHole: Bool { scenarios.isEmpty && !isInvariant }

    /// Clauses that neither a scenario of the run nor a test shows.
    package var openClauses: [ClauseEntry] { clauses.filter { $0.scenarios.isEmpty && $0.test == nil } }
}
