import Core
import ScenarioLanguage

/// A scenario of a file as the start of random worlds: its steps without its expectations, with random steps
/// between them and after them.
///
/// It leads to states that free worlds seldom reach, because its author had a reason for each step: an odd
/// manifest, a taken port, a store that another version has left.
///
/// Promises: the same seed gives the same world in every process of one program; a world is a valid scenario
/// that expects nothing, so that what is found was found by a rule. Deliberately not here: running it.
package struct DisturbedScenario: Sendable {
    /// Name of the scenario, with its case.
    package let name: String
    /// The scenario as a file of its own.
    package let text: String
    /// The scenario without what it says about itself.
    private let tree: PrintedValue
    private let steps: [PrintedValue]
    private let names: WorldNames

    /// - Returns: nil if the scenario has a gap (it is a ``Property``), or nothing that steps can name.
    package init?(_ scenario: Scenario) {
        guard !scenario.steps.contains(where: { $0.verb == .gap }) else { return nil }
        var tree = ScenarioPrinter.tree(of: scenario)
        names = WorldNames(of: scenario).with(scenario.steps)
        steps = DisturbedScenario.acting(tree["steps"]?.elements ?? [])
        guard !names.versions.isEmpty, !names.routes.isEmpty, !steps.isEmpty else { return nil }
        name = scenario.name
        text = ScenarioPrinter.text(of: tree)
        for key in DisturbedScenario.aboutItself { tree[key] = nil }
        self.tree = tree
    }

    /// Members that say something about the scenario, and nothing about its world.
    private static let aboutItself = ["covers", "xfail", "skip", "tags", "issue"]

    /// The steps that act. In place of an expectation that waits, the time passes in which the app comes to
    /// rest.
    private static func acting(_ steps: [PrintedValue]) -> [PrintedValue] {
        steps.compactMap { step in
            if step.isCheck { return step["within"] == nil ? nil : ["settle": true] }
            var step = step
            step["because"] = nil
            if let inner = step["steps"] {
                let acting = acting(inner.elements)
                if acting.isEmpty { return nil }
                step["steps"] = .list(acting)
            }
            return step
        }
    }

    /// Numbers of places at which something is put in.
    private static let insertions = [1, 1, 2, 3, 4, 6]

    /// - Returns: nil if that gives no scenario, which is a mistake of this module.
    func world(_ seed: UInt64, profiles: [String]) -> DrawnWorld? {
        // Scenarios have other worlds of the same seed.
        var hash = KeyedHash(key: KeyedHash.Key(low: seed, high: 1))
        hash.update(name)
        var chance = Chance(seed: hash.finish())
        let swarm = Swarm(&chance)
        var drawing = StepDrawing(chance.split(), swarm, names, before: steps.count)
        var steps = self.steps
        if chance.once(in: 4) { steps = Array(steps.prefix(1 + chance.below(steps.count))) }
        if chance.once(in: 4), steps.count > 1 { steps.remove(at: chance.below(steps.count)) }
        for _ in 0..<chance.of(DisturbedScenario.insertions) {
            steps.insert(contentsOf: drawing.filling(1), at: chance.below(steps.count + 1))
        }
        if chance.once(in: 2) { steps += drawing.continuation(after: steps.count) }
        var head = tree.headOfWorld(name, seed, choices: Int64(chance.below(1_000)))
        head["title"] = .text("World \(seed) of \(name)")
        return DrawnWorld(seed, head.pairs, steps.map { WorldStep($0) }, names, profiles)
    }
}
