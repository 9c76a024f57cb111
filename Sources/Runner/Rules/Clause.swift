import Oracle

/// One promise or one number of a rule, for `covers`, for the reports and for `otalab help`.
///
/// A rule is too large to be shown by a scenario: R5 has a key, exceptions, limits and three ways to end.
/// Each of them can break alone, so each has its own id and needs a case on both sides of its border.
package struct Clause: Hashable, Sendable {
    /// Rule's id, a dot, and a name: `R5.second-30-days`.
    package var id: String
    /// The promise in one sentence.
    package var text: String
    /// Suite that shows it where no scenario can: `UpdaterTests/RecordTests` is a file in `Tests/`.
    package var test: String?

    package init(_ id: String, _ text: String, shownBy test: String? = nil) {
        self.id = id
        self.text = text
        self.test = test
    }

    /// Id of the rule that it belongs to.
    package var rule: String { Clause.rule(of: id) }

    /// As they are written, chapter by chapter.
    static let written =
        serving + updating + publications + starts + recovery + native + telling + any

    /// In the order of the rules.
    package static let all: [Clause] = Rule.all.flatMap(\.clauses)

    package static func named(_ id: String) -> Clause? { all.first { $0.id == id } }

    /// The rule's id in the id of a rule or a clause.
    fileprivate static func rule(of id: String) -> String { String(id.prefix { $0 != "." }) }
}

/// Ids that `covers` and `--rule` take: those of rules and of clauses.
package enum RuleID {
    package static let all = Rule.all.flatMap { [$0.id] + $0.clauses.map(\.id) }

    package static func exists(_ id: String) -> Bool { Rule.named(id) != nil || Clause.named(id) != nil }

    /// Whether a scenario that names one id in `covers` covers the other: a clause covers its rule, too.
    package static func covers(_ named: String, _ id: String) -> Bool {
        named == id || Clause.rule(of: named) == id
    }
}

extension Rule {
    /// Its promises and numbers.
    package var clauses: [Clause] { Rule.clausesByRule[id] ?? [] }

    private static let clausesByRule = Dictionary(grouping: Clause.written, by: \.rule)

    /// Whether each of its clauses needs a case on both sides of its border: the rules that decide what the
    /// user gets. The clauses of the others need one case.
    package var needsBothSides: Bool {
        let number = Int(id.dropFirst()) ?? 0
        switch id.first {
        case "R": return number >= 2
        case "U": return (4...9).contains(number) || number == 13
        case "N": return number == 1
        default: return false
        }
    }
}
