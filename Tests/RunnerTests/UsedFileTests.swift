import Foundation
import ScenarioLanguage
import Testing

@testable import Runner

@Suite("One level of `use`: setups that scenarios share")
struct UsedFileTests {
    private static let shop = """
        {
          schema: 1,
          app: { id: "com.example.shop", embeds: "v1" },
          versions: {
            v1: { files: { "index.html": "1 KB", "app.js": "3 KB" } },
            v2: { from: "v1", changes: ["app.js"] },
          },
        }
        """

    private func scenario(_ head: String, _ rest: String = "") -> String {
        """
        {
          schema: 1, title: "A story", \(head)
          steps: [ { launch: true }, \(rest) { expect: { running: "v1" }, within: "5s" } ],
        }
        """
    }

    private func read(_ text: String, _ files: [String: String]) -> ScenarioReading {
        ScenarioReader.read(path: "Scenarios/a/one.json5", bytes: Array(text.utf8)) { path in
            files[path].map { Array($0.utf8) }
        }
    }

    @Test("what is used is as if it were written here, and the scenario's own words win")
    func merged() throws {
        let files = ["Scenarios/shared/shop.json5": Self.shop]
        let plain = read(scenario(#"use: "../shared/shop.json5","#), files)
        #expect(plain.diagnostics.isEmpty)
        let one = try #require(plain.scenarios.first)
        #expect(one.versions.map(\.name.value) == ["v1", "v2"] && one.app.id.value == "com.example.shop")
        #expect(one.source.included.map(\.file.path) == ["Scenarios/shared/shop.json5"])
        let own = read(
            scenario(
                #"use: ["../shared/shop.json5"], app: { id: "com.example.own" }, versions: { v2: { from: "v1" }, v3: { from: "v2" } },"#
            ), files)
        let two = try #require(own.scenarios.first)
        #expect(two.app.id.value == "com.example.own" && two.app.builds.first?.embeds?.value == "v1")
        #expect(two.versions.map(\.name.value) == ["v1", "v2", "v3"])
        #expect(two.version("v2")?.changes.isEmpty == true)
        // What is printed is whole: it can be sent without the used file.
        let printed = ScenarioPrinter.text(of: one)
        #expect(!printed.contains("use:") && printed.contains("v2: {"))
    }

    @Test("a version that says nothing of files keeps those of the used one; one that does replaces it")
    func versions() throws {
        let files = ["Scenarios/shared/shop.json5": Self.shop]
        func version(_ own: String) throws -> VersionSpec {
            let reading = read(
                scenario(#"use: "../shared/shop.json5", versions: { v2: \#(own) },"#), files)
            #expect(reading.diagnostics.isEmpty, "\(DiagnosticRenderer.render(reading.diagnostics))")
            return try #require(reading.scenarios.first?.version("v2"))
        }
        let hanging = try version(#"{ startup: "hangs" }"#)
        #expect(hanging.startup.behaviour == .hangs && hanging.from?.value == "v1")
        #expect(hanging.changes.map(\.value) == ["/app.js"])
        let own = try version(#"{ files: { "index.html": "9 KB" }, startup: "hangs" }"#)
        #expect(own.from == nil && own.changes.isEmpty && own.files.map(\.route.value) == ["/index.html"])
    }

    @Test("values of cases reach into used files")
    func cases() {
        let files = [
            "Scenarios/a/device.json5": #"{ device: "$device" }"#, "Scenarios/shared/shop.json5": Self.shop,
        ]
        let reading = read(
            scenario(
                #"use: ["device.json5", "../shared/shop.json5"], cases: [{ name: "a", device: "plain" }, { name: "b" }],"#
            ),
            files)
        #expect(reading.diagnostics.isEmpty)
        #expect(reading.scenarios.map(\.device.value) == ["plain", "plain"])
    }

    static let faults: [(use: String, files: [String: String], message: String, place: String)] = [
        (#""gone.json5""#, [:], "the used file 'gone.json5' can't be read", "Scenarios/a/one.json5"),
        (#""one.json5""#, [:], "the file uses itself", "Scenarios/a/one.json5"),
        (#""../a/./one.json5""#, [:], "the file uses itself", "Scenarios/a/one.json5"),
        (#""/etc/x.json5""#, [:], "a used file that is not beside this one", "Scenarios/a/one.json5"),
        (
            #"["b.json5", "./b.json5"]"#, ["Scenarios/a/b.json5": shop], "'./b.json5' is used twice",
            "Scenarios/a/one.json5"
        ),
        (
            #""b.json5""#, ["Scenarios/a/b.json5": #"{ use: "c.json5" }"#],
            "a used file that uses another one", "Scenarios/a/b.json5"
        ),
        (
            #""b.json5""#, ["Scenarios/a/b.json5": "{ steps: [] }"], "'steps' can't be shared",
            "Scenarios/a/b.json5"
        ),
        (
            #""b.json5""#, ["Scenarios/a/b.json5": "{\n\n  vresions: {} }"], "'vresions' can't be shared",
            "Scenarios/a/b.json5:3:3"
        ),
        (#""b.json5""#, ["Scenarios/a/b.json5": "[]"], "a used file holds one object", "Scenarios/a/b.json5"),
        (#""b.json5""#, ["Scenarios/a/b.json5": "{\n app: { "], "", "Scenarios/a/b.json5:2:"),
        (
            #""b.json5""#,
            [
                "Scenarios/a/b.json5":
                    "{\n app: { embeds: 'v1' },\n versions: { v1: { files: { x: '3 KC' } } } }"
            ], "'KC' is not a unit", "Scenarios/a/b.json5:3:"
        ),
        (
            #"["b.json5", "c.json5"]"#, ["Scenarios/a/b.json5": shop, "Scenarios/a/c.json5": shop],
            "'id' is in two used files", "Scenarios/a/c.json5:3:"
        ),
        ("5", [:], "'use' can't be a number", "Scenarios/a/one.json5"),
    ]

    @Test("what can't be used is reported with its position", arguments: faults.indices)
    func wrong(place: Int) {
        let fault = Self.faults[place]
        let reading = read(scenario("use: \(fault.use),"), fault.files)
        #expect(reading.scenarios.isEmpty)
        let texts = reading.diagnostics.map { DiagnosticRenderer.render($0) }
        #expect(
            texts.contains { $0.contains(": " + fault.message) && $0.contains("--> \(fault.place)") },
            "\(texts.joined(separator: "\n"))")
    }

    @Test("a failure in what a used file says points into it, and its bytes count for the set's digest")
    func digest() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-use-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["Scenarios/a", "Scenarios/shared"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        func write(_ name: String, _ text: String) throws {
            try text.write(
                to: folder.appendingPathComponent("Scenarios/" + name), atomically: true, encoding: .utf8)
        }
        try write("shared/shop.json5", Self.shop)
        try write("a/one.json5", scenario(#"use: "../shared/shop.json5","#))
        let files = try ScenarioFile.find([folder.path + "/Scenarios"])
        #expect(files.count == 1, "what is shared is no scenario")
        let before = await ScenarioSuite.run(files)
        #expect(before.scenarios.map(\.verdict) == [.passed])
        try write("shared/shop.json5", Self.shop.replacingOccurrences(of: "3 KB", with: "4 KB"))
        let after = await ScenarioSuite.run(files)
        #expect(after.scenarioSetDigest != before.scenarioSetDigest)
        #expect(after.scenarios.first?.digest != before.scenarios.first?.digest)
    }
}
