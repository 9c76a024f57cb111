import Core
import ScenarioLanguage
import Updater
import World

extension StoryRun {
    /// Faults are healed and the device is used: eight rounds of launch (or bring to front), check, two
    /// minutes in front, background, kill by the user; after the third, rounds are ten hours apart.
    /// Within them the device must run and confirm the version that it should have.
    mutating func liveness() {
        let begun = world.now
        stepBegins.append((world.facts.count, nil))
        act(.heal(nil))
        act(.network(.online))
        act(.user(.waits))
        var wanted: [String] = []
        var reached: (version: String?, isConfirmed: Bool) = (nil, false)
        for round in 0..<Rounds.count {
            if isOver { return }
            let start = world.now
            act(.launch(foreground: true, name: nil))
            act(.check)
            var seen = -1
            let isReached = pass(until: world.now + Rounds.inFront) { run in
                if run.watch.changes == seen { return false }
                seen = run.watch.changes
                reached = run.watch.reached(in: run.world)
                guard reached.isConfirmed else { return false }
                wanted = run.watch.candidates
                return reached.version != nil && reached.version == wanted.first
            }
            if isReached { return }
            wanted = watch.candidates
            reached = watch.reached(in: world)
            if reached.isConfirmed, let version = reached.version, version == wanted.first { return }
            if wanted.isEmpty { return }
            act(.background)
            act(.kill(.user))
            if round >= Rounds.closeTogether - 1 { pass(until: start + Rounds.farApart) }
        }
        guard !isOver else { return }
        failLiveness(wanted, reached, from: begun)
    }

    private mutating func act(_ action: WorldAction) {
        world.perform(action, step: -1, order: [])
        watch.catchUp(world)
    }

    private mutating func failLiveness(
        _ wanted: [String], _ reached: (version: String?, isConfirmed: Bool), from begun: Instant
    ) {
        let should = wanted.first ?? "some version"
        var failure = Failure(
            kind: .liveness, headline: "The device did not come to run and confirm \(should)", at: world.now)
        failure.place = SourcePlace(plan.scenario.title.span, in: plan.scenario.source)
        failure.expected = ["running \(should), confirmed, within \(Rounds.count) rounds of use"]
        let running = reached.version ?? "none"
        failure.actual = ["running \(running), \(reached.isConfirmed ? "confirmed" : "not confirmed")"]
        failure.waitedFrom = begun
        failure.waitedTo = world.now
        add(failure)
    }
}

/// How a device is used after a story (scenarios.md, "Liveness").
enum Rounds {
    static let count = 8
    static let inFront = TimeSpan.minutes(2)
    /// So many rounds follow each other at once.
    static let closeTogether = 3
    static let farApart = TimeSpan.hours(10)
}

extension StartupPlan {
    /// Whether starts of this version can come to a confirmation on this build from now on.
    func succeeds(afterStarts starts: Int, native: String?) -> Bool {
        // The first that go another way are over some day, or the version was left for them.
        let later = behaviour(ofStart: max(starts, first?.count ?? 0) + 1, native: native)
        switch later {
        case .normal: return true
        case .hangs, .throwsError, .dies: return false
        case .staged(_, let confirms): return confirms.map { $0 < .seconds(100) } ?? false
        }
    }
}

extension StoryWatch {
    /// What the device runs, and whether that start is confirmed.
    func reached(in world: some Surroundings) -> (version: String?, isConfirmed: Bool) {
        let view = world.view(of: 0)
        guard view.process != nil, let running = view.running else { return (nil, false) }
        let start = scene.starts.last { $0.process == scene.process && scene.name($0.key) == running }
        guard let start else { return (running, false) }
        return (running, start.end == .confirmed || (scene.isEmbedded(start.key) && start.hasSignalled))
    }

    /// The versions that would be right, the best first.
    var candidates: [String] {
        let native = scene.app.builds.first { $0.name == scene.build }?.native
        let failing = scene.versions.filter { version in
            let starts = scene.starts.filter { scene.name($0.key) == version.name }.count
            return !version.startup.succeeds(afterStarts: starts, native: native)
        }
        return shouldHave.candidates(scene, failing: failing.map(\.name))
    }
}
