import Core
import Reporting
import Runner
import ScenarioLanguage
import Search

/// The scenarios of one file that a worker sweeps, and what does not come with the options of all runs.
struct SweepRequest {
    var level: SweepLevel
    var pairs: Int
    var isMetamorphic: Bool
    /// Threads of the worker.
    var jobs: Int
    /// Worlds that an earlier worker died of.
    var skipped: [SweepMark] = []
    /// Ids of the cells that are tried; nil: all.
    var onlyCells: Set<UInt64>?
    var plans: [RunRequest]
}

extension WorkerMessage {
    static func sweep(_ request: SweepRequest) -> Frame {
        let level = if case .every(let step) = request.level { "\(step)" } else { "cells" }
        let head = [
            "sweep", level, "\(request.pairs)", request.isMetamorphic ? "1" : "0", "\(request.jobs)",
            request.skipped.map(\.text).joined(separator: "\n"), request.onlyCells.map(text) ?? "all",
        ]
        return Frame(head.map { bytes($0) } + request.plans.map { WorkerMessage.request($0).body })
    }

    /// - Returns: nil for another message.
    static func sweep(_ frame: Frame) -> SweepRequest? {
        guard frame.parts.count > 7, text(frame.parts[0]) == "sweep",
            let pairs = Int(text(frame.parts[2])), let jobs = Int(text(frame.parts[4])),
            let plans = plans(frame.parts.dropFirst(7))
        else { return nil }
        let only = text(frame.parts[6])
        return SweepRequest(
            level: Int(text(frame.parts[1])).map { .every($0) } ?? .cells, pairs: pairs,
            isMetamorphic: text(frame.parts[3]) == "1", jobs: jobs,
            skipped: text(frame.parts[5]).split(separator: "\n").compactMap { SweepMark($0) },
            onlyCells: only == "all" ? nil : ids(only), plans: plans)
    }

    /// - Returns: nil if a part is no run request.
    private static func plans(_ parts: ArraySlice<[UInt8]>) -> [RunRequest]? {
        let plans = parts.compactMap { part in
            (try? Frame(body: part[...])).flatMap { WorkerMessage.request($0) }
        }
        return plans.count == parts.count ? plans : nil
    }

    // MARK: - Cells

    /// Asks for the cells of the scenarios of one file.
    static func cells(of plans: [RunRequest]) -> Frame {
        Frame([bytes("cells")] + plans.map { WorkerMessage.request($0).body })
    }

    /// - Returns: the scenarios of one file whose cells are asked for; nil for another message.
    static func cellsWanted(_ frame: Frame) -> [RunRequest]? {
        guard frame.parts.count > 1, text(frame.parts[0]) == "cells" else { return nil }
        return plans(frame.parts.dropFirst(1))
    }

    static func cells(_ ids: Set<UInt64>) -> Frame { Frame([bytes(text(ids))]) }

    /// - Returns: nil for another message.
    static func cells(_ frame: Frame) -> Set<UInt64>? {
        frame.parts.count == 1 ? ids(text(frame.parts[0])) : nil
    }

    private static func text(_ ids: Set<UInt64>) -> String {
        ids.sorted().map { String($0, radix: 36) }.joined(separator: " ")
    }

    private static func ids(_ text: String) -> Set<UInt64> {
        Set(text.split(separator: " ").compactMap { UInt64($0, radix: 36) })
    }

    // MARK: - Reports

    /// The reports of one file, each with its findings.
    static func swept(_ reports: [SweepReport]) -> Frame {
        Frame(
            reports.map { report in
                let head = [
                    report.plan.name, report.device ?? "", report.problem ?? "",
                    report.tally.figures.map(String.init).joined(separator: " "),
                    "\(Int64(report.wall / .microseconds(1)))",
                ]
                var parts = head.map { bytes($0) } + [bytes(report.cells.encoded)]
                for finding in report.findings {
                    var result = ScenarioResult(id: "", name: "", file: "", title: "")
                    result.failures = [finding.failure]
                    parts += [
                        bytes(finding.cause), bytes(ScenarioPrinter.text(of: finding.scenario)),
                        WorkerMessage.result(result).body,
                    ]
                }
                return Frame(parts).body
            })
    }

    /// - Parameters:
    ///   - plans: the requested ones.
    ///   - profiles: names of the device profiles.
    static func swept(
        _ frame: Frame, of plans: [RunPlan], profiles: [String]
    ) throws(ResultsFault) -> [SweepReport] {
        var reports: [SweepReport] = []
        for part in frame.parts {
            guard let parts = (try? Frame(body: part[...]))?.parts, parts.count >= 6, parts.count % 3 == 0,
                let plan = plans.first(where: { $0.name == text(parts[0]) }),
                let tally = SweepTally(figures: text(parts[3]).split(separator: " ").compactMap { Int($0) }),
                let wall = Int64(text(parts[4]))
            else { throw ResultsFault(member: "", why: "no report of a sweep") }
            var report = SweepReport(plan: plan)
            report.device = parts[1].isEmpty ? nil : text(parts[1])
            report.problem = parts[2].isEmpty ? nil : text(parts[2])
            report.tally = tally
            report.wall = .microseconds(wall)
            report.cells = try cells(parts[5])
            for index in stride(from: 6, to: parts.count, by: 3) {
                report.findings.append(try finding(parts[index..<(index + 3)], plan, profiles))
            }
            reports.append(report)
        }
        return reports
    }

    private static func finding(
        _ parts: ArraySlice<[UInt8]>, _ plan: RunPlan, _ profiles: [String]
    ) throws(ResultsFault) -> SweepReport.Finding {
        let reading = ScenarioReader.read(
            path: plan.scenario.source.path, bytes: parts[parts.startIndex + 1], devices: profiles)
        guard let failureFrame = try? Frame(body: parts[parts.startIndex + 2][...]),
            let failure = try result(failureFrame).failures.first
        else { throw ResultsFault(member: "", why: "no finding of a sweep") }
        // What the printer writes can be read; if not, the finding is shown without its file.
        return SweepReport.Finding(
            failure: failure, cause: text(parts[parts.startIndex]),
            scenario: reading.scenarios.first ?? plan.scenario)
    }
}
