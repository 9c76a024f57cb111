import Core
import Foundation
import Testing

@testable import AppHost
@testable import Authoring
@testable import Oracle
@testable import Runner
@testable import ScenarioLanguage
@testable import Updater

@Suite("Lint of many files")
struct LibraryLintTests {
    private func file(_ name: String, _ title: String, _ covers: String = "U1", more: String = "")
        -> ScenarioFile
    {
        let text = """
            { schema: 1, title: "\(title)", covers: ["\(covers)"], \(more) app: { embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [ { launch: true }, { expect: { running: "v1" }, within: "5s" } ] }
            """
        return ScenarioFile(path: "Scenarios/\(name).json5", bytes: Array(text.utf8))
    }

    private func rules(_ files: [ScenarioFile]) -> [String] {
        LibraryLint.findings(files, ProfileSet()).map(\.rule)
    }

    @Test("two scenarios of one id, of one title, and unknown rules, each with its position")
    func twins() throws {
        #expect(rules([file("a", "One"), file("b", "Two")]) == [])
        #expect(rules([file("a", "One"), file("b", "One")]) == ["W0303"])
        #expect(rules([file("a", "One"), file("b", "Two", more: "id: 'a',")]) == ["E0302"])
        let found = LibraryLint.findings([file("a", "One", "u1")], ProfileSet())
        #expect(found.map(\.rule) == ["W0304"] && found.first?.help == "did you mean 'U1'?")
        #expect(found.first?.shown.contains("  --> Scenarios/a.json5:1:") == true)
    }

    @Test(
        "what a run refuses when it prepares its world is an error of lint too",
        arguments: [
            (#"v1: { folder: "nowhere" }"#, #"embeds: "v1""#, "the folder nowhere is not there", "E0114"),
            (
                #"v1: { files: { "index.html": "1 KB" } }"#,
                #"builds: { one: { embeds: "v1" } }, installed: "one""#, "'one' is no build number", "E0106"
            ),
            (
                #"v1: { files: { "index.html": "1 KB", "a.bin": "700 MB" } }"#, #"embeds: "v1""#,
                "no manifest can say 'v1': route=/a.bin bytes=700000000 limit=536870912", "E0114"
            ),
        ])
    func preparation(versions: String, app: String, message: String, code: String) async throws {
        let text = """
            { schema: 1, title: "Refused", app: { \(app) }, versions: { \(versions) },
              cases: [{ name: "a" }, { name: "b" }],
              steps: [ { launch: true }, { expect: { page: "ready" }, within: "5s" } ] }
            """
        let file = ScenarioFile(path: "Scenarios/refused.json5", bytes: Array(text.utf8))
        let found = LibraryLint.findings([file], ProfileSet())
        #expect(found.map(\.rule) == [code] && found.map(\.message) == [message])
        let run = await ScenarioSuite.run([file]).scenarios
        #expect(run.allSatisfy { $0.verdict == .invalid && $0.diagnostics.map(\.message) == [message] })
    }

    @Test("a file that can't be read is a finding without a line; the others are read all the same")
    func unreadable() {
        let broken = ScenarioFile(path: "Scenarios/x.json5", bytes: [], error: "may not be read")
        let found = LibraryLint.findings([broken, file("a", "One", "Z9")], ProfileSet())
        #expect(found.map(\.rule) == ["E0301", "W0304"])
        #expect(found[0].isUnreadableFile && found[0].location.line == nil)
        #expect(found[0].shown.hasPrefix("error[E0301]: may not be read\n  --> Scenarios/x.json5\n"))
    }

    @Test("every rule is listed once, with its sentence")
    func table() {
        let ids = LintRule.all.map(\.id)
        #expect(ids.count == Set(ids).count && ids.count > 30)
        #expect(LintRule.all.allSatisfy { $0.summary.count > 10 && !$0.summary.hasSuffix(".") })
        #expect(LintRule.named("E0103")?.name == "unknownKey")
    }

    /// The table's defaults of settings are those of the app.
    @Test("the defaults that the table states for settings are those of the updater")
    func settings() {
        var assumed: [String: JSONNode.Kind] = [:]
        for field in ObjectSchema.settings.fields { assumed[field.key] = field.assumed }
        let settings = UpdaterSettings(app: "a", origin: "https://a")
        let seconds = settings.startupTimeout.microseconds / 1_000_000
        #expect(assumed["startupTimeout"] == .string("\(seconds)s"))
        #expect(assumed["confirm"] == .string(settings.confirmation.rawValue))
        #expect(assumed["checks"] == .string(CheckMode.automatic.rawValue))
        #expect(assumed["updates"] == .string(settings.updates.rawValue))
        let parallel = settings.parallelTransfers
        #expect(
            assumed["parallel"] == .number(JSONNumber(integer: Int64(parallel), text: String(parallel))))
        #expect(assumed["switchOnReload"] == .bool(settings.switchesOnReload))
        #expect(assumed["switchOnReturn"] == .bool(settings.switchesOnReturn))
        #expect(assumed["channel"] == .string(settings.channel))
        #expect(assumed["metered"] == .bool(settings.usesMeteredNetwork))
        #expect(assumed["outcomes"] == .bool(settings.reportsOutcomes))
        let ends = settings.unclearEndsUntilRescue
        #expect(
            assumed["unclearEnds"] == .number(JSONNumber(integer: Int64(ends), text: String(ends))))
        #expect(assumed.count == 11)
    }
}

@Suite("Lint of a release")
struct ReleaseLintTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("release-\(UUID().uuidString)")
    }

    private func write(_ release: String, _ files: [String: String]) throws {
        for (name, text) in files {
            let url = folder.appendingPathComponent(release + "/" + name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    private func rules(_ release: String, _ previous: String? = nil) throws -> [String] {
        try ReleaseLint.findings(
            folder.path + "/" + release, previous: previous.map { folder.path + "/" + $0 }
        ).map(\.rule)
    }

    private let index = "<script src=\"/app.1a2b3c4d.js\"></script><link href=\"style.css\" rel=stylesheet>"

    @Test("a release by itself: index, broken references, clashes, and nothing to say of a good one")
    func alone() throws {
        try write("good", ["index.html": index, "app.1a2b3c4d.js": "a", "style.css": "b"])
        #expect(try rules("good") == [])
        try write("bad", ["main.html": index])
        #expect(try rules("bad") == ["P0401"])
        try write("broken", ["index.html": index, "style.css": "b"])
        #expect(try rules("broken") == ["P0405"])
        try write("clash", ["index.html": "", "Logo.png": "a", "logo.png": "b"])
        #expect(try rules("clash") == ["P0403"])
        try write("equal", ["index.html": "", "Logo.png": "a", "logo.png": "a"])
        #expect(try rules("equal") == [])
        try write("route", ["index.html": "", "a#b.js": "a"])
        #expect(try rules("route") == ["P0402"])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/good/link.js", withDestinationPath: "style.css")
        #expect(try rules("good") == ["P0406"])
        #expect(throws: ReleaseLint.MissingFolder.self) { try rules("nowhere") }
    }

    @Test("beside the one before: hashes that lie, names without one, sizes, spellings, app and port")
    func beside() throws {
        let large = String(repeating: "x", count: 300_000)
        try write(
            "old",
            [
                "index.html": "<b>http://localhost:12104/ \"appId\": \"one\"", "app.1a2b3c4d.js": "a",
                "plain.js": "a", "same.js": "s", "grow.js": "x", "Name.png": "n",
            ])
        try write(
            "new",
            [
                "index.html": "<b>http://localhost:12999/ \"appId\": \"two\"", "app.1a2b3c4d.js": "b",
                "plain.js": "b", "same.js": "s", "grow.js": large, "name.png": "n",
            ])
        #expect(
            try rules("new", "old").sorted() == [
                "P0411", "P0412", "P0413", "P0414", "P0414", "P0415", "P0415", "P0416",
            ])
        #expect(try rules("old", "old") == [])
    }

    @Test("a clash is one exactly where the updater refuses a manifest with those paths")
    func agrees() throws {
        let pairs = [
            ("/a.js", "/A.js"), ("/a.js", "/b.js"), ("/\u{E9}.js", "/e\u{301}.js"),
            ("/\u{C9}.js", "/\u{E9}.js"),
            ("/ß.js", "/SS.js"), ("/\u{212A}.js", "/k.js"), ("/ı.js", "/i.js"), ("/x/a.js", "/X/a.js"),
            ("/ﬁ.js", "/fi.js"), ("/ς.js", "/σ.js"), ("/a.js", "/a.js.map"),
        ]
        var clashes = 0
        for (one, other) in pairs {
            let refused = try isRefused([one, other])
            #expect((ReleaseLint.folded(one) == ReleaseLint.folded(other)) == refused, "\(one) \(other)")
            if refused { clashes += 1 }
        }
        #expect(clashes > 4 && clashes < pairs.count)
    }

    /// With other content under the second path.
    private func isRefused(_ routes: [String]) throws -> Bool {
        let files = (["/index.html"] + routes).enumerated().map { number, route in
            let hash = String(repeating: String(number), count: 64)
            return "{ \"route\": \"\(route)\", \"size\": 1, \"sha256\": \"\(hash)\" }"
        }
        let text = """
            { "format": "otalab-manifest-1", "app": "a", "version": "v", "index": "/index.html",
              "files": [ \(files.joined(separator: ", ")) ] }
            """
        do {
            _ = try ManifestReader(dialect: .own).read(Array(text.utf8))
            return false
        } catch {
            #expect(error.cause == .manifestPathsClash)
            return true
        }
    }

    @Test("the port of an app is the host's")
    func port() {
        for id in ["com.example.shop", "a", "größer", ""] {
            #expect(ReleaseIdentity.port(ofApp: id) == LocalPort.defaultNumber(ofApp: id))
        }
    }

    @Test(
        "a hash in a name is told from a word",
        arguments: [
            ("/app.1a2b3c4d.js", "1a2b3c4d"), ("/assets/index-BfA3x9Qz.css", "BfA3x9Qz"),
            ("/0123456789abcdef0123456789abcdef01234567.js", "0123456789abcdef0123456789abcdef01234567"),
            ("/application.js", ""), ("/jquery-3.7.1.min.js", ""), ("/a1.js", ""), ("/copyright.txt", ""),
        ])
    func hashes(route: String, hash: String) {
        #expect(ReleaseLint.hash(in: route) ?? "" == hash)
    }
}
