import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage
import Updater
import World

/// What a search over crash points found in one story, on one of its devices.
package struct CrashReport: Sendable {
    package var plan: RunPlan
    /// The one that was cut off, in a story of several devices.
    package var device: String?
    package var tally = CrashTally()
    package var findings: [CrashFinding] = []
    /// The story can't be searched, in a sentence.
    package var problem: String?

    /// `updating/rollout on tester`: a device behind the story's name, where it has several.
    package var name: String { plan.name + (device.map { " on \($0)" } ?? "") }

    /// One command that shows a finding again, once ``scenario(of:)`` is written to that path.
    package func command(path: String) -> String { "otalab run \(path) --seed \(plan.seed)" }
}

/// Searches the crash points of stories, on all cores; what it finds does not depend on their number.
package struct CrashPointsRun: Sendable {
    package var limits = CrashLimits()
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    package var profiles: [DeviceProfile] = [.plain]
    package var checkers: [any Checker] = CheckerList.crashing
    /// For tests of the laboratory: what is wrong with the device before the story begins.
    package var prepare: @Sendable (inout World) -> Void = { _ in }
    /// For tests of the search: what it merges is carried out all the same.
    package var mergeCheck: MergeCheck?
    /// Called as each story ends, in order.
    package var progress: (@Sendable (CrashReport) -> Void)?
    /// Called now and then within a story, with its name.
    package var advance: @Sendable (_ story: String, CrashAdvance) -> Void = { _, _ in }

    package init() {}

    /// One report for each device of each story, in their order.
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
        var search = CrashSearch(
            limits: limits, recovery: Recovery(of: plan),
            phase: Int(FNV1a32.hash(of: report.name) % 1_000), jobs: jobs)
        search.mergeCheck = mergeCheck
        search.advance = { [advance, name = report.name] in advance(name, $0) }
        await search.search(moments)
        report.tally = search.tally
        report.findings = search.findings
        return report
    }

    /// The moments of a story at which the app worked on a device's disk.
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
            observed: observed, checkers: CheckerList(checkers), edges: setup.origin.edges.count,
            device: device,
            hasOthers: setup.devices.count > 1)
        let handsets = plan.scenario.devices.map(\.name.value)
        let asks = NumberedStep.all(of: plan.scenario).contains { $0.step.crashPoints != nil }
        let probe = CrashProbe(ObservedWorld(world: world, watch: watch), asksForWindows: asks) { step in
            (step.device.flatMap { handsets.firstIndex(of: $0.value) } ?? 0) == device
        }
        var run = ScenarioRun(plan: plan, setup: setup, backend: probe, checkers: CheckerList([]))
        run.willBegin = { step, run in run.backend.begin(step) }
        run.tellSteps()
        return run.backend.moments
    }
}
