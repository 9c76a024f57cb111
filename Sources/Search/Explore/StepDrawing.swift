import Core
import ScenarioLanguage

/// Draws the steps of a world.
struct StepDrawing: Sendable {
    private var chance: Chance
    private let swarm: Swarm
    private var fields: FieldDrawing
    /// Verbs that the world has, each with its weight.
    private let verbs: [(key: String, weight: Int)]
    private var count = 0
    /// Index of the version that was deployed last.
    private var deployed = 0
    /// Those that the world has.
    private let episodes: [Episode]
    /// Drawn steps until all faults end; nil: nothing is planned.
    private var stepsToHealing: Int?

    /// Verbs that say nothing about a world: they expect, name or repeat.
    private static let ofScenarios = ["expect", "always", "never", "mark", "gap", "crash"]

    /// An episode instead of a step, once in so many times.
    private static let episodeShare = 8

    /// Without these nothing happens, so that each world has them. The weights make a device that is used and
    /// updated; verbs that are not listed have the weight 2.
    private static let always: [(key: String, weight: Int)] = [("launch", 8), ("deploy", 10), ("wait", 6)]
    private static let weights: [(key: String, weight: Int)] = [
        ("relaunch", 6), ("kill", 5), ("background", 5), ("foreground", 6), ("check", 5), ("page", 8),
        ("user", 5),
        ("fault", 10), ("heal", 4), ("repeat", 1), ("client", 1), ("set", 1),
    ]

    /// - Parameter before: number of steps before the drawn ones, which may have names of faults and pages.
    init(_ chance: Chance, _ swarm: Swarm, _ names: WorldNames, before: Int = 0) {
        count = before
        self.chance = chance
        self.swarm = swarm
        fields = FieldDrawing(self.chance.split(), swarm, names)
        episodes = swarm.chosen(Episode.allCases, in: "episode", \.rawValue)
        let own = ObjectSchema.step.fields.filter { field in
            field.role == .head && !Self.ofScenarios.contains(field.key)
                && !Self.always.contains { $0.key == field.key } && swarm.has(field.key, in: "step")
        }
        verbs =
            Self.always
            + own.map { field in
                let usual = Self.weights.first { $0.key == field.key }?.weight ?? 2
                return (field.key, usual * swarm.weight(field.key, in: "step"))
            }
    }

    /// The steps in their order, each valid by itself, as far as the table says.
    mutating func steps() -> [PrintedValue] {
        var steps: [PrintedValue] = []
        // Most apps are in use before something happens to them.
        if !chance.once(in: 4) { steps += [["deploy": "v1"], ["launch": true], ["settle": true]] }
        let length = chance.of([4, 8, 12, 16, 24, 40])
        while steps.count < length { appendNext(to: &steps) }
        return steps
    }

    /// Steps after others.
    /// - Parameter kept: number of those.
    mutating func continuation(after kept: Int) -> [PrintedValue] {
        // Names of faults and pages that the first steps do not have.
        count = kept
        var steps: [PrintedValue] = []
        let length = chance.of([1, 2, 3, 4, 6, 8, 12, 16])
        while steps.count < length { appendNext(to: &steps) }
        return steps
    }

    /// A step, or an episode.
    private mutating func appendNext(to steps: inout [PrintedValue]) {
        guard chance.once(in: Self.episodeShare) else { return append(to: &steps) }
        steps += chance.of(episodes).steps(&chance, &fields)
    }

    /// A step and what often follows it: a check after a deploy, an end of the faults a few steps after one.
    /// A world that stays offline, or a port that stays taken, hides whatever comes after.
    private mutating func append(to steps: inout [PrintedValue], isFilling: Bool = false) {
        let (verb, drawn) = step(isFilling: isFilling)
        steps.append(drawn)
        // Without time between them, steps are about one instant.
        if chance.below(5) < 3 { steps.append(pause()) }
        switch verb {
        case "deploy" where chance.once(in: 3): steps += [["check": true], pause()]
        case "fault" where chance.below(4) < 3: stepsToHealing = stepsToHealing ?? chance.of([1, 2, 3, 5])
        default: break
        }
        guard let left = stepsToHealing else { return }
        stepsToHealing = left > 0 ? left - 1 : nil
        if left == 0 { steps.append(["heal": true]) }
    }

    /// Steps to fill a gap with. They have no triggers, because a step that waits for one could happen after
    /// the gap, and are not repeated.
    mutating func filling(_ length: Int) -> [PrintedValue] {
        var steps: [PrintedValue] = []
        while steps.count < length { append(to: &steps, isFilling: true) }
        return steps
    }

    /// A verb that repeats no others.
    private mutating func plainVerb() -> String {
        let plain = verbs.filter { $0.key != "repeat" }
        return plain[chance.index(by: plain.map(\.weight))].key
    }

    private mutating func pause() -> PrintedValue {
        if chance.once(in: 4) { return ["settle": true] }
        let most: Int64 = chance.of([
            1_000_000, 30_000_000, 1_800_000_000, 691_200_000_000, 2_678_400_000_000,
        ])
        return ["wait": .duration(Borders.time(&chance, to: most))]
    }

    private mutating func step(isFilling: Bool) -> (verb: String, PrintedValue) {
        let verb = isFilling ? plainVerb() : verbs[chance.index(by: verbs.map(\.weight))].key
        if verb == "repeat" { return (verb, rounds()) }
        let trigger = isFilling ? nil : trigger()
        var drawn = fields.step(verb, with: trigger)
        if verb == "deploy" { deployNext(&drawn) }
        name(&drawn, verb)
        return (verb, drawn)
    }

    /// Half of the deploys are of the next version, as most releases are.
    private mutating func deployNext(_ step: inout PrintedValue) {
        guard case .object(var pairs) = step, let index = pairs.firstIndex(where: { $0.key == "deploy" }),
            case .text(let name) = pairs[index].value, fields.names.versions.contains(name)
        else { return }
        if chance.once(in: 2) {
            deployed = (deployed + 1) % fields.names.versions.count
            pairs[index].value = .text(fields.names.versions[deployed])
        } else {
            deployed = fields.names.versions.firstIndex(of: name) ?? deployed
        }
        step = .object(pairs)
    }

    /// The kind of trigger that a step may have; most steps happen in their order.
    private mutating func trigger() -> String? {
        chance.once(in: 6) ? chance.of(swarm.chosen(FieldDrawing.triggers, in: "trigger", \.self)) : nil
    }

    private mutating func rounds() -> PrintedValue {
        let steps = (0...chance.below(3)).map { _ in
            fields.step(plainVerb())
        }
        return ["repeat": .number(chance.whole(2...4)), "steps": .list(steps + [pause()])]
    }

    /// Names what later steps can refer to: a fault, a page load.
    private mutating func name(_ step: inout PrintedValue, _ verb: String) {
        guard case .object(var pairs) = step,
            !pairs.contains(where: { FieldDrawing.triggers.contains($0.key) }),
            chance.once(in: 2)
        else { return }
        count += 1
        switch verb {
        case "fault":
            fields.names.faults.append("fault\(count)")
            pairs.append(.init("as", .text("fault\(count)")))
        case "launch", "relaunch":
            fields.names.pages.append("page\(count)")
            pairs.append(.init("as", .text("page\(count)")))
        default: return
        }
        step = .object(pairs)
    }
}
