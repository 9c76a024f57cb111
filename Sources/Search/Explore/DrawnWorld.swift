import Core
import ScenarioLanguage

/// A world that nobody wrote: a scenario drawn from a seed, or one of a file with steps drawn from one.
///
/// Promises: the same seed gives the same text in every process of one program; the text is a valid scenario,
/// and has no expectations but those of a property, so that all else that is found was found by a rule; each
/// word of the language that acts can be drawn, new ones too, because they come from the field table.
/// Deliberately not here: running it, and what is a finding.
package struct DrawnWorld: Sendable {
    package let seed: UInt64
    package let scenario: Scenario
    /// The scenario as a file, one step in each line.
    package let text: String
    /// Steps that were drawn and left out because they contradict others.
    package let leftOut: Int

    /// Draws again with other choices if what was drawn is no scenario; nil if no attempt gives one, which is
    /// a mistake of this module.
    /// - Parameter profiles: names of device profiles, at least one.
    package init?(seed: UInt64, profiles: [String]) {
        var chance = Chance(seed: seed)
        for _ in 0..<DrawnWorld.attempts {
            guard let drawn = DrawnWorld.draw(chance.split(), seed, profiles) else { continue }
            self = drawn
            return
        }
        return nil
    }

    /// The world of a recipe; nil if there is none.
    /// - Parameter basis: the one that the recipe names; nil if it names none.
    package init?(_ recipe: WorldRecipe, of basis: WorldBasis? = nil, profiles: [String]) {
        guard basis?.name == recipe.basis else { return nil }
        let first =
            basis.map { $0.world(recipe.seed, profiles: profiles) }
            ?? DrawnWorld(seed: recipe.seed, profiles: profiles)
        guard var world = first else { return nil }
        for branch in recipe.branches {
            guard let next = world.branched(branch, profiles) else { return nil }
            world = next
        }
        self = world
    }

    private static let attempts = 20
    /// One world in four, and one continuation in four, is drawn step by step: the stories of short worlds
    /// lead only to what their author has thought of.
    private static let longShare = 4
    /// Of 100.
    private static let shareOfSettings = 20

    /// Path of a world's file.
    package static func path(_ seed: UInt64) -> String { "worlds/\(seed).json5" }

    private let head: [PrintedValue.Pair]
    private let steps: [WorldStep]
    /// What steps can name.
    private let names: WorldNames

    /// Number of the steps, those of a `repeat` not counted.
    package var stepCount: Int { steps.count }

    private static func draw(_ chance: Chance, _ seed: UInt64, _ profiles: [String]) -> DrawnWorld? {
        var chance = chance
        let isShort = !chance.once(in: DrawnWorld.longShare)
        // A short world has an app with few settings, so that what happens is about its steps.
        let swarm = isShort ? Swarm(&chance, share: shareOfSettings) : Swarm(&chance)
        var app = AppDrawing(chance.split(), swarm, profiles: profiles)
        // The id, from which the choices of a run follow, goes with the file wherever it lies.
        let head = app.members(title: "World \(seed)", id: "world-\(seed)")
        let steps: [PrintedValue]
        if isShort {
            var story = ShortStory(chance.split(), app.names)
            steps = story.steps()
        } else {
            var drawing = StepDrawing(chance.split(), swarm, app.names)
            steps = drawing.steps()
        }
        return DrawnWorld(seed, head, steps.map { WorldStep($0) }, app.names, profiles)
    }

    /// The first steps, and others after them.
    func branched(_ branch: WorldRecipe.Branch, _ profiles: [String]) -> DrawnWorld? {
        var chance = Chance(seed: branch.seed)
        let kept = Array(steps.prefix(branch.kept))
        // What the kept steps have named.
        let named = names.with(scenario.steps.prefix(branch.kept))
        let new: [PrintedValue]
        if chance.once(in: DrawnWorld.longShare) {
            // Other disturbances than before.
            let swarm = Swarm(&chance)
            var drawing = StepDrawing(chance.split(), swarm, named)
            new = drawing.continuation(after: kept.count)
        } else {
            var story = ShortStory(chance.split(), named)
            new = story.continuation()
        }
        return DrawnWorld(seed, head, kept + new.map { WorldStep($0) }, names, profiles)
    }

    /// The world with those of the steps that are valid together; nil if what is wrong is no drawn step.
    init?(
        _ seed: UInt64, _ head: [PrintedValue.Pair], _ drawn: [WorldStep], _ names: WorldNames,
        _ profiles: [String]
    ) {
        var steps = drawn
        // Leaving out a step can make another one wrong.
        while !steps.isEmpty {
            let text = DrawnWorld.text(head, steps)
            let reading = ScenarioReader.read(
                path: DrawnWorld.path(seed), bytes: Array(text.utf8), devices: profiles)
            if let scenario = reading.scenarios.first {
                (self.seed, self.scenario, self.text) = (seed, scenario, text)
                (self.head, self.steps, leftOut) = (head, steps, drawn.count - steps.count)
                self.names = names
                return
            }
            let wrong = reading.diagnostics.filter { $0.severity == .error }.map {
                $0.file.position(of: $0.span.start).line - DrawnWorld.firstLine(head)
            }
            let droppable = wrong.filter { steps.indices.contains($0) && steps[$0].isDrawn }
            guard !droppable.isEmpty else { return nil }
            steps = steps.enumerated().filter { !droppable.contains($0.offset) }.map(\.element)
        }
        return nil
    }

    /// The world without the drawn steps on these lines; nil if that is no scenario, or a line has no such
    /// step.
    package func without(lines: [Int], profiles: [String]) -> DrawnWorld? {
        let indices = lines.map { $0 - DrawnWorld.firstLine(head) }
        guard indices.allSatisfy({ steps.indices.contains($0) && steps[$0].isDrawn }) else { return nil }
        let left = steps.enumerated().filter { !indices.contains($0.offset) }
        return DrawnWorld(seed, head, left.map(\.element), names, profiles)
    }

    /// The world with drawn steps in place of one of its steps.
    func replacing(_ index: Int, with drawn: [PrintedValue], profiles: [String]) -> DrawnWorld? {
        let new = drawn.map { WorldStep($0) }
        return DrawnWorld(
            seed, head, Array(steps[..<index]) + new + Array(steps[(index + 1)...]), names, profiles)
    }

    /// The steps as they are printed.
    var printedSteps: [PrintedValue] { steps.map(\.value) }

    /// One line for each member and each step.
    private static func text(_ head: [PrintedValue.Pair], _ steps: [WorldStep]) -> String {
        var text = "{\n"
        for pair in head { text += "  \(pair.key): \(pair.value.line),\n" }
        text += "  steps: [\n"
        for step in steps { text += "    \(step.value.line),\n" }
        return text + "  ],\n}\n"
    }

    /// Line of the first step, from 1.
    private static func firstLine(_ head: [PrintedValue.Pair]) -> Int { head.count + 3 }
}

/// A step of a world as it is printed.
struct WorldStep: Sendable {
    var value: PrintedValue
    /// Whether it was drawn and can be left out; the others are a property's.
    var isDrawn: Bool

    init(_ value: PrintedValue, isDrawn: Bool = true) {
        (self.value, self.isDrawn) = (value, isDrawn)
    }
}
