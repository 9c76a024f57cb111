import Backend
import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage
import Updater
import World

/// The result of a crash-point search of one scenario, on one of its devices.
package struct CrashReport: Sendable {
    package var plan: RunPlan
    /// The device that was crashed, if the scenario has several.
    package var device: String?
    package var tally = CrashTally()
    package var findings: [CrashFinding] = []
    /// Why the scenario can't be searched; nil if it was.
    package var problem: String?

    /// The scenario's name, followed by the device if it has several: `updating/rollout on tester`.
    package var name: String { plan.name + (device.map { " on \($0)" } ?? "") }
}

/// Searches the crash points of scenarios on all cores; the result does not depend on the number of cores.
package struct CrashPointsRun: Sendable {
    package var limits = CrashLimits()
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    package var profiles: [DeviceProfile] = [.plain]
    package var checkers: [any Checker] = CheckerList.crashing
    /// For tests of the laboratory: damages the device before the scenario begins.
    package var prepare: @Sendable (inout World) -> Void = { _ in }
    /// For tests of the search: runs merged states all the same and compares their ends.
    package var mergeCheck: MergeCheck?
    /// Called when a scenario ends, in order.
    package var progress: (@Sendable (CrashReport) -> Void)?
    /// Called several times during a scenario, with its name.
    package var advance: @Sendable (_ scenario: String, CrashAdvance) -> Void = { _, _ in }

    package init() {}

    /// One report for each device of each scenario, in order.
    package func run(_ plans: [RunPlan]) async -> [CrashReport] {
        var reports: [CrashReport] = []
        for plan in plans {
            for device in 0..<max(1, plan.scenario.devices.count) {
                if Task.isCancelled { return reports }
                let report = await search(plan, device)
                progress?(report)
                reports.append(report)
            }
        }
        return reports
    }

    private func search(_ plan: RunPlan, _ device: Int) async -> CrashReport {
        var report = CrashReport(plan: plan)
        let names = plan.scenario.devices.map(\.name.value)
        if names.indices.contains(device) { report.device = names[device] }
        let moments: [CrashMoment]
        do throws(ScenarioFault) {
            moments = try self.moments(of: plan, on: device)
        } catch {
            report.problem = error.message
            return report
        }
        let stop = DiskStop(
            limits: limits, phase: Int(FNV1a32.hash(of: report.name) % 1_000), recovery: Recovery(of: plan))
        var search = DisturbanceSearch(stop, limits: limits, jobs: jobs)
        search.mergeCheck = mergeCheck
        search.advance = { [advance, name = report.name] in advance(name, $0) }
        await search.search(moments)
        report.tally = search.tally
        report.findings = search.findings.map { CrashFinding($0.verdict, crashes: $0.sites) }
        return report
    }

    /// The moments of a scenario at which the app performed operations on a device's disk.
    package func moments(of plan: RunPlan, on device: Int = 0) throws(ScenarioFault) -> [CrashMoment] {
        let compiler = ScenarioCompiler(
            scenario: plan.scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var world: World
        do throws(SetupError) {
            world = try World(setup)
        } catch {
            throw ScenarioFault(error, in: plan.scenario)
        }
        world.isRecording = true
        prepare(&world)
        let names = VersionNames(setup.versions) { world.key(ofVersion: $0) }
        let observed = ObservedState(
            app: setup.app, versions: setup.versions,
            profile: setup.devices.indices.contains(device) ? setup.devices[device] : .plain, names: names)
        let watch = RunObserver(
            observed: observed, checkers: CheckerList(checkers), origin: setup.origin,
            device: device,
            hasOthers: setup.devices.count > 1)
        let deviceNames = plan.scenario.devices.map(\.name.value)
        let hasWindows = NumberedStep.all(of: plan.scenario).contains { $0.step.crashPoints != nil }
        let probe = CrashProbe(ObservedWorld(world: world, observer: watch), hasWindows: hasWindows) { step in
            (step.device.flatMap { deviceNames.firstIndex(of: $0.value) } ?? 0) == device
        }
        var run = ScenarioRun(plan: plan, setup: setup, backend: probe, checkers: CheckerList([]))
        run.willBegin = { step, run in run.backend.begin(step) }
        run.runSteps()
        return run.backend.moments
    }
}
