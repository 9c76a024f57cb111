import Core
import ScenarioLanguage
import Synchronization
import TestSupport
import Testing

@testable import Runner
@testable import Search

/// The search for a smaller scenario. What fails is decided by the text of a scenario, so that a test says
/// exactly what a failure needs; nothing is run.
@Suite("A smaller scenario with the same failure")
struct ShrinkerTests {
    private static let failure = FailureSignature(
        Failure(kind: .liveness, headline: "It fails", at: .zero), versions: [])

    private func shrunk(
        _ text: String, runs: Int = Shrinker.standardRuns, jobs: Int = 1,
        if fails: @escaping @Sendable (String) -> Bool
    ) async throws -> ShrunkScenario {
        var shrinker = Shrinker(path: "Scenarios/small.json5") { scenario in
            fails(String(decoding: scenario.source.bytes, as: UTF8.self)) ? [Self.failure] : []
        }
        shrinker.maxRuns = runs
        shrinker.jobs = jobs
        return try #require(await shrinker.shrink(try SmallScenario.plan(text).scenario))
    }

    /// The lines of the steps.
    private func steps(_ shrunk: ShrunkScenario) -> [String] {
        let lines = shrunk.text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        let start = lines.firstIndex { $0.hasPrefix("steps: [") } ?? lines.count - 1
        return lines[(start + 1)...].prefix { !$0.hasPrefix("]") }.map(String.init)
    }

    /// 40 steps, two of which matter.
    private static let long = SmallScenario.text(
        String(repeating: "{ launch: true }, { wait: \"3m\" }, { background: true },", count: 6)
            + "{ deploy: \"v2\" }, { check: true },"
            + String(repeating: "{ foreground: true }, { wait: \"1h 7m\" }, { check: true },", count: 6)
            + "{ kill: \"crash\" }, { expect: { running: \"v1\" }, within: \"10s\" },")

    @Test("of 40 steps those that the failure needs are left, in a small part of the runs")
    func long() async throws {
        let shrunk = try await shrunk(Self.long) { $0.contains("kill:") && $0.contains("deploy:") }
        #expect(steps(shrunk) == [#"{ deploy: "v1" },"#, #"{ kill: "system" },"#])
        #expect(shrunk.stepsBefore == 40 && shrunk.stepsAfter == 2 && shrunk.isComplete)
        #expect(shrunk.runs < 60, "\(shrunk.runs)")
    }

    @Test("the result and the number of runs do not depend on the number of jobs", arguments: [2, 3, 8])
    func jobs(count: Int) async throws {
        let fails: @Sendable (String) -> Bool = { $0.contains("check:") && $0.contains("1h 7m") }
        let one = try await shrunk(Self.long, if: fails)
        let several = try await shrunk(Self.long, jobs: count, if: fails)
        #expect(one.text == several.text && one.runs == several.runs)
    }

    @Test("no text is run twice, and the runs never exceed their limit", arguments: [1, 7, 30])
    func limited(runs: Int) async throws {
        let texts = Mutex<[String]>([])
        let shrunk = try await shrunk(Self.long, runs: runs) { text in
            texts.withLock { $0.append(text) }
            return text.contains("deploy:") && text.contains("kill:")
        }
        let all = texts.withLock { $0 }
        #expect(all.count == runs && shrunk.runs == runs && !shrunk.isComplete)
        #expect(all.enumerated().allSatisfy { !all[..<$0.offset].contains($0.element) })
        // Whatever is left still fails.
        #expect(shrunk.text.contains("deploy:") && shrunk.text.contains("kill:"))
    }

    @Test("a scenario that passes, or that fails in another way, has nothing to shrink")
    func passing() async throws {
        let scenario = try SmallScenario.plan(Self.long).scenario
        let passes = Shrinker(path: "x.json5") { _ in [] }
        #expect(await passes.shrink(scenario) == nil)
        let other = Shrinker(path: "x.json5") { _ in [Self.failure] }
        var wanted = Self.failure
        wanted.rule = "R3"
        #expect(await other.shrink(scenario, keeping: wanted) == nil)
        #expect(await other.shrink(scenario, keeping: Self.failure) != nil)
    }

    @Test("a `repeat` is unwrapped, or repeated less often; times and sizes become small and round")
    func small() async throws {
        let rounds = SmallScenario.text(
            "{ launch: true }, { repeat: 30, steps: [ { check: true }, { wait: \"3h 17m\" } ] },")
        let unwrapped = try await shrunk(rounds) { $0.contains("check:") && $0.contains("wait:") }
        #expect(steps(unwrapped) == ["{ check: true },", #"{ wait: "1s" },"#])
        let repeated = try await shrunk(rounds) { $0.contains("repeat:") }
        #expect(steps(repeated) == ["{ repeat: 1, steps: [", #"{ wait: "1s" },"#])
        #expect(!repeated.text.contains("3 KB"), "\(repeated.text)")
        // Three hours are needed, and not the minutes.
        let hours = try await shrunk(rounds) { $0.contains("3h") }
        #expect(steps(hours) == [#"{ wait: "3h" },"#])
    }

    @Test("two waits are joined; a kill and a launch become a relaunch")
    func joined() async throws {
        let text = SmallScenario.text(
            "{ launch: true }, { wait: \"30s\" }, { wait: \"1m 30s\" }, { kill: \"user\" }, { launch: true },"
        )
        let shrunk = try await shrunk(text) { text in
            // Two minutes in any number of steps, and two launches.
            let seconds = (text.contains("\"30s\"") ? 30 : 0) + (text.contains("1m 30s") ? 90 : 0)
            let launches = text.components(separatedBy: "aunch:").count - 1
            return (seconds == 120 || text.contains("\"2m\"")) && launches == 2
                && (text.contains("kill:") || text.contains("relaunch:"))
        }
        #expect(
            steps(shrunk) == ["{ launch: true },", #"{ wait: "2m" },"#, "{ relaunch: true },"])
    }

    @Test("versions go with the steps that name them; the others get plain names, also where files are named")
    func versions() async throws {
        let text = """
            { schema: 1, title: "Names", app: { embeds: "old" },
              versions: {
                old: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
                other: { from: "old", changes: ["app.js"] },
                new: { from: "other", changes: ["index.html"] },
              },
              steps: [ { launch: true }, { deploy: "other" }, { deploy: "new" },
                { disk: { file: "new:/app.js", do: { truncate: "5 B" } } },
                { expect: { starts: { new: { failed: 1 } } } } ] }
            """
        let shrunk = try await shrunk(text) { text in
            text.contains(":/app.js") && text.contains("failed:") && text.contains("embeds:")
                && text.contains("from:")
        }
        #expect(
            steps(shrunk) == [
                #"{ disk: { file: "v1:/app.js", do: { remove: true } } },"#,
                "{ expect: { starts: { v1: { failed: 1 } } } },",
            ])
        #expect(shrunk.text.contains(#"from: "v"#) && !shrunk.text.contains("old"), "\(shrunk.text)")
    }

    @Test("a check that gave time becomes a wait; the one that fails stays with its time")
    func checks() async throws {
        let text = SmallScenario.text(
            """
            { launch: true }, { expect: { running: "v1" }, within: "10s" }, { check: true },
            { expect: { pending: null, blacklist: [] }, within: "5s" },
            """)
        let shrunk = try await shrunk(text) { text in
            text.contains("pending:") && text.contains("5s") && text.contains("10s")
        }
        #expect(steps(shrunk) == [#"{ wait: "10s" },"#, #"{ expect: { pending: null }, within: "5s" },"#])
    }

    @Test("texts for people and marks that hide a failure are not in the result")
    func stripped() async throws {
        let text = SmallScenario.text(
            "{ launch: true, because: \"a reason\" },",
            head: "tags: [\"slow\"], skip: \"today\", issue: \"a/b#1\", covers: [\"R3\"],")
        let shrunk = try await shrunk(text) { $0.contains("launch:") }
        for word in ["slow", "today", "a reason"] { #expect(!shrunk.text.contains(word)) }
        #expect(shrunk.text.contains("issue: \"a/b#1\"") && shrunk.text.contains("covers: [\"R3\"]"))
    }

    @Test("the result is as the formatter writes it, without a warning except for what it does not expect")
    func library() async throws {
        let shrunk = try await shrunk(Self.long) { $0.contains("deploy:") && $0.contains("kill:") }
        let bytes = Array(shrunk.text.utf8)
        #expect(try SourceFormatter.format(bytes, keys: .asFirst) == bytes)
        #expect(
            shrunk.text.hasPrefix(
                "// Fails with liveness: It fails\n// Shrunk from small, 40 to 2 steps.\n{\n  schema: 1,\n"))
        let reading = ScenarioReader.read(path: "Scenarios/small.json5", bytes: bytes)
        #expect(reading.scenarios.count == 1)
        #expect(reading.diagnostics.map(\.code) == [.nothingExpected])
    }

    private let ofSmall = "id: \"small\""

    @Test("a failure that other choices don't have keeps the id and the seed that its choices are made from")
    func choices() async throws {
        let text = SmallScenario.text("{ launch: true }, { check: true },", head: "seed: 7,")
        let needed = try await shrunk(text) { $0.contains(ofSmall) && $0.contains("seed: 7") }
        #expect(needed.text.contains(ofSmall) && needed.text.contains("seed: 7"))
        let free = try await shrunk(text) { $0.contains("launch:") }
        #expect(!free.text.contains("id:") && !free.text.contains("seed:"))
    }

    @Test("a failure of one other path is no reason to leave out the id")
    func path() async throws {
        let text = SmallScenario.text("{ launch: true },")
        let shrunk = try await shrunk(text) { !$0.contains("id: \"third\"") }
        #expect(shrunk.text.contains(ofSmall))
    }

    @Test("a candidate that no reader accepts costs no run")
    func invalid() async throws {
        let count = Mutex(0)
        let text = SmallScenario.text(
            "{ launch: true, as: \"first\" }, { page: \"first\", calls: \"startupDidComplete\" },")
        let shrunk = try await shrunk(text) { text in
            count.withLock { $0 += 1 }
            return text.contains("launch:")
        }
        #expect(count.withLock { $0 } == shrunk.runs)
    }
}
