import Reporting
import Runner
import Search

/// The output of a crash-point search as text.
enum CrashTable {
    /// The name in the line of the sum.
    static let all = "all"

    static let head =
        pad("scenario", 58) + right("points", 8) + right("exact", 8) + right("sampled", 8)
        + right("states", 10) + right("merged", 10) + right("failed", 8) + right("states/s", 10) + "\n"

    static func line(_ name: String, _ tally: CrashTally, _ problem: String?, _ microseconds: Int64?)
        -> String
    {
        if let problem { return pad(name, 58) + "  \(problem)\n" }
        if tally.points + tally.pointsLeftOut == 0, name != all {
            return pad(name, 58) + "  no disk operation to stop at\n"
        }
        let rate = microseconds.map { Int64(tally.states) * 1_000_000 / max($0, 1) }
        return pad(name, 58) + right("\(tally.points)", 8) + right("\(tally.exactPoints)", 8)
            + right("\(tally.sampledPoints)", 8) + right("\(tally.states)", 10)
            + right("\(tally.merged)", 10) + right("\(tally.failures)", 8)
            + right(rate.map { "\($0)" } ?? "-", 10) + "\n"
    }

    /// The outcome classes that exist, each with its number of points: `torn 8`, or `torn 5 of 8` if only
    /// some of them were tried.
    static func classes(_ tally: CrashTally) -> String {
        let existing = tally.classes.counts.filter { $0.existing > 0 }
        if existing.isEmpty { return "" }
        let texts = existing.map { count in
            "\(count.kind.name) \(count.tried == count.existing ? "" : "\(count.tried) of ")\(count.existing)"
        }
        return "  " + texts.joined(separator: ", ") + "\n"
    }

    /// The rate is per second of processor time, because other programs on the machine don't change that.
    static func summary(
        _ sum: CrashTally, _ microseconds: Int64?, _ processor: Double?, _ leftOut: Int
    ) -> String {
        let share = sum.points == 0 ? 100 : sum.exactPoints * 100 / sum.points
        var text = "\(sum.firstPoints) points of a first crash, \(sum.secondPoints) of a second one within"
        text += " the recovery from \(sum.secondTried) of \(sum.secondTried + sum.secondLeftOut);"
        text +=
            " \(sum.exactPoints) points exact (\(share) %), \(sum.sampledPoints) sampled;"
            + " \(sum.launched) states launched, \(sum.used) used on"
        if sum.pointsLeftOut > 0 { text += "; \(sum.pointsLeftOut) points left out" }
        if let microseconds, let processor {
            let rate = Int64(Double(sum.states) / max(processor, 0.001))
            text += " in \(microseconds / 1_000_000) s, \(Int64(processor)) s of processor time: "
            text += "\(rate) states a second of it"
        }
        if leftOut > 0 { text += "; \(leftOut) \(leftOut == 1 ? "scenario" : "scenarios") left out" }
        return text + "; " + (sum.failures == 0 ? "no failure" : "\(sum.failures) FAILURES") + "\n"
    }

    /// The findings of all scenarios, two lines each.
    static func found(_ scenarios: [CrashResults.SearchedScenario]) -> String {
        var text = ""
        for scenario in scenarios {
            for finding in scenario.findings {
                text += "FAIL \(scenario.shownName)   [\(finding.rule)] \(finding.headline)\n"
                if let command = finding.command { text += "  repro     \(command)\n" }
            }
        }
        return text
    }

    /// The table of results that were read, without times.
    static func text(_ results: CrashResults) -> String {
        var text = head
        for scenario in results.scenarios {
            text += line(scenario.shownName, scenario.counts, scenario.problem, nil)
            text += classes(scenario.counts)
        }
        text += line(all, results.all, nil, nil) + classes(results.all)
        text += summary(results.all, nil, nil, results.skipped.count) + found(results.scenarios)
        for skipped in results.skipped { text += "left out: \(skipped.name): \(skipped.reason)\n" }
        return text
    }

    static func interrupted(_ count: Int, of all: Int) -> String {
        "interrupted: \(count) of \(all) scenarios were searched, the last one partly\n"
    }

    static func fileName(_ name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "-" })
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }
}
