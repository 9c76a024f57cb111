import Foundation
import Testing

/// `fmt`, `show`, `schema` and `lint` from outside, in a temporary project.
@Suite("The verbs of the language")
struct LanguageVerbTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("otalab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Scenarios"), withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent("Scenarios/" + name).path }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    private func otalab(_ arguments: String...) throws -> (text: String, code: Int32) {
        try Program.call(try Program.tested(), arguments, in: folder)
    }

    /// Both outputs, as a terminal shows them.
    private func told(_ arguments: String) throws -> (text: String, code: Int32) {
        let program = try Program.tested().path
        return try Program.call(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "'\(program)' \(arguments) 2>&1"], in: folder)
    }

    private let story = """
        { schema: 1, title: "A story", /* small */ app: { embeds: "v1" },
          versions: { v1: { files: { "index.html": "1 KB" } } },
          steps: [ { launch: true }, { expect: { running: "v1" }, within: "5s" } ] }
        """

    @Test(
        "fmt: --check and --diff write nothing; fmt writes, keeps permissions and links, and then is content")
    func format() throws {
        try write("a.json5", story)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("a.json5"))
        try FileManager.default.createSymbolicLink(atPath: path("link.json5"), withDestinationPath: "a.json5")
        #expect(try otalab("fmt", "--check", "Scenarios/a.json5").code == 1)
        let difference = try otalab("fmt", "--diff", "Scenarios/a.json5")
        #expect(difference.code == 0 && difference.text.contains("+    { launch: true },\n"))
        #expect(difference.text.contains("--- Scenarios/a.json5\n+++ Scenarios/a.json5\n@@ -1,"))
        #expect(try text("a.json5") == story)
        #expect(try otalab("fmt", "Scenarios/link.json5").code == 0)
        #expect(try text("a.json5").contains("  /* small */\n  app: { embeds: \"v1\" },\n"))
        let attributes = try FileManager.default.attributesOfItem(atPath: path("a.json5"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        let link = try FileManager.default.attributesOfItem(atPath: path("link.json5"))
        #expect(link[.type] as? FileAttributeType == .typeSymbolicLink)
        #expect(try otalab("fmt", "--check").code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/Scenarios").count == 2)
    }

    @Test(
        "fmt: a file that can't be read is reported and unchanged, and the others are formatted; 1 outranks 3"
    )
    func unreadable() throws {
        let wrong = "{ schema: 1, title: \"A\" app: {} }"
        try write("wrong.json5", wrong)
        try write("good.json5", story)
        try FileManager.default.createDirectory(
            atPath: path("folder.json5"), withIntermediateDirectories: false)
        let check = try told("fmt --check")
        #expect(check.code == 1 && check.text.contains("missing ',' between members"))
        #expect(check.text.contains("Scenarios/folder.json5: this is a folder, not a file"))
        let run = try told("fmt")
        #expect(run.code == 3 && run.text.contains("3 files, 1 changed, 2 can't be read"))
        #expect(try text("wrong.json5") == wrong)
        #expect(try text("good.json5").hasPrefix("{\n  schema: 1,\n"))
        #expect(try otalab("fmt", "nowhere").code == 2)
        #expect(try otalab("fmt", "--keys", "some").code == 2)
    }

    @Test("fmt - reads standard input and writes standard output")
    func input() throws {
        let program = try Program.tested().path
        let shell = URL(fileURLWithPath: "/bin/sh")
        let run = try Program.call(
            shell, ["-c", "printf '{\"a\":1}' | '\(program)' fmt -; echo \"code $?\""], in: folder)
        #expect(run.text == "{\n  \"a\": 1,\n}\ncode 0\n")
        let wrong = try Program.call(
            shell, ["-c", "printf '{a:}' | '\(program)' fmt - 2>&1; echo \"code $?\""], in: folder)
        #expect(wrong.text.contains("standard input:1:4") && wrong.text.hasSuffix("code 3\n"))
    }

    @Test("show: a line for each step with its position in the file; the output of --source can be parsed")
    func show() throws {
        try write("a.json5", story)
        let shown = try otalab("show", "Scenarios/a.json5")
        #expect(shown.code == 0 && shown.text.contains("\n  3  expect  running v1  within 5s\n"))
        let source = try otalab("show", "--source", "Scenarios/a.json5")
        try write("b.json5", source.text)
        #expect(try otalab("show", "--source", "Scenarios/b.json5").text == source.text)
        try write("c.json5", story.replacingOccurrences(of: "launch", with: "lanch"))
        let wrong = try told("show Scenarios/c.json5")
        #expect(wrong.code == 3 && wrong.text.contains("did you mean 'launch'?"))
        #expect(try otalab("show").code == 2)
    }

    @Test("show: a profile line by line with what each rests on; a file for use, with its mistakes")
    func showOthers() throws {
        for folder in ["profiles", "shared"] {
            try FileManager.default.createDirectory(
                atPath: path(folder), withIntermediateDirectories: true)
        }
        try write("profiles/plain.json5", try House.text("Scenarios/profiles/plain.json5"))
        let profile = try otalab("show", "Scenarios/profiles/plain.json5")
        #expect(profile.code == 0 && profile.text.hasPrefix("plain   "))
        #expect(profile.text.contains("\n  latency ") && profile.text.contains("an assumption"))
        #expect(try otalab("show", "Scenarios/profiles").text == profile.text)
        try write(
            "shared/shop.json5",
            """
            { app: { embeds: "v1" }, device: "$device",
              versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1" } } }
            """)
        let shared = try otalab("show", "Scenarios/shared/shop.json5")
        #expect(shared.code == 0 && shared.text.contains("\n  version  v2  from: \"v1\"\n"), "\(shared.text)")
        #expect(try otalab("lint", "Scenarios/shared/shop.json5").code == 0)
        try write("shared/wrong.json5", #"{ title: "T", app: { embedz: "v1" } }"#)
        let wrong = try told("show Scenarios/shared/wrong.json5")
        #expect(wrong.code == 3 && wrong.text.contains("unknown key 'title' in used file"), "\(wrong.text)")
        let lint = try otalab("lint", "Scenarios/shared/wrong.json5")
        #expect(lint.code == 1 && lint.text.contains("did you mean 'embeds'?"), "\(lint.text)")
    }

    @Test("lint: the caret is under the error, whatever precedes it")
    func wide() throws {
        try write("a.json5", story.replacingOccurrences(of: "A story\",", with: "日本語🎉e\u{301}\", titel: 1,"))
        let lines = try otalab("lint").text.split(separator: "\n").map(String.init)
        let row = try #require(lines.firstIndex { $0.contains("日本語") })
        let before = try #require(lines[row].range(of: "titel")).lowerBound
        // Four wide characters take a cell more than they count, the accent none.
        let cells = lines[row][..<before].unicodeScalars.count + 4 - 1
        #expect(lines[row + 1].prefix { $0 != "^" }.count == cells, "\(lines)")
        #expect(lines[row + 1].filter { $0 == "^" }.count == 5)
    }

    @Test("schema: a JSON Schema of scenarios or profiles, or the reference")
    func schema() throws {
        let schema = try otalab("schema")
        let object = try JSONSerialization.jsonObject(with: Data(schema.text.utf8)) as? [String: Any]
        #expect(schema.code == 0 && object?["title"] as? String == "OTALab scenario")
        #expect(try otalab("schema", "profile").text.contains("OTALab device profile"))
        #expect(try otalab("schema", "--format", "markdown").text.hasPrefix("## scenario\n"))
        #expect(try otalab("schema", "use").text.contains("OTALab file for use"))
        #expect(try otalab("schema", "profiles").code == 2)
    }

    @Test(
        "lint: 0 without errors, 1 with some or with --strict and warnings, 3 for what can't be read at all")
    func lint() throws {
        try write("a.json5", story)
        #expect(try otalab("lint").code == 0)
        try write("b.json5", story)
        let twins = try otalab("lint")
        #expect(twins.code == 0 && twins.text.contains("warning[W0303]: two scenarios have this title"))
        #expect(
            twins.text.contains("Scenarios/b.json5:1:21") && twins.text.contains("::: Scenarios/a.json5:1:21")
        )
        #expect(try otalab("lint", "--strict").code == 1)
        try FileManager.default.createDirectory(
            atPath: path("b.json5.d"), withIntermediateDirectories: false)
        try FileManager.default.removeItem(atPath: path("b.json5"))
        try FileManager.default.moveItem(atPath: path("b.json5.d"), toPath: path("b.json5"))
        let folder = try otalab("lint")
        #expect(folder.code == 3 && folder.text.contains("error[E0301]: this is a folder, not a file"))
        try write("c.json5", story.replacingOccurrences(of: "launch", with: "lanch"))
        #expect(try otalab("lint").code == 1)
    }

    @Test(
        "lint: endless brackets, large files, lone surrogates and other bytes: one error each, with its position"
    )
    func badBytes() throws {
        let cases: [(name: String, bytes: [UInt8], message: String, position: String)] = [
            (
                "brackets", [UInt8](repeating: UInt8(ascii: "["), count: 10_000_000), "the text is too long",
                ":1:1048577"
            ),
            ("deep", Array(String(repeating: "[", count: 65).utf8), "nested deeper than 64", ":1:65"),
            (
                "large", Array("{ a: \"".utf8) + [UInt8](repeating: 0x61, count: 1 << 20),
                "the text is too long", ":1:1048577"
            ),
            ("surrogate", Array("{ title: \"\\ud800\" }".utf8), "half of a surrogate pair", ":1:11"),
            ("bytes", Array("{ title: \"".utf8) + [0xED, 0xA0, 0x80], "a byte that is not UTF-8", ":1:11"),
            ("empty", [], "the text is empty", ":1:1"),
        ]
        for (name, bytes, message, position) in cases {
            try Data(bytes).write(to: URL(fileURLWithPath: path("bad.json5")))
            let lint = try otalab("lint")
            #expect(lint.code == 1 && lint.text.contains(message), "\(name): \(lint.text.prefix(400))")
            #expect(lint.text.contains("bad.json5" + position), "\(name): \(lint.text.prefix(400))")
            #expect(lint.text.utf8.count < 5_000, "\(name) is told in \(lint.text.utf8.count) bytes")
            let fmt = try self.told("fmt Scenarios/bad.json5")
            #expect(fmt.code == 3)
            #expect(FileManager.default.contents(atPath: path("bad.json5")) == Data(bytes))
        }
    }

    @Test("lint --release: what the updater would refuse, and what changed since the release before")
    func release() throws {
        for (release, index) in [("old", "a"), ("new", "b")] {
            let root = folder.path + "/" + release
            try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
            try Data(index.utf8).write(to: URL(fileURLWithPath: root + "/index.html"))
            try Data(index.utf8).write(to: URL(fileURLWithPath: root + "/app.js"))
        }
        let alone = try otalab("lint", "--release", "new")
        #expect(alone.code == 0 && alone.text == "release new, 0 errors, 0 warnings\n")
        let beside = try otalab("lint", "--release", "new", "--previous", "old")
        #expect(
            beside.code == 0 && beside.text.contains("warning[P0414]: '/app.js' changed and its name did not")
        )
        #expect(beside.text.contains("  --> new/app.js\n"))
        try FileManager.default.removeItem(atPath: folder.path + "/new/index.html")
        #expect(try otalab("lint", "--release", "new").code == 1)
        #expect(try otalab("lint", "--release", "nowhere").code == 2)
        #expect(try otalab("lint", "--previous", "old").code == 2)
    }

    @Test("the schema is what a validator of others takes for one, and refuses what lint refuses")
    func validator() throws {
        let script = House.root.appendingPathComponent("Tests/Tools/validate-schema").path
        let program = try Program.tested().path
        let run = try Program.call(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "OTALAB_PROGRAM='\(program)' '\(script)' --no-install 2>&1"], in: House.root)
        #expect(run.code == 0, "\(run.text)")
        #expect(run.text.hasPrefix("skipped: ") || run.text.contains("wrong files refused"))
        if run.text.hasPrefix("skipped: ") { print(run.text) }
    }
}
