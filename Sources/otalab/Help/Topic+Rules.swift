import Runner

extension Topic {
    /// Generated from the table of rules.
    static let rules = Topic(
        name: "rules", page: "Rules", summary: "what must hold: each rule in a few sentences",
        text: """
            # Rules

            What must hold. Rules marked ∎ are checked after every event of every run, whatever a scenario covers.
            Each promise and each number of a rule is a clause with its own id, because each of them can break
            alone. Scenarios name the clauses, or rules, that they show in `covers`. `otalab help R3` prints one
            rule with its clauses, `otalab list --rules` the scenarios of each and the clauses without a case.


            """ + Rule.all.map { section($0) }.joined(separator: "\n"))

    private static func section(_ rule: Rule) -> String {
        line(rule) + "\n" + rule.clauses.map { line($0) }.joined()
    }

    static func line(_ clause: Clause) -> String {
        "- `\(clause.id)` \(clause.text)" + (clause.test.map { " Shown by `Tests/\($0).swift`." } ?? "")
            + "\n"
    }

    static func line(_ rule: Rule) -> String {
        "**\(rule.id)\(rule.isInvariant ? " ∎" : "")** \(rule.title). \(rule.text)\n"
    }
}
