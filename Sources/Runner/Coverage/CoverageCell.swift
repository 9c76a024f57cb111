import Backend
import ScenarioLanguage
import Updater

/// Something that a run can reach, counted by ``CoverageTable``: a log cause, or something that happens to
/// the app while it is in a certain circumstance.
package struct CoverageCell: Hashable, Comparable, Sendable {
    /// What is counted.
    package enum Group: String, CaseIterable, Hashable, Comparable, Sendable {
        /// A cause of the app's log (T1).
        case cause
        /// Something that happens to the app, and what was under way.
        case disturbance
        /// A way in which a process ends, and what was under way.
        case end

        package static func < (one: Group, two: Group) -> Bool { one.order < two.order }

        private var order: Int { Group.allCases.firstIndex(of: self) ?? 0 }
    }

    package let group: Group
    /// What it is: a log cause, a kind of disturbance, a cause of death.
    package let name: String
    /// What was under way; nil for a log cause.
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
        if group != .cause {
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
    package static let all: [CoverageCell] =
        LogCause.allCases.map { CoverageCell(.cause, $0.rawValue) }
        + DisturbanceKind.all.flatMap { kind in
            kind.circumstances.map { CoverageCell(.disturbance, kind.name, $0) }
        }
        + DeathCause.allCases.flatMap { cause in
            Circumstance.allCases.filter(\.hasProcess).map { CoverageCell(.end, cause.rawValue, $0) }
        }

    /// Index in ``all``; nil for a cell that is not in it.
    var index: Int? { CoverageCell.indices[self] }

    private static let indices = Dictionary(uniqueKeysWithValues: zip(all, all.indices))
}

extension Circumstance {
    var hasProcess: Bool { self != .notRunning }
    /// Whether the app's code runs.
    var isAwake: Bool { hasProcess && self != .suspended }
}
