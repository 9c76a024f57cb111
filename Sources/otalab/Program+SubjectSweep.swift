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
        try SubjectCall.refuse(
            [
                "--cells", "--files-per-cell", "--all", "--pairs", "--metamorphic", "--shard",
                "--shard-costs", "--wall-limit", "--resume", "--in-process", "--no-report", "--coverage",
                "--require-coverage",
            ], arguments)
        let selection = try Selection(arguments, paths: SubjectCall.paths(arguments))
        let chosen = try CrashSelection(selection, arguments, seed: 1)
        if chosen.plans.isEmpty, chosen.leftOut.isEmpty { return nothing(selection) }
        signal(SIGINT, SIG_IGN)
        let run = try call.searchRun(selection.profiles)
        let jobs = try SubjectCall.jobs(arguments)
        let (swept, leftOut) = await run.undisturbed(chosen.plans, jobs: jobs, profiles: selection.profiles)
        for omitted in chosen.leftOut + leftOut {
            Output.result("left out: \(omitted.name): \(omitted.reason)\n")
        }
        var codes: [ExitCode] = chosen.hasInvalid ? [.invalid] : []
        if swept.isEmpty { return ExitCode.first(of: codes + [.inconclusive]) }
        let every = Int(try arguments.number("--every", in: 1...1_000_000) ?? 1)
        let seeds = ExplorationSeeds(
            first: 0, count: UInt64(SubjectWorlds.count(swept, every: every)), shard: nil)
        let worlds = SubjectWorlds(
            run: run, worlds: .swept(swept, every: every), seeds: seeds, jobs: jobs,
            profiles: selection.profiles)
        let search = try Exploration(arguments, worlds, folder: "sweep")
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
        let runs = await parallelMap(plans, jobs: jobs) { plan in
            await onOwnThread { resultAndTrace(of: plan) }
        }
        var swept: [(plan: RunPlan, sweep: OutsideSweep)] = []
        var leftOut: [CrashSelection.LeftOut] = []
        for (plan, (result, trace)) in zip(plans, runs) {
            guard result.verdict == .passed else {
                let why = result.failures.first?.headline ?? result.reason ?? ""
                let reason = "without a disturbance it is '\(result.verdict)': \(why)"
                leftOut.append(CrashSelection.LeftOut(plan.name, reason))
                continue
            }
            let sweep = OutsideSweep(
                plan, OutsideSweep.Asked.all(in: trace), for: OutsideUpdater(description),
                profiles: profiles.names)
            swept.append((plan, sweep))
        }
        return (swept, leftOut)
    }
}
