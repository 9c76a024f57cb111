import Core
import Foundation
import ScenarioLanguage
import Updater
import World

/// What a search over crash points found in one story.
public struct CrashReport: Sendable {
    public var plan: StoryPlan
    public var tally = CrashTally()
    public var findings: [CrashFinding] = []
    /// The story can't be searched: it is not valid, or is left out.
    public var problem: String?

    public var name: String { plan.name }

    /// One command that shows a finding again, once ``scenario(of:)`` is written to that path.
    public func command(path: String) -> String { "otalab run \(path) --seed \(plan.seed)" }
}

/// Searches the crash points of stories, on all cores; what it finds does not depend on their number.
public struct CrashPointsRun: Sendable {
    public var limits = CrashLimits()
    public var jobs = ProcessInfo.processInfo.activeProcessorCount
    public var profiles: [DeviceProfile] = [.plain]
    public var checkers: [any Checker] = CheckerList.crashing
    /// For tests of the laboratory: what is wrong with the device before the story begins.
    var prepare: @Sendable (inout World) -> Void = { _ in }
    /// Called as each story ends, in order.
    public var progress: (@Sendable (CrashReport) -> Void)?

    public init() {}

    /// All stories of these files that can be read; those that can't be are left to `otalab run`.
    public static func plans(
        _ files: [ScenarioFile], seed: UInt64, profiles: [DeviceProfile] = [.plain]
    ) -> [StoryPlan] {
        files.flatMap { file in
            file.read(devices: profiles.map(\.name)).scenarios
        }.filter { $0.skip == nil && $0.devices.isEmpty }.flatMap { StoryPlan.plans(for: $0, seed: seed) }
    }

    public func run(_ plans: [StoryPlan]) async -> [CrashReport] {
        var reports: [CrashReport] = []
        for plan in plans {
            if Task.isCancelled { break }
            let report = await search(plan)
            progress?(report)
            reports.append(report)
        }
        return reports
    }

    private func search(_ plan: StoryPlan) async -> CrashReport {
        var report = CrashReport(plan: plan)
        let moments: [CrashMoment]
        do throws(StoryFault) {
            moments = try self.moments(of: plan)
        } catch {
            report.problem = error.message
            return report
        }
        var hasLiveness = false
        if case .expected = plan.scenario.liveness { hasLiveness = true }
        let recovery = Recovery(hasLiveness: hasLiveness)
        let groups = CrashPointsRun.groups(moments)
        let phase = Int(FNV1a32.hash(of: plan.name) % 1_000)
        var done = [CrashSearch?](repeating: nil, count: groups.count)
        await withTaskGroup(of: (Int, CrashSearch).self) { group in
            var next = 0
            func addOne() {
                guard next < groups.count, !Task.isCancelled else { return }
                let place = next
                let moments = groups[place]
                next += 1
                group.addTask {
                    var search = CrashSearch(limits: limits, recovery: recovery, phase: phase)
                    search.search(moments)
                    return (place, search)
                }
            }
            for _ in 0..<max(1, jobs) { addOne() }
            for await (place, search) in group {
                done[place] = search
                addOne()
            }
        }
        for search in done.compactMap({ $0 }) {
            report.tally = report.tally + search.tally
            report.findings += search.findings
        }
        return report
    }

    /// The moments of a story at which the app worked on its disk.
    func moments(of plan: StoryPlan) throws(StoryFault) -> [CrashMoment] {
        let compiler = StoryCompiler(
            scenario: plan.scenario, profiles: profiles, readFolder: BuildFolder.read)
        let setup = try compiler.setup(seed: plan.worldSeed)
        var world: World
        do throws(SetupError) {
            world = try World(setup)
        } catch {
            throw StoryFault(error, in: plan.scenario)
        }
        world.isRecording = true
        prepare(&world)
        let names = VersionNames(setup.versions) { world.key(ofVersion: $0) }
        let scene = Scene(
            app: setup.app, versions: setup.versions, profile: setup.devices.first ?? .plain, names: names)
        let watch = StoryWatch(
            scene: scene, checkers: CheckerList(checkers), edges: setup.origin.edges.count)
        let asks = NumberedStep.all(of: plan.scenario).contains { $0.step.crashPoints != nil }
        let probe = CrashProbe(WatchedWorld(world: world, watch: watch), asksForWindows: asks)
        var run = StoryRun(plan: plan, setup: setup, world: probe, checkers: CheckerList([]))
        run.tellSteps()
        return run.world.moments
    }

    /// Of long rows without news (a file that comes in many pieces) several cores have their share.
    private static let largestGroup = 12

    /// Moments with the same trace before them, in the order of the story.
    private static func groups(_ moments: [CrashMoment]) -> [[CrashMoment]] {
        var groups: [[CrashMoment]] = []
        var last: UInt64?
        for moment in moments {
            if moment.before.trace == last, groups[groups.count - 1].count < largestGroup {
                groups[groups.count - 1].append(moment)
            } else {
                groups.append([moment])
                last = moment.before.trace
            }
        }
        return groups
    }
}

extension CheckerList {
    /// The invariants, and what only a search over crash points asks.
    public static let crashing: [any Checker] = all + [ReportedIsDurable()]
}
