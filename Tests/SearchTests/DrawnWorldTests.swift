import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner
@testable import Search

@Suite("Worlds that nobody wrote")
struct DrawnWorldTests {
    private static let profiles = ["ios-17", "plain"]

    private func drawn(_ seed: UInt64) -> DrawnWorld? {
        DrawnWorld(seed: seed, profiles: DrawnWorldTests.profiles)
    }

    @Test("A seed gives the same file each time, and another seed another one")
    func sameAgain() throws {
        let first = try #require(drawn(7))
        #expect(drawn(7)?.text == first.text)
        #expect(drawn(8)?.text != first.text)
    }

    @Test("A world is a valid scenario that expects nothing, and most of its steps are kept")
    func valid() throws {
        var steps = 0
        var leftOut = 0
        for seed in UInt64(0)..<200 {
            let world = try #require(drawn(seed), "seed \(seed)")
            let reading = ScenarioReader.read(
                path: "x.json5", bytes: Array(world.text.utf8), devices: DrawnWorldTests.profiles)
            #expect(!reading.hasErrors, "seed \(seed)")
            #expect(
                reading.scenarios.first?.steps.contains { [.expect, .always, .never].contains($0.verb) }
                    == false)
            steps += world.scenario.steps.count
            leftOut += world.leftOut
        }
        #expect(leftOut * 8 < steps, "\(leftOut) of \(leftOut + steps)")
    }

    @Test("Each fact of a device is drawn, with values that the language has")
    func devices() {
        for key in DeviceDrawing.keys {
            let values = DeviceDrawing.values(key)
            #expect(values.count > 1, "\(key)")
            for value in values {
                let shown: String =
                    switch value {
                    case .flag(let flag): "\(flag)"
                    case .text(let text): "\"\(text)\""
                    case .number(let number): "\(number)"
                    default: "null"
                    }
                let text = SmallScenario.text(SmallScenario.plain, head: "except: { \(key): \(shown) },")
                let reading = ScenarioReader.read(
                    path: "x.json5", bytes: Array(text.utf8), devices: ["plain"])
                #expect(!reading.hasErrors, "\(text)")
            }
        }
        let text = (UInt64(0)..<400).compactMap { drawn($0)?.text }.joined()
        for key in DeviceDrawing.keys {
            #expect(text.contains(" \(key): "), "\(key)")
        }
    }

    @Test("Each verb that acts, each kind of fault, damage, behaviour and user's action is drawn")
    func words() {
        let text = (UInt64(0)..<1_500).compactMap { drawn($0)?.text }.joined()
        let expecting = ["expect", "always", "never", "mark", "gap", "crash"]
        for schema in [ObjectSchema.step, .fault, .damage, .behaviour] {
            for field in schema.fields where field.role == .head && !expecting.contains(field.key) {
                #expect(text.contains("{ \(field.key): "), "\(schema.title) \(field.key)")
            }
        }
        for action in UserAction.keywords where action != "types" {
            #expect(text.contains("user: \"\(action)\""), "\(action)")
        }
        for dialect in ManifestFormat.allCases where dialect != .own {
            #expect(text.contains("manifest: \"\(dialect.rawValue)\""))
        }
        for word in ["signedBy: [", "signature: \"", "expires: \"", "wallClock: \"", "algorithm: \"p256\""] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test("Steps on given lines are left out, and those that need them too")
    func without() throws {
        let world = try #require(
            (UInt64(0)..<200).lazy.compactMap { drawn($0) }.first { $0.scenario.steps.count > 6 })
        let lines = world.text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0 == "  steps: [" }) + 2
        let less = try #require(world.without(lines: [first], profiles: DrawnWorldTests.profiles))
        #expect(less.scenario.steps.count + less.leftOut == world.scenario.steps.count - 1)
        #expect(!less.text.contains(lines[first - 1] + "\n" + lines[first]))
    }

    @Test("A word has its coin by its name: whatever else a world draws")
    func swarm() {
        var one = Chance(seed: 1)
        var other = Chance(seed: 1)
        let swarm = Swarm(&one)
        _ = Swarm(&other).has("kill", in: "step")
        let again = {
            var chance = Chance(seed: 1); return Swarm(&chance)
        }()
        let words = (0..<400).map { "word\($0)" }
        #expect(words.allSatisfy { swarm.has($0, in: "step") == again.has($0, in: "step") })
        let share = words.count { swarm.has($0, in: "step") }
        #expect((40...380).contains(share))
        #expect(words.contains { swarm.has($0, in: "step") != swarm.has($0, in: "fault") })
    }

    @Test("Times are within their bounds, and meet the borders of rules")
    func times() {
        var chance = Chance(seed: 3)
        let times = (0..<2_000).map { _ in Borders.time(&chance, to: 3_600_000_000) }
        #expect(times.allSatisfy { $0 >= TimeSpan(microseconds: 1_000) && $0 <= .hours(1) })
        for border in [TimeSpan.seconds(5), .seconds(20), .minutes(30), .minutes(15)] {
            #expect(times.contains(border), "\(border)")
        }
    }
}

@Suite("Running worlds that nobody wrote")
struct WorldTrialTests {
    @Test("A world's outcome is the same each time")
    func sameAgain() {
        var trial = WorldTrial(ProfileSet())
        for seed in UInt64(40)..<46 {
            #expect(trial.outcome(of: WorldRecipe(seed)) == trial.outcome(of: WorldRecipe(seed)), "\(seed)")
        }
    }

    @Test("A step whose trigger never comes is no failure, and is counted")
    func missedTriggers() {
        var trial = WorldTrial(ProfileSet())
        let outcomes = (UInt64(0)..<60).map { trial.outcome(of: WorldRecipe($0)) }
        #expect(outcomes.contains { $0.leftOut > 0 })
        let found = outcomes.compactMap { outcome -> ScenarioResult? in
            if case .found(let result) = outcome.end { result } else { nil }
        }
        #expect(!found.contains { $0.failures.first?.kind == .trigger })
    }
}
