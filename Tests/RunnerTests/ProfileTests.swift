import Backend
import Core
import Foundation
import ScenarioLanguage
import TestSupport
import Testing
import World

@testable import Runner

@Suite("Device profiles: the files are the source, next to the scenarios, and are no scenarios")
struct ProfileTests {
    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: Profiles.folder + "/\(name).json5", encoding: .utf8)
    }

    private func story(_ device: String) -> String {
        SmallScenario.text(SmallScenario.plain, head: "device: '\(device)',")
    }

    private func run(_ paths: [String]) async throws -> RunResults {
        let files = try ScenarioFile.find(paths)
        var options = ScenarioSuite.Options()
        options.profiles = ProfileSet(folders: ProfileFolder.find(paths, files))
        return await ScenarioSuite.run(files, options)
    }

    @Test("The folder gives every profile, and its plain one is the one that is there without a folder")
    func folder() throws {
        #expect(Profiles.all.diagnostics.isEmpty)
        #expect(
            Profiles.all.names == ["android-14", "android-8-go", "ios-15", "ios-17", "plain", "slow-line"])
        var plain = try Profiles.named("plain")
        #expect(plain.evidence.count == 22)
        plain.evidence = DeviceProfile.plain.evidence
        #expect(plain == .plain)
        #expect(ProfileSet().profiles == [.plain])
        #expect(ProfileSet(folders: []).profiles == [.plain])
    }

    @Test("What a file says is what the world gets")
    func meaning() throws {
        let android = try Profiles.named("android-14")
        #expect(android.platform == "android" && !android.announcesReload && android.socketsSurviveSuspension)
        #expect(android.backgroundBudget == .minutes(1) && android.crashProfile == .journal)
        #expect(android.exitRecord(after: .user) == .userRequested)
        #expect(android.exitRecord(after: .notResponding) == .notResponding)
        #expect(android.exitRecord(after: .battery) == nil)
        let small = try Profiles.named("android-8-go")
        #expect(small.exits.isEmpty && small.hasSmallSectors && small.diskCost == .wornPhone)
        #expect(small.link.latency == .milliseconds(150) && small.link.bandwidth == 2_000_000)
        #expect(small.diskCapacity == 4 << 30)
        let phone = try Profiles.named("ios-17")
        #expect(android.nameRule == .exactBytes && phone.nameRule == .anyForm)
        #expect(phone.crashProfile == .apple && phone.syncsReachMedium && phone.exits.isEmpty)
    }

    @Test("A file that differs changes the run: it is really read, the one named plain too")
    func isUsed() async throws {
        let usual = try text("plain")
        let slow = usual.replacing(#"is: "50ms""#, with: #"is: "900ms""#)
        let one = try ScratchFolder([
            ("Scenarios/profiles/plain.json5", usual), ("Scenarios/s/a.json5", story("plain")),
        ])
        let other = try ScratchFolder([
            ("Scenarios/profiles/plain.json5", slow), ("Scenarios/s/a.json5", story("plain")),
        ])
        let first = try await run([one.path + "/Scenarios"])
        let second = try await run([other.path + "/Scenarios"])
        #expect(first.scenarios.map(\.verdict) == [.passed])
        #expect(second.scenarios.map(\.digest) != first.scenarios.map(\.digest))
        #expect(second.scenarioSetDigest != first.scenarioSetDigest)
    }

    @Test("On every device of the library an update arrives and runs, also after a time in background")
    func devices() throws {
        let steps =
            SmallScenario.plain
            + #"{ background: true }, { wait: "2m" }, { foreground: true }, { expect: { page: "ready" }, within: "5s" },"#
        var digests: [UInt64] = []
        for name in Profiles.all.names {
            let text = SmallScenario.text(steps, head: "device: '\(name)',")
            let reading = ScenarioReader.read(
                path: "a.json5", bytes: Array(text.utf8), devices: Profiles.all.names)
            let plan = try #require(reading.scenarios.flatMap { RunPlan.plans(for: $0, seed: 1) }.first)
            let result = ScenarioRunner(profiles: Profiles.all.profiles).run(plan)
            #expect(result.failures.map(\.headline) == [] && result.verdict == .passed, "\(name)")
            digests.append(result.digest)
        }
        // Plain and ios-17 differ in power cuts and in the page cache, and this story has neither.
        #expect(Set(digests).count == 5)
    }

    /// Values that the plain phone does not have.
    private static let others = [
        ("bootId", "'not told'"), ("backgroundBudget", "'7s'"), ("socketsSurviveSuspension", "true"),
        ("reload", "'everything'"), ("tellsReload", "false"), ("inactiveBeforeSwipe", "false"),
        ("secFetch", "false"), ("cachedPages", "3"), ("latency", "'7ms'"), ("bandwidth", "'7 Mbit/s'"),
        ("crashModel", "'alice'"),
        ("sync", "\"reaches the drive's cache\""), ("sectors", "'512 B'"), ("names", "'exact bytes'"),
        ("storage", "'7 GiB'"), ("diskCall", "'7us'"), ("fileSync", "'7ms'"), ("folderSync", "'8ms'"),
        ("diskReads", "'7 MB/s'"), ("diskWrites", "'8 MB/s'"),
    ]

    @Test("What a scenario excepts replaces that fact of the profile alone, and the report names it")
    func excepted() throws {
        #expect(ObjectSchema.deviceChanges.fields.map(\.key) == ProfileTests.others.map(\.0))
        var devices: Set<DeviceProfile> = [.plain]
        for (key, value) in ProfileTests.others {
            let text = SmallScenario.text(SmallScenario.plain, head: "except: { \(key): \(value) },")
            let reading = ScenarioReader.read(path: "a.json5", bytes: Array(text.utf8), devices: ["plain"])
            #expect(reading.diagnostics.isEmpty, "\(key)")
            let scenario = try #require(reading.scenarios.first)
            let compiler = ScenarioCompiler(
                scenario: scenario, profiles: [.plain], readFolder: BuildFolder.read)
            let device = try #require(try compiler.setup(seed: 1).devices.first)
            // No two keys change the same fact.
            #expect(devices.insert(device).inserted, "\(key)")
            let plan = try #require(RunPlan.plans(for: scenario, seed: 1).first)
            #expect(ScenarioRunner.blank(plan).device == "plain except \(key)")
            #expect(ScenarioPrinter.text(of: scenario).contains("except: { \(key): "), "\(key)")
        }
    }

    @Test("They are found from a file, a folder, a line, and the whole, and are never scenarios")
    func found() async throws {
        let place = try ScratchFolder([
            ("Scenarios/profiles/own.json5", try text("plain")), ("Scenarios/s/a.json5", story("own")),
            ("loose/profiles/own.json5", try text("plain")), ("loose/b.json5", story("own")),
        ])
        for path in [
            "/Scenarios", "/Scenarios/s", "/Scenarios/s/a.json5", "/Scenarios/s/a.json5:3", "/loose",
        ] {
            let results = try await run([place.path + path])
            #expect(results.scenarios.map(\.verdict) == [.passed], "\(path)")
        }
        for path in ["/Scenarios/profiles", "/Scenarios/profiles/own.json5"] {
            #expect(try ScenarioFile.find([place.path + path]).isEmpty)
            #expect(ProfileFolder.find([place.path + path], []) == [place.path + "/Scenarios/profiles"])
        }
    }

    @Test("An invalid profile is a result with its position; a scenario that names it fails, others run")
    func broken() async throws {
        let wrong = try text("plain").replacing("bootId", with: "botId")
        let place = try ScratchFolder([
            ("Scenarios/profiles/odd.json5", wrong), ("Scenarios/a.json5", story("odd")),
            ("Scenarios/b.json5", story("plain")), ("Scenarios/c.json5", story("oddd")),
        ])
        let results = try await run([place.path + "/Scenarios"])
        #expect(results.scenarios.map(\.verdict) == [.invalid, .invalid, .passed, .invalid])
        #expect(results.exitCode == .invalid)
        let told = results.scenarios.flatMap(\.diagnostics)
        #expect(told.first?.help == "did you mean 'bootId'?" && told.first?.location.line == 6)
        #expect(told.contains { $0.message == "the profile 'odd' can't be used" })
        #expect(told.last?.help == "did you mean 'odd'?" && told.last?.message == "no device is named 'oddd'")
    }

    @Test("Of two files of one name the first counts, and the second is reported")
    func twice() throws {
        let place = try ScratchFolder([
            ("a/profiles/own.json5", try text("plain")), ("b/profiles/own.json5", try text("ios-17")),
        ])
        let set = ProfileSet(folders: [place.path + "/a/profiles", place.path + "/b/profiles"])
        #expect(set.names == ["own", "plain"])
        #expect(set.profiles.first { $0.name == "own" }?.crashProfile == .strict)
        #expect(set.diagnostics.map(\.file.path) == [place.path + "/b/profiles/own.json5"])
    }
}
