import Backend
import Core
import ScenarioLanguage
import Updater

extension ScenarioRun {
    /// Faults are healed and the device is used: eight rounds of launch (or bring to front), check, two
    /// minutes in front, background, kill by the user; after the third, rounds are ten hours apart.
    /// Within them the device must run and confirm the version that it should have.
    package mutating func liveness() {
        stepBegins.append((backend.trace.count, nil))
        act(.heal(nil), on: 0)
        for device in 0..<deviceCount where !isOver { liveness(of: device) }
    }

    private mutating func liveness(of device: Int) {
        let begun = backend.now
        act(.network(.online), on: device)
        act(.user(.waits), on: device)
        var wanted: [String] = []
        var reached: (version: String?, isConfirmed: Bool) = (nil, false)
        for round in 0..<Rounds.count {
            if isOver { return }
            let start = backend.now
            act(.launch(.foreground), on: device)
            act(.check, on: device)
            var seen = -1
            let isReached = pass(until: backend.now + Rounds.inFront) { run in
                let changes = run.changes(on: device).all
                if changes == seen { return false }
                seen = changes
                reached = run.watch(of: device).reached(in: run.backend)
                guard reached.isConfirmed else { return false }
                wanted = run.watch(of: device).candidates
                return reached.version != nil && reached.version == wanted.first
            }
            if isReached { return }
            wanted = watch(of: device).candidates
            reached = watch(of: device).reached(in: backend)
            if reached.isConfirmed, let version = reached.version, version == wanted.first { return }
            if wanted.isEmpty { return }
            act(.background, on: device)
            act(.kill(.user), on: device)
            if round >= Rounds.closeTogether - 1 { pass(until: start + Rounds.farApart) }
        }
        guard !isOver else { return }
        failLiveness(wanted, reached, on: device, from: begun)
    }

    private mutating func act(_ action: Action, on device: Int) {
        backend.perform(StepAction(NamedAction(action), device: device))
        catchUp()
    }

    private mutating func failLiveness(
        _ wanted: [String], _ reached: (version: String?, isConfirmed: Bool), on device: Int,
        from begun: Instant
    ) {
        let should = wanted.first ?? "some version"
        let name = deviceCount > 1 ? "The device \(plan.scenario.devices[device].name.value)" : "The device"
        var failure = Failure(
            kind: .liveness, headline: "\(name) did not come to run and confirm \(should)", at: backend.now)
        failure.place = SourcePlace(plan.scenario.title.span, in: plan.scenario.source)
        failure.expected = ["running \(should), confirmed, within \(Rounds.count) rounds of use"]
        let running = reached.version ?? "none"
        failure.actual = ["running \(running), \(reached.isConfirmed ? "confirmed" : "not confirmed")"]
        failure.help =
            "after the last step the device is used for \(Rounds.count) rounds and must come to the version it"
            + " should have; a story that ends otherwise on purpose says liveness: \"none\" and because"
        failure.waitedFrom = begun
        failure.waitedTo = backend.now
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

extension StartupSpec {
    /// Whether starts of this version can come to a confirmation on this build from now on.
    func succeeds(afterStarts starts: Int, native: String?) -> Bool {
        // The first that go another way are over some day, or the version was left for them.
        let later = behaviour(ofStart: max(starts, first?.count.value ?? 0) + 1, native: native)
        switch later {
        case .normal: return true
        case .hangs, .throwsError, .dies: return false
        case .staged(_, let confirms): return confirms.map { $0 < .seconds(100) } ?? false
        }
    }
}

extension RunObserver {
    /// What the device runs, and whether that start is confirmed.
    package func reached(in backend: some Backend) -> (version: String?, isConfirmed: Bool) {
        let view = backend.view(of: device)
        guard view.process != nil, let running = view.running else { return (nil, false) }
        let start = observed.starts.last {
            $0.process == observed.process && observed.name($0.key) == running
        }
        guard let start else { return (running, false) }
        return (running, start.end == .confirmed || (observed.isEmbedded(start.key) && start.hasSignalled))
    }

    /// The versions that would be right, the best first.
    package var candidates: [String] {
        let native = observed.app.builds.first { $0.name == observed.build }?.native
        let failing = observed.versions.filter { version in
            let starts = observed.starts.filter { observed.name($0.key) == version.name }.count
            return !version.startup.succeeds(afterStarts: starts, native: native)
        }
        return shouldHave.candidates(observed, failing: failing.map(\.name))
    }
}
