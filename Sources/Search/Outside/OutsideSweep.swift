import Backend
import Core
import Runner
import ScenarioLanguage

/// The worlds of a sweep for an updater that is seen from outside: one scenario with each disturbance at the
/// first and at the last request of each kind that the undisturbed run made.
///
/// Promises: each world is a scenario file without the expectations of the scenario, which a disturbance
/// rightly changes, and with an end of its own (``OutsideEnd``). Deliberately not here: moments between
/// requests, which real time does not repeat.
package struct OutsideSweep: Sendable {
    /// What the undisturbed run asked the origin for, and how often.
    package struct Asked: Hashable, Sendable {
        package var subject: RequestSubject
        package var count: Int

        package init(_ subject: RequestSubject, _ count: Int) {
            self.subject = subject
            self.count = count
        }

        /// Those of a run, in the order in which each was first asked for.
        package static func all(in trace: [TraceEvent]) -> [Asked] {
            var all: [Asked] = []
            for event in trace {
                guard case .requestSent(let request) = event.kind else { continue }
                let subject: RequestSubject =
                    switch request.kind {
                    case .manifest: .manifest
                    case .outcomes: .outcomes
                    case .file(let route): .route(route)
                    }
                if let index = all.firstIndex(where: { $0.subject == subject }) {
                    all[index].count += 1
                } else {
                    all.append(Asked(subject, 1))
                }
            }
            return all
        }
    }

    private let plan: RunPlan
    private let updater: OutsideUpdater
    private let profiles: [String]
    private let tree: PrintedValue
    /// Name of the version of the end; nil: the scenario has native versions or keys, which it would have to
    /// fit.
    private let last: String?
    private let disturbances: [OutsideDisturbance]

    /// Number of worlds.
    package var count: Int { disturbances.count }

    package init(
        _ plan: RunPlan, _ asked: [Asked], for updater: OutsideUpdater, profiles: [String]
    ) {
        self.plan = plan
        self.updater = updater
        self.profiles = profiles
        tree = ScenarioPrinter.tree(of: plan.scenario)
        let names = plan.scenario.versions.map(\.name.value)
        let builds = plan.scenario.app.builds
        last =
            builds.count == 1 && builds[0].native == nil && plan.scenario.keys.isEmpty && !names.isEmpty
            ? (1...).lazy.map { $0 == 1 ? "last" : "last\($0)" }.first { !names.contains($0) } : nil
        disturbances = asked.flatMap { asked in
            Set([1, asked.count]).sorted().flatMap { nth in
                OutsideDisturbance.answers(asked.subject, nth: nth)
                    + ["crash", "user"].flatMap { OutsideDisturbance.kills(asked.subject, nth: nth, $0) }
                    + OutsideSweep.atRequest(asked.subject, nth: nth)
            }
        }
    }

    /// What is done when a request reaches the origin.
    private static func atRequest(_ subject: RequestSubject, nth: Int) -> [OutsideDisturbance] {
        let when: PrintedValue = ["asked": .text(subject.text), "nth": .number(Int64(nth))]
        let actions: [PrintedValue.Pair] = [
            .init("check", true), .init("relaunch", true), .init("background", true),
            .init("network", "offline"), .init("page", "reload"),
        ]
        return actions.map {
            OutsideDisturbance(
                kind: .command, place: .before, steps: [.object([$0, PrintedValue.Pair("when", when)])])
        }
    }

    /// What is done in a world, in the words of the language.
    package func name(_ index: Int) -> String {
        disturbances[index].steps.map(\.line).joined(separator: ", ")
    }

    /// nil: the disturbance is no valid step of the scenario.
    package func world(_ index: Int) -> DrawnWorld? {
        let leftOut = ["covers", "cases", "xfail", "issue", "tags", "skip", "steps", "liveness"]
        var head = tree.pairs.filter { !leftOut.contains($0.key) }
        head = head.map { pair in
            switch pair.key {
            case "title": .init("title", .text("\(plan.name), with a disturbance"))
            case "versions": .init("versions", versions(pair.value))
            default: pair
            }
        }
        if let id = head.firstIndex(where: { $0.key == "id" }) { head.remove(at: id) }
        head.insert(.init("id", .text("\(plan.scenario.id)-\(index + 1)")), at: min(2, head.count))
        let story = (tree["steps"]?.elements ?? []).compactMap { OutsideSweep.withoutExpectations($0) }
        let end = OutsideEnd(version: last, updater).steps
        if !head.contains(where: { $0.key == "limits" }) {
            head.insert(.init("limits", OutsideEnd.limits), at: min(3, head.count))
        }
        let steps =
            [WorldStep(OutsideEnd.watch, isDrawn: false)]
            + disturbances[index].steps.map { WorldStep($0, isDrawn: false) }
            + story.map { WorldStep($0) } + end.map { WorldStep($0, isDrawn: false) }
        return DrawnWorld(UInt64(index), head, steps, WorldNames(of: plan.scenario), profiles)
    }

    private func versions(_ versions: PrintedValue) -> PrintedValue {
        guard let last, let base = versions.pairs.last?.key, let first = plan.scenario.versions.last,
            let route = plan.scenario.files(of: first.name.value).map(\.route).first
        else { return versions }
        return .object(
            versions.pairs + [.init(last, ["from": .text(base), "changes": [.text(route)]])])
    }

    /// The step without what is expected; nil: nothing is left of it.
    private static func withoutExpectations(_ step: PrintedValue) -> PrintedValue? {
        for verb in ["expect", "always", "never", "gap", "crash"] where step[verb] != nil { return nil }
        guard case .list(let steps)? = step["steps"] else { return step }
        var step = step
        step["steps"] = .list(steps.compactMap { withoutExpectations($0) })
        return step
    }
}
