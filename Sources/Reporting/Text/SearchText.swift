import Foundation
import Runner

/// What a search tried and found, in lines for people: the same for one search and for parts that were
/// merged.
package struct SearchText: Sendable {
    private let search: SearchSummary
    private let cells: CoverageTable
    /// Duration of all parts; nil: times are not shown.
    private let seconds: Double?

    package init(_ search: SearchSummary, cells: CoverageTable, seconds: Double?) {
        (self.search, self.cells, self.seconds) = (search, cells, seconds)
    }

    /// A finding in three lines: what failed, how often and how early, and the command that shows it.
    /// - Parameter folder: of the report.
    package func finding(_ index: Int, folder: String) -> String {
        let finding = search.findings[index]
        return "\(index + 1)  \(finding.headline)\n   \(search.note(on: finding))\n"
            + "   otalab run \(ShellWord.quoted("\(folder)/\(finding.file)"))\n"
    }

    /// The figures in one line.
    package var sum: String {
        let counts = search.counts
        let findings = search.findings.count
        var parts: [String]
        switch search.kind {
        case .sweep:
            let share = Double(counts[.tried]) * 100 / Double(max(counts[.points], 1))
            parts = [
                "\(counts[.scenarios]) scenarios", "\(counts[.cells]) cells",
                "\(counts[.worlds]) worlds"
                    + String(format: " (%.1f %% of %d points)", share, counts[.points]),
            ]
            if counts[.pairs] > 0 { parts.append("\(counts[.pairs]) of them with two disturbances") }
            if counts[.compared] > 0 { parts.append("\(counts[.compared]) compared with a changed run") }
            parts += [
                "\(counts[.withoutEffect]) without effect", "\(counts[.unfinished]) at a limit",
                "\(counts[.failures]) failed in \(findings) ways",
                "\(counts[.scenariosLeftOut]) scenarios left out",
            ]
            if let seconds { parts.append(String(format: "%.1f s", seconds)) }
        case .explore:
            parts = [
                "\(counts[.worlds]) worlds", "\(counts[.filled]) of files", "\(counts[.events]) events",
                "\(counts[.failures]) with a failure of \(findings) kinds",
                "\(counts[.unfinished]) at the limit of events", "\(counts[.notDrawn]) not drawn",
                "\(counts[.stepsLeftOut]) steps left out",
            ]
        }
        if let seconds {
            parts.append(String(format: "%.0f worlds/s", Double(counts[.worlds]) / max(seconds, 0.001)))
        }
        return parts.joined(separator: ", ") + "\n"
    }

    /// How many coverage cells were reached, and of an exploration the causes that no world has logged and
    /// the rules and clauses that no oracle has decided.
    /// - Parameter more: further figures of the first line.
    package func coverage(_ more: String = "") -> String {
        let summary = CoverageSummary(cells)
        var text = "reached \(summary.reached) of \(summary.all) coverage cells\(more)\n"
        let causes = summary.causes.filter { $0.count == 0 }.map(\.name)
        if search.kind == .explore, !causes.isEmpty {
            text += "never logged: \(causes.joined(separator: " "))\n"
        }
        let undecided = summary.rules.flatMap(\.counts).filter { $0.count == 0 }.map(\.id)
        if search.kind == .explore, !undecided.isEmpty {
            text += "never decided: \(undecided.joined(separator: " "))\n"
        }
        return text
    }
}
