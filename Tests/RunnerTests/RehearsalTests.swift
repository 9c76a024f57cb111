import Core
import Foundation
import ScenarioLanguage
import Testing

@testable import Runner

/// `Tests/Tools/sample-build` into a folder of its own, and the scenario that it writes beside.
@Suite("A real build is rehearsed from its folder", .serialized)
struct RehearsalTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private final class Sample {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("otalab-build-\(UUID().uuidString)")

        init() throws {
            let process = Process()
            process.executableURL = RehearsalTests.root.appendingPathComponent("Tests/Tools/sample-build")
            process.arguments = [folder.path]
            process.standardOutput = Pipe()
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func names(_ build: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/\(build)/assets").sorted()
        }

        /// Writes the scenario with something changed.
        func change(_ old: String, _ new: String) throws {
            let path = folder.appendingPathComponent("release.json5")
            let text = try String(contentsOf: path, encoding: .utf8)
            try #require(text.contains(old))
            try text.replacingOccurrences(of: old, with: new).write(
                to: path, atomically: true, encoding: .utf8)
        }

        func run() async throws -> ScenarioResult {
            let files = try ScenarioFile.find([folder.path + "/release.json5"])
            return try #require(await ScenarioSuite.run(files).scenarios.first)
        }
    }

    @Test("the update from one release to the next holds: only what is new is fetched, and it starts")
    func passes() async throws {
        let sample = try Sample()
        #expect(try sample.names("before").count > 20)
        let result = try await sample.run()
        #expect(result.verdict == .passed, "\(result.failures.first?.headline ?? "\(result.diagnostics)")")
        #expect(result.faultsNeverApplied.isEmpty)
        #expect(result.events > 500)
    }

    @Test("a Meteor build is embedded as such, although it has an index and a manifest of its own")
    func meteor() async throws {
        let sample = try Sample()
        for build in ["before", "after"] {
            let path = sample.folder.path + "/\(build)/program.json"
            try Data(#"{"format":"web-program-pre1","manifest":[]}"#.utf8).write(
                to: URL(fileURLWithPath: path))
        }
        let text = """
            {
              schema: 1, title: "A Meteor build", app: { embeds: "before", manifest: "meteor" },
              versions: { before: { folder: "before" }, after: { folder: "after" } },
              steps: [
                { network: "offline" }, { launch: true },
                { expect: { running: "before", page: "ready" }, within: "5s" },
                { network: "online" }, { deploy: "after" }, { check: true },
                { expect: { pending: "after" }, within: "2m" }, { relaunch: true },
                { expect: { running: "after", page: "ready" }, within: "10s" },
              ],
            }
            """
        try Data(text.utf8).write(to: sample.folder.appendingPathComponent("release.json5"))
        let result = try await sample.run()
        #expect(result.verdict == .passed, "\(result.failures.first?.headline ?? "\(result.diagnostics)")")
    }

    @Test("a build whose index refers to a script that it does not have is found before it ships")
    func missingScript() async throws {
        let sample = try Sample()
        let script = try #require(
            try sample.names("after").first { $0.hasPrefix("app-") && $0.hasSuffix(".js") })
        try FileManager.default.removeItem(atPath: sample.folder.path + "/after/assets/" + script)
        let result = try await sample.run()
        #expect(result.verdict == .failed)
        #expect(result.failures.first?.headline.hasPrefix("running: expected after, found before") == true)
    }

    @Test(
        "files of a build can be inherited, changed, left out and annotated; names that fit nothing are told")
    func inheritance() async throws {
        let sample = try Sample()
        let chunk = try #require(try sample.names("before").first { $0.hasPrefix("chunk-0") })
        try sample.change(
            #"after: { folder: "after" },"#,
            #"""
            after: { folder: "after" },
            plus: { from: "before", changes: ["/assets/\#(chunk)"], without: ["robots.txt"],
                    files: { "favicon.ico": { type: "image/x-icon" }, "new.txt": "1 KB", "copy.js": { same: "before:/assets/\#(chunk)" } } },
            """#)
        try sample.change(
            #"{ expect: { answers: { status: 404"#,
            #"""
            { deploy: "plus", order: "roll back" }, { check: true }, { wait: "1m" }, { check: true },
            { expect: { pending: "plus", storedFiles: { has: ["plus:/assets/\#(chunk)", "plus:/new.txt"],
              hasNot: ["plus:/favicon.ico", "plus:/copy.js"] } }, within: "2m" },
            { page: "reload" }, { expect: { running: "plus", page: "ready" }, within: "10s" },
            { page: "in front", asks: "/favicon.ico" }, { page: "in front", asks: "/robots.txt" }, { wait: "1s" },
            { expect: { answers: [{ asked: "/favicon.ico", status: 200, count: 1 },
              { asked: "/robots.txt", status: 404, count: 1 }] }, since: "start" },
            { mark: "last" },
            { expect: { answers: { status: 404
            """#)
        try sample.change(#"count: 0 } }, since: "powerCut" }"#, #"count: 0 } }, since: "last" }"#)
        let result = try await sample.run()
        #expect(result.verdict == .passed, "\(result.failures.first?.headline ?? "\(result.diagnostics)")")
        try sample.change("/assets/\(chunk)\"]", "/assets/chunk-0-0000000.js\"]")
        let wrong = try await sample.run()
        let told = try #require(wrong.diagnostics.first)
        #expect(wrong.verdict == .invalid)
        #expect(told.message == "'plus' does not inherit '/assets/chunk-0-0000000.js'")
        #expect(told.help == "did you mean '/assets/\(chunk)'?")
        #expect(told.location.text.contains("chunk-0-0000000.js"))
    }

    @Test("a folder that is missing, is a file or is empty is reported at its position")
    func folders() async throws {
        let sample = try Sample()
        try sample.change(#"after: { folder: "after" }"#, #"after: { folder: "dist" }"#)
        let missing = try await sample.run()
        #expect(missing.verdict == .invalid)
        #expect(missing.diagnostics.first?.message == "the folder dist is not there")
        try Data().write(to: sample.folder.appendingPathComponent("dist"))
        #expect(try await sample.run().diagnostics.first?.message == "dist is a file, not a folder")
        try FileManager.default.removeItem(at: sample.folder.appendingPathComponent("dist"))
        try FileManager.default.createDirectory(
            at: sample.folder.appendingPathComponent("dist"), withIntermediateDirectories: true)
        // Links that lead nowhere and links to folders are no files.
        for (name, target) in [("gone.js", "nowhere.js"), ("assets", "../before")] {
            try FileManager.default.createSymbolicLink(
                atPath: sample.folder.path + "/dist/\(name)", withDestinationPath: target)
        }
        #expect(try await sample.run().diagnostics.first?.message == "the folder dist holds no files")
    }
}
