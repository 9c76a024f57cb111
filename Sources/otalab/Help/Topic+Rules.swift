import Runner

extension Topic {
    /// Generated from the table of rules.
    static let rules = Topic(
        name: "rules", page: "Rules", summary: "what must hold: each rule in a few sentences",
        text: """
            # Rules

            What must hold. Scenarios name these ids in `covers`. Rules marked ∎ are checked after every event of
            every run, whatever a scenario covers. `otalab help R3` prints one rule, `otalab list --rules` the
            scenarios of each.


            """ + Rule.all.map { line($0) }.joined(separator: "\n"))

    static func line(_ rule: Rule) -> String {
        "**\(rule.id)\(rule.isInvariant ? " ∎" : "")** \(rule.title). \(rule.text)\n"
    }
}
