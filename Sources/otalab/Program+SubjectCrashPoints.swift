import Foundation
import Reporting
import Runner
import Search
import Subject

extension Program {
    /// `otalab crashpoints --subject`: records each scenario once, and launches the subject on each image
    /// that a crash can leave. One line for each scenario, then its failures, then the sum.
    func crashPoints(of call: SubjectCall) async throws -> ExitCode {
        try SubjectCall.refuse(["--depth", "--second", "--seed", "--shard", "--shard-costs"], arguments)
        let selection = try Selection(arguments, paths: SubjectCall.paths(arguments))
        let chosen = try CrashSelection(selection, arguments, seed: 1)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        let run = try call.searchRun(selection.profiles)
        let outcomes = try arguments.limit("--outcomes", CrashLimits.classes, in: 1...1_000_000)
        var search = RecordedCrashPoints(run, outcomes: outcomes)
        if let every = try arguments.number("--every", in: 1...1_000_000) { search.every = Int(every) }
        let jobs = try SubjectCall.jobs(arguments)
        Output.result("subject \(run.description.name) \(run.description.version)\n")
        var sum = SubjectCrashSum(folder: folderOfFindings)
        do {
            try await search.reports(of: chosen.plans, jobs: jobs) {
                sum.add($0, again: call.options.command)
            }
        } catch let error as CallRecorder.UnavailableRecorder {
            throw UsageError(message: error.text, help: error.help)
        }
        for omitted in chosen.leftOut { Output.result("left out: \(omitted.name): \(omitted.reason)\n") }
        Output.result(sum.text)
        var codes = sum.codes
        if chosen.hasInvalid { codes.append(.invalid) }
        return ExitCode.first(of: codes)
    }

    /// nil: nothing is written.
    private var folderOfFindings: String? {
        if arguments.has("--no-report") { return nil }
        return (arguments.text("--report-dir") ?? "Reports") + "/crashpoints/subject"
    }
}

extension RecordedCrashPoints {
    /// Searches several scenarios at once, and hands over their reports in the order of the scenarios.
    fileprivate func reports(of plans: [RunPlan], jobs: Int, _ use: (Report) -> Void) async throws {
        try await withThrowingTaskGroup(of: (Int, Report).self) { group in
            var next = 0
            func begin() {
                guard plans.indices.contains(next) else { return }
                let index = next
                next += 1
                group.addTask { (index, try await detachedReport(of: plans[index])) }
            }
            for _ in 0..<jobs { begin() }
            var waiting: [Int: Report] = [:]
            var shown = 0
            while let (index, report) = try await group.next() {
                begin()
                waiting[index] = report
                while let report = waiting.removeValue(forKey: shown) {
                    use(report)
                    shown += 1
                }
            }
        }
    }

    private func detachedReport(of plan: RunPlan) async throws -> Report {
        try await onOwnThread { Result { try report(of: plan) } }.get()
    }
}

/// What a search of crash points of a subject has found in all scenarios, printed as it is added.
private struct SubjectCrashSum {
    /// Folder for the findings; nil: none is kept.
    let folder: String?
    private var scenarios = 0
    private var operations = 0
    private var crashes = 0
    private var images = 0
    private var failures = 0
    private var unjudged = 0
    private var problems = 0
    private var hasWriteFailure = false

    init(folder: String?) { self.folder = folder }

    mutating func add(_ report: RecordedCrashPoints.Report, again command: [String]) {
        let name = report.plan.name
        if let reason = report.skipped {
            Output.result("  skip  \(name): \(reason)\n")
            return
        }
        if let problem = report.problem {
            problems += 1
            Output.result("  ?     \(name): \(problem)\n")
            return
        }
        scenarios += 1
        operations += report.operations
        crashes += report.crashes
        images += report.images
        failures += report.failures
        unjudged += report.unjudged
        let verdict = report.failures > 0 ? "FAIL" : "ok  "
        var line = "  \(verdict)  \(name.padding(toLength: max(name.count, 48), withPad: " ", startingAt: 0))"
        line += "  \(report.operations) operations  \(report.crashes) crashes  \(report.images) images"
        if report.failures > 0 { line += "  \(report.failures) FAILED" }
        if report.unjudged > 0 { line += "  \(report.unjudged) not judged" }
        Output.result(line + "\n")
        if let why = report.whyUnjudged { Output.result("        not judged: \(why)\n") }
        for kind in report.notFollowed { Output.result("        not followed: \(kind)\n") }
        for (index, finding) in report.findings.enumerated() {
            show(finding, keep(finding, "\(report.plan.scenario.id)-\(index + 1)"), command)
        }
    }

    private func show(_ finding: RecordedCrashPoints.Finding, _ kept: String?, _ command: [String]) {
        let failure = finding.result.failures.first
        let rule = failure?.rule.map { "[\($0)] " } ?? ""
        var lines = ["", "FAIL \(rule)\(finding.headline)"]
        if finding.count > 1 { lines[1] += "   (\(finding.count) images)" }
        lines.append("  crash     \(finding.outcome) after operation \(finding.operation)")
        for difference in failure?.differences ?? [] {
            let part = difference.part.map { $0 + " " } ?? ""
            lines.append("  expected  \(part)\(difference.requirement)")
            lines.append("  actual    \(part)\(difference.actual)")
        }
        lines.append("  the operations before it:")
        lines += finding.operations.map { "    \($0)" }
        if let kept {
            let subject = ShellWord.quoted(command.joined(separator: " "))
            var again = "otalab run --subject \(subject) --state \(ShellWord.quoted(kept + "/state"))"
            if let ports = finding.ports { again += " --ports \(ports.origin),\(ports.app)" }
            lines.append("  again     \(again) \(ShellWord.quoted(kept + "/recovery.json5"))")
        }
        Output.result(lines.joined(separator: "\n") + "\n\n")
    }

    /// - Returns: the finding's folder; nil: it is not kept.
    private mutating func keep(_ finding: RecordedCrashPoints.Finding, _ name: String) -> String? {
        guard let folder else { return nil }
        let path = folder + "/" + name.replacingOccurrences(of: "/", with: "-")
        do {
            try? FileManager.default.removeItem(atPath: path)
            try finding.image.write(to: path + "/state")
            try Data(finding.recovery.utf8).write(to: URL(fileURLWithPath: path + "/recovery.json5"))
            let operations = finding.operations.joined(separator: "\n") + "\n"
            try Data(operations.utf8).write(to: URL(fileURLWithPath: path + "/operations.txt"))
            return path
        } catch {
            hasWriteFailure = true
            Output.error("error: \(path) could not be written: \(error.localizedDescription)\n")
            return nil
        }
    }

    var text: String {
        var text =
            "\(scenarios) scenarios, \(operations) operations, \(crashes) crashes, \(images) images launched; "
        text += failures == 0 ? "no failure" : "\(failures) FAILED"
        if unjudged > 0 { text += "; \(unjudged) not judged" }
        if problems > 0 { text += "; \(problems) scenarios could not be searched" }
        return text + "\n"
    }

    var codes: [ExitCode] {
        var codes: [ExitCode] = []
        if failures > 0 { codes.append(.failed) }
        if hasWriteFailure { codes.append(.reportNotWritten) }
        if scenarios == 0 { codes.append(.nothingSelected) }
        return codes
    }
}
