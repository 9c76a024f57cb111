import Backend
import Oracle
import ScenarioLanguage
import Updater

/// Something that a run can reach, counted by ``CoverageTable``: a log cause, something that happens to the
/// app while it is in a certain circumstance, or a decision of an oracle.
package struct CoverageCell: Hashable, Comparable, Sendable {
    /// What is counted.
    package enum Group: String, CaseIterable, Hashable, Comparable, Sendable {
        /// A cause of the app's log (T1).
        case cause
        /// Something that happens to the app, and what was under way.
        case disturbance
        /// A way in which a process ends, and what was under way.
        case end
        /// A comparison of what a rule or a clause allows with what there was (``DecisionCount``).
        case decision

        /// Whether its cells say what was under way.
        var hasCircumstance: Bool {
            switch self {
            case .disturbance, .end: true
            case .cause, .decision: false
            }
        }

        package static func < (one: Group, two: Group) -> Bool { one.order < two.order }

        private var order: Int { Group.allCases.firstIndex(of: self) ?? 0 }
    }

    package let group: Group
    /// What it is: a log cause, a kind of disturbance, a cause of death, the id of a rule or a clause.
    package let name: String
    /// What was under way; nil for a group without (``Group/hasCircumstance``).
    package let circumstance: Circumstance?

    package init(_ group: Group, _ name: String, _ circumstance: Circumstance? = nil) {
        self.group = group
        self.name = name
        self.circumstance = circumstance
    }

    /// As files and reports show it: `end: crash / downloading`.
    package var text: String {
        "\(group.rawValue): \(name)" + (circumstance.map { " / \($0.rawValue)" } ?? "")
    }

    /// - Returns: nil if the text is not of the form of ``text``, or names a group or circumstance that this
    ///   program does not know.
    package init?(_ text: String) {
        guard let colon = text.range(of: ": "), let group = Group(rawValue: String(text[..<colon.lowerBound]))
        else { return nil }
        var name = text[colon.upperBound...]
        var circumstance: Circumstance?
        if group.hasCircumstance {
            guard let slash = name.range(of: " / ", options: .backwards),
                let known = Circumstance(rawValue: String(name[slash.upperBound...]))
            else { return nil }
            circumstance = known
            name = name[..<slash.lowerBound]
        }
        self.init(group, String(name), circumstance)
    }

    /// In the order of ``all``; cells that are not in it come last, by their text.
    package static func < (one: CoverageCell, two: CoverageCell) -> Bool {
        let (first, second) = (indices[one] ?? all.count, indices[two] ?? all.count)
        return first == second ? one.text < two.text : first < second
    }

    /// All cells that can be reached, in the order of reports.
    package static let all = ofTrace + decisions

    /// Those that the trace of a run shows. A search that looks for something new goes by these alone: what
    /// is compared in a run follows from what happens in it.
    static let ofTrace: [CoverageCell] =
        LogCause.allCases.map { CoverageCell(.cause, $0.rawValue) }
        + DisturbanceKind.all.flatMap { kind in
            kind.circumstances.map { CoverageCell(.disturbance, kind.name, $0) }
        }
        + DeathCause.allCases.flatMap { cause in
            Circumstance.allCases.filter(\.hasProcess).map { CoverageCell(.end, cause.rawValue, $0) }
        }

    /// One for each rule and clause that an oracle decides apart, in the order of the rules.
    private static let decisions: [CoverageCell] = {
        let order = Dictionary(uniqueKeysWithValues: zip(RuleID.all, RuleID.all.indices))
        return CheckerList(CheckerList.crashing).decisions.map(\.id).enumerated()
            .sorted { (order[$0.element] ?? .max, $0.offset) < (order[$1.element] ?? .max, $1.offset) }
            .map { CoverageCell(.decision, $0.element) }
    }()

    /// Index in ``all``; nil for a cell that is not in it.
    var index: Int? { CoverageCell.indices[self] }

    private static let indices = Dictionary(uniqueKeysWithValues: zip(all, all.indices))
}

extension Circumstance {
    var hasProcess: Bool { self != .notRunning }
    /// Whether the app's code runs.
    var isAwake: Bool { hasProcess && self != .suspended }
}
