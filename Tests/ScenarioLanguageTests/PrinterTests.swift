import Core
import Foundation
import Testing

@testable import ScenarioLanguage

@Suite("The printer")
struct PrinterTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Every scenario of the library and of the fixtures.
    private static func files() -> [(path: String, bytes: [UInt8])] {
        ["Scenarios", "Tests/Fixtures/stories"].flatMap { folder -> [(path: String, bytes: [UInt8])] in
            let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (names?.compactMap { $0 as? String } ?? []).sorted()
                .filter { $0.hasSuffix(".json5") && !$0.hasPrefix("profiles/") && !$0.hasPrefix("shared/") }
                .compactMap { name in
                    FileManager.default.contents(
                        atPath: root.appendingPathComponent("\(folder)/\(name)").path
                    )
                    .map { ("\(folder)/\(name)", Array($0)) }
                }
        }
    }

    /// Everything of a value except locations.
    static func dump(_ value: Any) -> String {
        if value is SourceSpan || value is SourceFile { return "" }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional { return mirror.children.first.map { dump($0.value) } ?? "nil" }
        if mirror.children.isEmpty { return "\(value)" }
        return "\(type(of: value))("
            + mirror.children.map { "\($0.label ?? ""): \(dump($0.value))" }.joined(separator: ", ") + ")"
    }

    private func read(_ text: String) throws -> Scenario {
        let reading = ScenarioReader.read(
            path: "Scenarios/a.json5", bytes: Array(text.utf8), devices: LibraryTests.devices)
        let errors = reading.diagnostics.filter { $0.severity == .error }.map(\.message)
        #expect(errors == [], "\(text)")
        #expect(reading.scenarios.count == 1)
        return try #require(reading.scenarios.first)
    }

    private func holds(_ scenario: Scenario) throws {
        let text = ScenarioPrinter.text(of: scenario)
        var again = try read(text)
        #expect(again.id == scenario.name)
        // A case has become a separate scenario.
        var meant = scenario
        meant.id = scenario.name
        meant.caseName = nil
        again.source = meant.source
        #expect(PrinterTests.dump(again) == PrinterTests.dump(meant), "\(text)")
        #expect(ScenarioPrinter.text(of: again) == text)
        #expect(String(decoding: try SourceFormatter.format(Array(text.utf8)), as: UTF8.self) == text)
    }

    @Test("every scenario of the library, printed and read, is the same scenario")
    func library() throws {
        let files = PrinterTests.files()
        #expect(files.count > 20)
        var count = 0
        for file in files {
            for scenario in ScenarioReader.read(
                path: file.path, bytes: file.bytes, devices: LibraryTests.devices,
                used: { path in
                    FileManager.default.contents(atPath: PrinterTests.root.appendingPathComponent(path).path)
                        .map { Array($0) }
                }
            ).scenarios {
                try holds(scenario)
                count += 1
            }
        }
        #expect(count > 35)
    }

    @Test("every profile of the library, printed and read, is the same profile")
    func profiles() throws {
        let folder = PrinterTests.root.appendingPathComponent("Scenarios/profiles").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names.count > 2)
        for name in names {
            let bytes = Array(try #require(FileManager.default.contents(atPath: folder + "/" + name)))
            let profile = try #require(ProfileReader.read(path: name, bytes: bytes).profile)
            let root = FieldTable.profile.print(profile).tree
            let text = FormatLayout().text(TriviaDocument(root: root))
            let reading = ProfileReader.read(path: name, bytes: Array(text.utf8))
            var again = try #require(reading.profile, "\(DiagnosticRenderer.render(reading.diagnostics))")
            // Evidence is printed in the order of the table.
            again.evidence = profile.evidence.filter { again.evidence.contains($0) }
            #expect(PrinterTests.dump(again) == PrinterTests.dump(profile), "\(text)")
        }
    }

    @Test("rare keys are printed too: answers, damage, triggers, bounds, crashes, unusual names")
    func rare() throws {
        let text = """
            {
              schema: 1, title: "Quotes \\" and \\\\ and\\nlines", tags: ["a b"], seed: 7, xfail: "why \\u0001",
              limits: { events: 5, virtualTime: "1h 2m 3s 4ms 5us" }, device: "plain",
              app: { builds: { "1.0": { embeds: "v 1", native: "A" }, "1.1": { native: "B", number: "1.0" } }, installed: "1.1",
                startupTimeout: "7s", confirm: "loaded", checks: "manual", parallel: 3, switchOnReload: false,
                metered: true, meteredUpTo: "5 MB" },
              origin: { edges: ["a", "b"], route: "b" },
              versions: {
                "v 1": { files: { "index.html": "2 KB", "a.js": { size: "1 B", optional: true, immutable: true } } },
                v2: { from: "v 1", changes: ["a.js"], without: [], native: "A", dataSchema: 2,
                  startup: { fails: 2, how: { dies: "page", after: "1s" }, on: { B: { throws: "after 2s" } } } },
                v3: { from: "v2", files: { "b.js": { same: "v 1:/a.js", type: "text/plain" } },
                  startup: { usable: "after 1s", confirms: "never" } },
              },
              steps: [
                { crash: { operation: 12, of: "launch", nth: 2, writes: 1, outcome: "3f" } },
                { crash: { operation: 1, of: "recovery", outcome: "torn 3" } },
                { launch: "background", as: "first" },
                { deploy: "v2", to: ["a"], order: "force", parts: "manifest", keepFiles: false },
                { deploy: "embedded" },
                { fault: { answer: { status: 206, headers: { "x-a": "b" }, "retry-after": "90s", bytes: "of v3",
                  from: "0 B", etag: "other" } }, path: "/a.js", nth: 2, edge: "a", for: "1m", times: 3 },
                { fault: { corrupt: "3 B", at: "50%" }, path: "manifest" },
                { fault: { slow: "disk syncs", by: "5ms" }, as: "slow" },
                { disk: { file: "v2:/a.js", do: { readError: "at 50%" } }, when: { stored: "60%", of: "/a.js" } },
                { kill: "low memory", after: { asked: "manifest", nth: 3 } },
                { page: "reload", anyOrder: ["navigation starts", "index requested"] },
                { page: "first", calls: "startupDidComplete", after: "250ms" },
                { user: "types from 5s to 3m" }, { heal: "slow" },
                { fault: "locked device" }, { fault: "read-only disk" }, { fault: "port taken" }, { restart: true },
                { fault: { lateTimers: "5s" } }, { fault: "black-holed address" }, { freeze: "1m" },
                { fault: { shortWrites: "1000 B" } }, { fault: "untrusted certificate" },
                { fault: { answer: { status: 200, headers: { "x-a": "" }, body: "" } }, path: "manifest" },
                { fault: { status: 503, headers: { "x-a": "" } } },
                { fault: { diskError: "EIO", call: "sync", of: "record" }, nth: 3, times: 1 },
                { fault: { diskError: "EMFILE", call: "open" }, for: "1m" },
                { set: { startupTimeout: "9s", updates: "page" } },
                { repeat: 3, every: "1m", steps: [ { check: true }, { mark: "here" } ] },
                { expect: { running: null, bytes: { atMost: "3 KB" }, starts: { v2: { failed: { between: [1, 2] } } },
                  stored: { has: ["v2"] }, requests: { manifest: 1, "/a.js": { atLeast: 2 } },
                  answers: { asked: "script", status: 200, count: 0 }, progress: { percent: { atMost: "50%" } },
                  whiteTime: "0s", log: [] }, within: "5s", since: "here", because: "so" },
                { expect: { messages: { has: ["recalled v2"], hasNot: ["forced v2"], count: 1, progress: { atMost: 2 } } } },
                { expect: { messages: ["error no-space"] } },
                { page: "in front", sends: "{}", size: "2 MB" },
                { expect: { replies: { has: ["error no method"], hasNot: ["error too long #7"] } } },
                { expect: { page: "ready" }, throughout: "5s", while: "the app is in front", since: "check" },
              ],
            }
            """
        try holds(try read(text))
    }

    @Test(
        "a fault of disk calls needs an existing error and the calls",
        arguments: [
            (#"diskError: "errno", call: "sync""#, DiagnosticCode.unknownKeyword),
            (#"diskError: "EIO""#, .conflict),
            (#"diskError: "EIO", call: "fsync""#, .unknownKeyword),
            (#"diskError: "EIO", call: "sync", of: "disk""#, .unknownKeyword),
            (#"call: "sync""#, .missingKey),
        ])
    func badDiskErrors(fault: String, code: DiagnosticCode) {
        let file = """
            { schema: 1, title: "t", app: {}, versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [ { fault: { \(fault) } }, { launch: true }, { expect: { page: "ready" } } ] }
            """
        let reading = ScenarioReader.read(path: "a.json5", bytes: Array(file.utf8))
        let errors = reading.diagnostics.filter { $0.severity == .error }
        #expect(errors.map(\.code) == [code], "\(errors)")
    }

    @Test(
        "an outcome of a crash, read and written, is the same",
        arguments: ["kill", "0", "1", "3f", "8000000000000001", "torn 12"])
    func outcomes(text: String) throws {
        #expect(try #require(CrashOutcome(text: text)).text == text)
    }

    @Test(
        "an impossible outcome of a crash is an error",
        arguments: ["", "3F", "x", "torn", "-1"])
    func badOutcomes(text: String) {
        #expect(CrashOutcome(text: text) == nil)
        let file = """
            { schema: 1, title: "t", app: {}, versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [ { crash: { operation: 1, of: "launch", outcome: "\(text)" } }, { launch: true } ] }
            """
        let reading = ScenarioReader.read(path: "a.json5", bytes: Array(file.utf8))
        #expect(reading.diagnostics.contains { $0.severity == .error })
    }
}
