import Backend
import Foundation
import Runner
import ScenarioLanguage
import Search
import Subject

extension Program {
    /// `otalab sweep --subject`: runs each scenario once without a disturbance, and then with each
    /// disturbance at the requests that it made. A scenario that does not pass without one is left out.
    func sweep(of call: SubjectCall) async throws -> ExitCode {
        try SubjectWorlds.refuse(
            [
                "--cells", "--files-per-cell", "--all", "--pairs", "--metamorphic", "--shard",
                "--shard-costs", "--wall-limit", "--resume", "--in-process", "--no-report", "--coverage",
                "--require-coverage",
            ], arguments)
        let isStandard =
            arguments.paths.isEmpty && FileManager.default.fileExists(atPath: SubjectCall.scenarios)
        let selection = try Selection(arguments, paths: isStandard ? [SubjectCall.scenarios] : nil)
        let chosen = try CrashSelection(selection, arguments, seed: 1)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        signal(SIGINT, SIG_IGN)
        let description = try call.description()
        let run = SubjectRun(call.options, description, profiles: selection.profiles.profiles)
        let jobs = try arguments.number("--jobs", in: 1...256).map { Int($0) } ?? SubjectCall.jobs
        let (swept, leftOut) = await run.undisturbed(chosen.plans, jobs: jobs, profiles: selection.profiles)
        for omitted in chosen.leftOut + leftOut {
            Output.result("left out: \(omitted.name): \(omitted.reason)\n")
        }
        var codes: [ExitCode] = chosen.hasInvalid ? [.invalid] : []
        if swept.isEmpty { return ExitCode.first(of: codes + [.inconclusive]) }
        let every = Int(try arguments.number("--every", in: 1...1_000_000) ?? 1)
        let seeds = ExplorationSeeds(
            first: 0, count: UInt64(SubjectWorlds.count(swept, every: every)), shard: nil)
        let worlds = try SubjectWorlds(
            call, .swept(swept, every: every), seeds, arguments, selection.profiles)
        let search = try Exploration(arguments, worlds, profiles: selection.profiles, folder: "sweep")
        codes.append(try await search.run())
        return ExitCode.first(of: codes)
    }
}

extension SubjectRun {
    /// Runs each plan without a disturbance.
    /// - Returns: the sweeps of those that passed, and the others with the reason.
    fileprivate func undisturbed(
        _ plans: [RunPlan], jobs: Int, profiles: ProfileSet
    ) async -> (swept: [(plan: RunPlan, sweep: OutsideSweep)], leftOut: [CrashSelection.LeftOut]) {
        var swept: [(plan: RunPlan, sweep: OutsideSweep)] = []
        var leftOut: [CrashSelection.LeftOut] = []
        var left = plans[...]
        while !left.isEmpty {
            let batch = left.prefix(jobs)
            left = left.dropFirst(batch.count)
            let runs = await withTaskGroup(of: (Int, ScenarioResult, [TraceEvent]).self) { group in
                for (index, plan) in zip(batch.indices, batch) {
                    group.addTask {
                        let (result, trace) = await detachedRun(of: plan)
                        return (index, result, trace)
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
            }
            for (index, result, trace) in runs {
                guard result.verdict == .passed else {
                    let why = result.failures.first?.headline ?? result.reason ?? ""
                    leftOut.append(
                        CrashSelection.LeftOut(
                            plans[index].name, "without a disturbance it is '\(result.verdict)': \(why)"))
                    continue
                }
                let sweep = OutsideSweep(
                    plans[index], OutsideSweep.Asked.all(in: trace), for: OutsideUpdater(description),
                    profiles: profiles.names)
                swept.append((plans[index], sweep))
            }
        }
        return (swept, leftOut)
    }

    private func detachedRun(of plan: RunPlan) async -> (ScenarioResult, [TraceEvent]) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: resultAndTrace(of: plan)) }
        }
    }
}
