import Core
import ScenarioLanguage
import TestSupport
import Testing

@testable import Runner

@Suite("Changes that must not matter")
struct MetamorphicCheckTests {
    private let check = MetamorphicCheck(ScenarioRunner())

    private static let story =
        SmallScenario.plain
        + "{ expect: { running: \"v2\", confirmed: true }, within: \"5s\" }, { settle: true }, { wait: \"30s\" }"

    private func plan(_ steps: String = story) throws -> RunPlan {
        try SmallScenario.plan(SmallScenario.text(steps))
    }

    @Test("Every change can be made in a plain story, and none makes a difference")
    func plain() throws {
        let outcome = check.outcome(of: try plan())
        #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
        #expect(outcome.notApplied.isEmpty, "\(outcome.notApplied)")
        #expect(outcome.runs >= Transformations.all.count)
        #expect(outcome.text == "\(outcome.runs) changed runs end as it does")
    }

    @Test("Every change makes another run of it", arguments: Transformations.all.indices)
    func changes(index: Int) throws {
        // Files of several pieces, and downloads that end at the same instant.
        let files = ", files: { \"a.js\": \"40 KB\", \"b.js\": \"40 KB\", \"c.js\": \"40 KB\" }"
        let plan = try SmallScenario.plan(SmallScenario.text(Self.story, v2: files))
        let base = try check.unchanged(plan)
        let own = try check.perform(plan, { _ in }) { _, _ in }.backend.digest
        #expect(try check.perform(plan, { _ in }) { _, _ in }.backend.digest == own)
        for variant in try Transformations.all[index].variants(of: base) {
            var changed = plan
            changed.scenario = variant.scenario
            let digest = try check.perform(changed, variant.change) { _, _ in }.backend.digest
            #expect(digest != own, "\(variant.name) changes nothing")
        }
    }

    /// A change that matters, which the check must notice.
    private struct Insertion: Transformation {
        let name = "something else"
        let reason = "nobody said so"
        let actions: [Action]

        func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
            try base.inserting(actions, at: base.positions, name)
        }
    }

    /// A change after which the origin can't say what it has to say.
    private struct Impossible: Transformation {
        let name = "no versions"
        let reason = "no one said so"

        func variants(of base: UnchangedRun) throws(NotApplicable) -> [Variant] {
            [Variant(name: name, scenario: base.scenario) { $0.app.builds = [] }]
        }
    }

    @Test("A changed run that can't begin is a failure, because the unchanged one did")
    func impossible() throws {
        var check = check
        check.transformations = [Impossible()]
        let failure = try #require(check.outcome(of: try plan()).failure)
        #expect(failure.headline == "With no versions the run can't begin")
        #expect(failure.differences.count == 1 && !failure.differences[0].actual.isEmpty)
    }

    private static let nowhere = SourceSpan(start: 0, end: 0)

    @Test("A change that matters is a failure: its name, the first part that differs, a file that shows it")
    func different() throws {
        var check = check
        check.transformations = [
            Insertion(actions: [.deploy(DeploySpec(Spanned("v3", Self.nowhere))), .check])
        ]
        let plan = try plan()
        let outcome = check.outcome(of: plan)
        let failure = try #require(outcome.failure)
        let headline = "With something else before step 6 the device ends otherwise: running"
        #expect(failure.headline == headline)
        #expect(failure.differences.map(\.expected) == ["v2, confirmed"])
        #expect(failure.differences.map(\.actual) == ["v3, confirmed"])
        #expect(failure.reproduction.hasSuffix(" --metamorphic"))
        let file = MetamorphicCheck.file(of: failure, try #require(outcome.changed))
        #expect(file.hasPrefix("// With something else before step 6 the"), "\(file)")
        #expect(file.contains("// changed: running v3, confirmed\n") && file.contains("{ deploy: \"v3\" }"))
        #expect(try !SmallScenario.plan(file).scenario.steps.isEmpty)
        var result = ScenarioRunner().run(plan)
        #expect(result.verdict == .passed)
        check.check(&result, plan)
        #expect(result.verdict == .failed && result.failures.map(\.kind) == [.metamorphic])
        #expect(result.notes.map(\.kind) == [.metamorphic])
        #expect(result.notes[0].text == "1 changed run ends as it does, and the next one otherwise")
        // The run that shows the states of the device does not show the difference.
        ScenarioRunner().rerunForExplanation(&result, nil, plan, nil, recordsMoments: true)
        #expect(!result.moments.isEmpty && result.failures.map(\.kind) == [.metamorphic])
    }

    @Test("One change alone: the first that can be made, from a position in the list on")
    func one() throws {
        let base = try plan()
        for start in [0, 4, Transformations.all.count + 1] {
            let outcome = check.outcome(of: base, withOneFrom: start)
            #expect(outcome.runs == 1 && outcome.failure == nil && outcome.notApplied.isEmpty)
        }
        var check = check
        check.transformations = [
            Insertion(actions: []),
            Insertion(actions: [.deploy(DeploySpec(Spanned("v3", Self.nowhere))), .check]),
        ]
        // Each is inserted at several positions; the first one alone counts.
        #expect(check.outcome(of: base, withOneFrom: 0).failure == nil)
        #expect(check.outcome(of: base).failure != nil)
        let late =
            "{ launch: true }, { deploy: \"v2\" }, { check: true }, { wait: \"20ms\" }, { kill: \"crash\" }"
        let race = self.check.outcome(of: try plan(late), withOneFrom: 0)
        #expect(race.runs <= 1 && race.notApplied.count >= 5, "\(race)")
    }

    @Test("A run whose moments decide is left alone, with the reason")
    func notApplied() throws {
        let race = try plan(
            """
            { launch: true }, { deploy: "v2" }, { check: true }, { wait: "20ms" }, { kill: "crash" }
            """)
        let outcome = check.outcome(of: race)
        #expect(outcome.failure == nil)
        let why = "step 5 comes while the app is at work"
        #expect(outcome.notApplied.filter { $0.hasSuffix(why) }.count == 6, "\(outcome.notApplied)")
        let timed = try plan("{ launch: true }, { deploy: \"v2\", after: \"10ms\" }, { wait: \"20s\" }")
        let reasons = check.outcome(of: timed).notApplied
        #expect(reasons.count == Transformations.all.count, "\(reasons)")
        #expect(reasons.allSatisfy { $0.contains("comes at a moment of its own") }, "\(reasons)")
    }

    @Test("A name in two spellings is two names, which get two others")
    func spellings() throws {
        let files = ", files: { \"caf\u{E9}.js\": \"1 KB\", \"cafe\u{301}.js\": \"2 KB\" }"
        let plan = try SmallScenario.plan(SmallScenario.text(Self.story, v2: files))
        let outcome = check.outcome(of: plan)
        #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
        #expect(!outcome.notApplied.contains { $0.hasPrefix("other names") }, "\(outcome.notApplied)")
    }

    @Test("A run with manifests that a fault makes is left alone")
    func otherManifests() throws {
        for (fault, isLeft) in [
            (#"{ corrupt: "1 B" }, path: "manifest""#, true),
            (#"{ corrupt: "1 B" }, path: "/app.js""#, false),
            (#"{ answer: { status: 200, body: "{}" } }, path: "manifest""#, true),
            (#"{ answer: { status: 200, headers: { "X-A": "1" } } }, path: "manifest""#, false),
        ] {
            let outcome = check.outcome(
                of: try plan("{ launch: true }, { fault: \(fault) }, { settle: true }"))
            let reason = "makes another manifest of each request"
            #expect(outcome.notApplied.contains { $0.contains(reason) } == isLeft, "\(fault)")
        }
    }

    @Test("No extra check while a fault waits for its request, no relaunch while a version is pending")
    func positions() throws {
        let faulty = "{ launch: true }, { fault: { status: 500 }, times: 1 }, { wait: \"20s\" }"
        let outcome = check.outcome(of: try plan(faulty))
        #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
        let base = try check.unchanged(try plan())
        let pending = try #require(base.positions.first { $0.step == 4 })
        #expect(pending.isQuiet && pending.knowsOffer && !pending.isConfirmed, "\(pending)")
        let last = try #require(base.positions.last)
        #expect(last.isQuiet && last.isConfirmed && last.isInFront && last.knowsOffer, "\(last)")
        let first = try #require(base.positions.first)
        #expect(!first.isQuiet && !first.knowsOffer)
    }

    @Test("A healed fault disturbs nothing any more; damage does, until a check or a launch repairs it")
    func healed() throws {
        let damage = "{ disk: { file: \"records\", do: { remove: true } } }"
        for (step, isUndisturbed) in [("{ fault: \"refuse\" }", true), (damage, false)] {
            let base = try check.unchanged(
                try plan("{ launch: true }, { settle: true }, \(step), { heal: true }, { settle: true }"))
            let last = try #require(base.positions.last)
            #expect(base.isUndisturbed(before: last) == isUndisturbed, "\(step)")
        }
    }

    @Test("An extra check or relaunch would change which calls of the disk fail later")
    func laterDiskErrors() throws {
        let fault = ", { fault: { diskError: \"EFBIG\", call: \"truncate\" } }, { settle: true }"
        let base = try check.unchanged(try plan(Self.story + fault))
        let offline = try check.unchanged(try plan(Self.story + ", { fault: \"refuse\" }, { settle: true }"))
        #expect(base.positions.contains { $0.isQuiet && $0.knowsOffer })
        #expect(base.positions.map { base.failsDisk(after: $0) }.count { $0 } == base.positions.count - 2)
        #expect(!offline.positions.contains { offline.failsDisk(after: $0) })
    }

    @Test("A page that a later step names is gone after a relaunch")
    func namedPages() throws {
        let story =
            "{ launch: true, as: \"old\" }, { settle: true }, { deploy: \"v2\" }, { check: true }, "
            + "{ settle: true }, { page: \"old\", calls: \"switchToPendingVersion\" }, { settle: true }"
        let base = try check.unchanged(try plan(story))
        #expect(base.positions.filter { base.needsEarlierPage(after: $0) }.map(\.step) == [1, 2, 3, 4, 5])
        #expect(check.outcome(of: try plan(story + ", { deploy: \"v1\" }")).failure == nil)
    }

    @Test("While a page holds off switches, another process would not")
    func heldOff() throws {
        let calls = "{ page: \"in front\", calls: \"%@\" }, { settle: true }"
        for (steps, isQuiet) in [(["holdOff"], false), (["holdOff", "release"], true)] {
            let story = ([Self.story] + steps.map { calls.replacing("%@", with: $0) }).joined(separator: ", ")
            let last = try #require(try check.unchanged(try plan(story)).positions.last)
            #expect(last.isQuiet == isQuiet, "\(steps)")
        }
    }

    @Test("What an edge has kept for a while says nothing of what the origin offers")
    func ages() throws {
        let head = "origin: { edges: [\"a\"], ages: { a: \"20s\" } },"
        let plan = try SmallScenario.plan(SmallScenario.text(Self.story, head: head))
        #expect(!(try check.unchanged(plan).positions.contains { $0.knowsOffer }))
    }

    @Test("Where manifests have only dates, nothing takes time within a second of a publication (U8)")
    func secondOfPublication() throws {
        func positions(_ manifest: String) throws -> [Int] {
            let text = SmallScenario.text(
                #"{ deploy: "v1" }, { launch: true }, { settle: true }, { deploy: "v2" }, { wait: "30s" }"#)
            let app = text.replacing(#"app: { "#, with: "app: { manifest: \"\(manifest)\", ")
            return try check.unchanged(try SmallScenario.plan(app)).positions.filter(\.keepsOrder).map(\.step)
        }
        #expect(try positions("frontend") == [0, 5])
        #expect(try positions("own") == [0, 1, 2, 3, 4, 5])
    }

    @Test("A step inside a repeat interrupts the app, too; one that waits for it does not")
    func interruptedInRepeat() throws {
        func interrupting(_ steps: String) throws -> Int? {
            try check.unchanged(try plan(#"{ deploy: "v2" }, "# + steps)).interrupting
        }
        #expect(
            try interrupting(
                "{ repeat: 2, steps: [{ launch: true }, { wait: \"4ms\" }, { kill: \"user\" }] }") == 1)
        #expect(
            try interrupting("{ repeat: 2, steps: [{ launch: true }, { settle: true }, { kill: \"user\" }] }")
                == nil)
    }

    @Test(
        "No extra check within a quarter of an hour before a return to the front, which may check itself (U3)"
    )
    func beforeReturn() throws {
        func isPossible(_ wait: String) throws -> Bool {
            let steps = #"{ launch: true }, { wait: "10s" }, { background: true }, { wait: ""# + wait
            let base = try check.unchanged(try plan(steps + #"" }, { foreground: true }, { wait: "20m" }"#))
            return base.positions.contains { $0.step == 2 && !base.returnsSoon(after: $0) }
        }
        #expect(try !isPossible("14m"))
        #expect(try isPossible("17m"))
    }

    @Test(
        "No extra check where an answer that names what runs would drop what waits since a rescue",
        arguments: [
            ("v1", false), ("v2", true),
        ])
    func beforeSecondChance(offered: String, isKnown: Bool) throws {
        let steps =
            "{ launch: true }, { deploy: \"v2\" }, { settle: true }, { relaunch: true }, "
            + "{ deploy: \"\(offered)\" }, { wait: \"1m\" }, { background: true }"
        let text = SmallScenario.text(steps, v2: ", startup: \"throws\"")
        let base = try check.unchanged(try SmallScenario.plan(text))
        let rescued = try #require(base.positions.last)
        #expect(rescued.knowsOffer == isKnown, "\(rescued)")
    }

    @Test("No extra check and no extra relaunch where two versions may state one number (U8)")
    func statedNumbers() throws {
        let base = try check.unchanged(
            try plan("{ launch: true }, { settle: true }, { deploy: \"v2\", serial: 2 }, { settle: true }"))
        for transformation in [ExtraCheck(), ExtraRestart()] as [any Transformation] {
            do throws(NotApplicable) {
                let variants = try transformation.variants(of: base)
                Issue.record("\(transformation.name): \(variants.map(\.name))")
            } catch {
                #expect(error.why.hasSuffix("may give two versions one number"))
            }
        }
    }

    @Test("No extra relaunch where another version's first starts differ: they are told apart by processes")
    func firstStarts() throws {
        let steps = "{ launch: true }, { settle: true }, { deploy: \"v2\" }"
        for (startup, isApplicable) in [("\"throws\"", true), ("{ fails: 1 }", false)] {
            let base = try check.unchanged(
                try SmallScenario.plan(SmallScenario.text(steps, v2: ", startup: \(startup)")))
            let variants = (try? ExtraRestart().variants(of: base)) ?? []
            #expect(!variants.isEmpty == isApplicable, "\(startup)")
        }
    }

    @Test("Ends differ in the first part that differs; what only one has counts")
    func ends() throws {
        let one = try #require(try check.unchanged(try plan()).end)
        let other = try #require(
            try check.unchanged(try plan("{ launch: true }, { wait: \"30s\" }")).end)
        #expect(one.firstDifference(from: one) == nil)
        let difference = try #require(one.firstDifference(from: other))
        #expect((difference.own, difference.other) == ("v2, confirmed", "v1, confirmed"))
        #expect(difference.name == "running")
        #expect(one.parts.contains { $0.name == "files of v2" && $0.value.contains("/app.js") }, "\(one)")
    }

    @Test("Where the disk refuses calls for a while, syncs keep their length: the moment of a call decides")
    func refusedCalls() throws {
        var check = check
        check.transformations = [SyncSpeed(factor: 10)]
        let outcome = check.outcome(
            of: try plan("{ fault: { diskError: \"EIO\", call: \"sync\" } }, { launch: true }"))
        #expect(outcome.runs == 0 && outcome.notApplied.contains { $0.contains("calls fail") }, "\(outcome)")
    }

    @Test("A proven version is set aside in the same way, whether its record is durable at once or not")
    func setAside() throws {
        let path = Profiles.folder.dropLast("profiles".count) + "storage/kept-proofs.json5"
        let file = try #require(try ScenarioFile.find([String(path)]).first)
        let scenario = try #require(file.read(devices: Profiles.all.names).scenarios.first)
        var check = MetamorphicCheck(ScenarioRunner(profiles: Profiles.all.profiles))
        check.transformations = [SyncSpeed(factor: 0)]
        let outcome = check.outcome(of: RunPlan.plans(for: scenario, seed: 1)[0])
        #expect(outcome.runs == 1 && outcome.failure == nil, "\(String(describing: outcome.failure))")
    }
}
