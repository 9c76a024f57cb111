/// One row of the table rules × scenarios.
public struct RuleCoverage: Hashable, Sendable {
    public var rule: String
    /// The rule's name in the rulebook.
    public var title: String
    /// An invariant, checked after every event of every run.
    public var isInvariant: Bool
    /// Names of the scenarios that say they cover it, with what became of them; in the order of the run.
    public var scenarios: [Entry]

    public struct Entry: Hashable, Sendable {
        public var name: String
        public var verdict: Verdict

        public init(name: String, verdict: Verdict) {
            self.name = name
            self.verdict = verdict
        }
    }

    public init(rule: String, title: String, isInvariant: Bool, scenarios: [Entry]) {
        self.rule = rule
        self.title = title
        self.isInvariant = isInvariant
        self.scenarios = scenarios
    }

    /// A rule that no scenario shows is a hole.
    public var isHole: Bool { scenarios.isEmpty && !isInvariant }
}
