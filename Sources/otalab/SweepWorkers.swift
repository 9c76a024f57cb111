import Foundation
import Reporting
import Runner
import ScenarioLanguage
import Search

/// A sweep whose files are swept by worker processes, so that a world that kills its process is one finding,
/// and the others still run.
///
/// Promises: the reports come in the order of the files, and equal those of a sweep in this process, whatever
/// the number of workers. A world that its worker dies of, or that exceeds the wall limit, is a finding with
/// its file; a new worker sweeps the same file without it. After ``SweepWorkers/mostDeaths`` of them the rest
/// of the file is left out, with the reason.
struct SweepWorkers: Sendable {
    let pool: WorkerPool
    let sweep: SweepRun
    /// Names of the device profiles.
    let profiles: [String]
    /// The limit for one world as the call gives it.
    let wallLimit: String
    /// What was swept before, and is not swept again.
    var resume: ResumeFile?
    /// The cells that each file tries; nil: all that it has.
    var share: CellShare?
    /// Called for each world, with the name of its file.
    var tried: @Sendable (String) -> Void = { _ in }

    static let mostDeaths = 8

    /// - Parameter ended: called for each report, in order.
    func run(_ plans: [RunPlan], _ ended: (SweepReport) async -> Void) async {
        let files = SweepRun.files(of: plans)
        // With fewer files than cores a worker has several threads.
        let threads = max(1, sweep.jobs / max(1, files.count))
        await forEach(
            files, { await reports(of: $0, threads) },
            { for report in $0 { await ended(report) } })
    }

    /// The cells of each file, in order. One whose worker process died is not in the list.
    func cells(of plans: [RunPlan]) async -> [(path: String, cells: Set<UInt64>)] {
        var known: [(path: String, cells: Set<UInt64>)] = []
        await forEach(
            SweepRun.files(of: plans),
            { plans in
                let message = WorkerMessage.cells(of: plans.map { RunRequest($0) })
                let path = plans[0].scenario.source.path
                guard case .result(let frame) = await pool.reply(to: message),
                    let cells = WorkerMessage.cells(frame)
                else { return nil }
                return (path, cells)
            },
            { (file: (path: String, cells: Set<UInt64>)?) in if let file { known.append(file) } })
        return known
    }

    /// Has as many files in work as there are workers.
    /// - Parameter ended: called for each file's result, in the order of the files.
    private func forEach<Result: Sendable>(
        _ files: [[RunPlan]], _ work: @escaping @Sendable ([RunPlan]) async -> Result,
        _ ended: (Result) async -> Void
    ) async {
        await withTaskGroup(of: (Int, Result).self) { group in
            var next = 0
            func addOne() {
                guard next < files.count, !Task.isCancelled else { return }
                let index = next
                next += 1
                group.addTask { (index, await work(files[index])) }
            }
            for _ in 0..<sweep.jobs { addOne() }
            var waiting: [Int: Result] = [:]
            var first = 0
            for await (index, result) in group {
                addOne()
                waiting[index] = .some(result)
                while let result = waiting.removeValue(forKey: first) {
                    await ended(result)
                    first += 1
                }
            }
        }
    }

    private func reports(of plans: [RunPlan], _ threads: Int) async -> [SweepReport] {
        let path = plans[0].scenario.source.path
        let cells = share.flatMap { $0[path] }
        if let known = resume?.reports(of: plans, cells) { return known }
        var request = SweepRequest(
            level: sweep.level, pairs: sweep.pairs, isMetamorphic: sweep.metamorphic != nil, jobs: threads,
            onlyCells: cells, plans: plans.map { RunRequest($0) })
        var deaths: [SweepReport.Finding] = []
        while true {
            let outcome = await pool.reply(to: WorkerMessage.sweep(request)) { tried(path) }
            let (failure, problem, end): (Failure, String, WorkerEnd)
            switch outcome {
            case .result(let frame):
                do throws(ResultsFault) {
                    let swept = try WorkerMessage.swept(frame, of: plans, profiles: profiles)
                    let reports = SweepWorkers.adding(deaths, to: swept)
                    resume?.add(reports, of: plans, cells)
                    return reports
                } catch {
                    return failed(plans, "the worker process sent \(error.why)", deaths)
                }
            case .died(let last):
                end = last
                failure = self.failure(.workerDied, "The worker process died: \(end.text)", end)
                problem = "the worker process died: \(end.text)"
            case .overdue(let last):
                end = last
                failure = self.failure(.wallLimit, ScenarioResult.tookTooLong(wallLimit), end)
                problem = "a world took longer than \(wallLimit)"
            case .noFrame: return failed(plans, "the worker process sent no report", deaths)
            case .notStarted(let why):
                return failed(plans, "no worker process could be started: \(why)", deaths)
            case .stopped: return []
            }
            guard deaths.count < SweepWorkers.mostDeaths,
                let finding = finding(failure, end, plans, &request)
            else { return failed(plans, problem, deaths) }
            deaths.append(finding)
        }
    }

    private func failure(_ kind: Failure.Kind, _ headline: String, _ end: WorkerEnd) -> Failure {
        var failure = Failure(kind: kind, headline: headline, at: .zero)
        failure.findings = end.printed.filter { SweepMark($0) == nil }.map { "it printed: \($0)" }
        failure.help = end.help
        return failure
    }

    /// The world that the worker named last, as a finding; nil if that is unknown, or was left out before.
    private func finding(
        _ failure: Failure, _ end: WorkerEnd, _ plans: [RunPlan], _ request: inout SweepRequest
    ) -> SweepReport.Finding? {
        guard let mark = end.printed.last(where: { SweepMark($0) != nil }).flatMap({ SweepMark($0) }),
            !request.skipped.contains(mark)
        else { return nil }
        request.skipped.append(mark)
        for plan in plans {
            for device in 0..<max(1, plan.scenario.devices.count)
            where SweepReport(plan: plan, device: device).name == mark.run {
                return sweep.finding(failure, at: mark, of: plan, device: device)
            }
        }
        return nil
    }

    /// The findings belong to the file as a whole.
    private static func adding(_ deaths: [SweepReport.Finding], to reports: [SweepReport]) -> [SweepReport] {
        var reports = reports
        guard !reports.isEmpty else { return reports }
        reports[0].findings = deaths + reports[0].findings
        reports[0].tally.failures += deaths.count
        reports[0].tally.worlds += deaths.count
        return reports
    }

    private func failed(
        _ plans: [RunPlan], _ problem: String, _ deaths: [SweepReport.Finding]
    ) -> [SweepReport] {
        var report = SweepReport(plan: plans[0])
        report.problem = problem
        return SweepWorkers.adding(deaths, to: [report])
    }
}
