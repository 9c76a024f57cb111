import Core
import ScenarioLanguage

/// Draws the steps of a short world: an ordinary situation, one or two disturbances, and what often
/// follows. In some of them a disturbance is an ``Episode``.
///
/// Most bugs are shown by three to ten steps (the small scope hypothesis: Jackson, Software Abstractions,
/// 2006). In a long world the next disturbance often comes before a rule may speak. Everything that the
/// language has can be drawn; which words a world has is no choice here, because it has so few of them.
struct ShortStory: Sendable {
    private var chance: Chance
    private var fields: FieldDrawing
    private let verbs: [(key: String, weight: Int)]

    /// Verbs that are no disturbance, or that are drawn as part of a situation or of what follows.
    private static let ordinary = [
        "expect", "always", "never", "mark", "gap", "crash", "wait", "settle", "repeat", "heal", "launch",
    ]
    /// Those that are not listed have the weight 2.
    private static let weights: [(key: String, weight: Int)] = [
        ("fault", 24), ("disk", 6), ("page", 10), ("set", 6), ("user", 4), ("deploy", 6), ("network", 4),
        ("storeUpdate", 4), ("client", 1),
    ]

    init(_ chance: Chance, _ names: WorldNames) {
        self.chance = chance
        fields = FieldDrawing(self.chance.split(), Swarm.everything, names)
        verbs = ObjectSchema.step.fields
            .filter { $0.role == .head && !ShortStory.ordinary.contains($0.key) }
            .map { field in
                (field.key, ShortStory.weights.first { $0.key == field.key }?.weight ?? 2)
            }
    }

    /// The steps in their order, each valid by itself, as far as the table says.
    mutating func steps() -> [PrintedValue] {
        let situation = chance.of(Situation.allCases)
        var steps = situation.steps(&chance, fields.names)
        fields.names.pages = situation.pages
        for _ in 0..<chance.of([1, 1, 2, 2, 3]) { disturb(&steps) }
        return steps + sequels()
    }

    /// Steps after those of another world: its state is the situation.
    mutating func continuation() -> [PrintedValue] {
        var steps: [PrintedValue] = []
        for _ in 0..<chance.of([1, 1, 1, 2]) { disturb(&steps) }
        return steps + sequels()
    }

    private mutating func disturb(_ steps: inout [PrintedValue]) {
        if chance.once(in: 3) {
            steps += chance.of(Episode.allCases).steps(&chance, &fields)
        } else {
            // A fault often begins before what it hits.
            let index = chance.once(in: 3) ? chance.below(steps.count + 1) : steps.count
            steps.insert(disturbance(), at: index)
        }
        if chance.once(in: 3) { steps += Situation.moment(&chance, to: 10_000_000) }
    }

    private mutating func sequels() -> [PrintedValue] {
        (0..<chance.of([1, 1, 2, 3])).flatMap { _ in
            chance.of(Sequel.allCases).steps(&chance, fields.names)
        }
    }

    private mutating func disturbance() -> PrintedValue {
        let verb = verbs[chance.index(by: verbs.map(\.weight))].key
        let trigger = chance.once(in: 6) ? chance.of(FieldDrawing.triggers) : nil
        return fields.step(verb, with: trigger)
    }
}
