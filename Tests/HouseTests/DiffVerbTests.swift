import Foundation
import Testing

/// `otalab diff` from outside, in a temporary project.
@Suite("Two runs compared, from outside")
struct DiffVerbTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    private static func story(_ last: String, id: String = "story") -> String {
        """
        { schema: 1, id: "\(id)", title: "A story", app: { embeds: "v1" },
          versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", changes: ["index.html"] } },
          steps: [
            { launch: true }, { deploy: "v2" }, { check: true },
            { expect: { pending: "v2" }, within: "10s" }, \(last)
          ] }
        """
    }

    private static let reload = "{ page: \"reload\" }, { wait: \"30s\" }"
    private static let away = "{ background: true }, { wait: \"30s\" }"

    private func report(_ name: String, _ last: String) throws {
        try project.write("story.json5", Self.story(last))
        #expect(try project.otalab("run", "--no-report", "-o", "json=\(name)").code == 0)
    }

    @Test("two reports: 0 for equal ones; 1, the events before, both sides, the state and the end")
    func reports() throws {
        try report("a.json", Self.reload)
        try report("b.json", Self.reload)
        let equal = try project.otalab("diff", "a.json", "b.json")
        #expect(equal.code == 0 && equal.text == "1 equal, 0 different\n", "\(equal.text)\(equal.errors)")
        try report("b.json", Self.away)
        let call = try project.otalab("diff", "a.json", "b.json")
        #expect(call.code == 1 && call.errors.isEmpty, "\(call.errors)")
        for part in [
            "DIFFERS  story: A story\n  A  a.json: passed, ", "  timeline: equal for ", "   after #",
            "goes to the background", "\n  in the end\n", "to content ", "0 equal, 1 different\n",
        ] {
            #expect(call.text.contains(part), "\(part)\n\(call.text)")
        }
        let widths = call.text.split(separator: "\n").map(\.count)
        #expect(try #require(widths.max()) <= 100, "\(call.text)")
        let quiet = try project.otalab("diff", "a.json", "b.json", "-q")
        #expect(quiet.code == 1 && quiet.text.split(separator: "\n").count == 2, "\(quiet.text)")
        let json = try project.otalab("diff", "a.json", "b.json", "--json")
        let root = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
        let different = try #require(root?["different"] as? [[String: Any]])
        #expect(json.code == 1 && different.count == 1 && root?["equal"] as? Int == 0)
    }

    @Test("a scenario that only one side has is named; --scenario chooses one of both")
    func onlyOne() throws {
        try report("a.json", Self.reload)
        try project.write("second.json5", Self.story(Self.reload, id: "second"))
        try report("b.json", Self.reload)
        let call = try project.otalab("diff", "a.json", "b.json")
        #expect(call.code == 1, "\(call.errors)")
        #expect(call.text == "only in b.json: second\n1 equal, 0 different\n")
        #expect(try project.otalab("diff", "a.json", "b.json", "--scenario", "story").code == 0)
        let missing = try project.otalab("diff", "a.json", "b.json", "--scenario", "second")
        #expect(missing.code == 2 && missing.errors.contains("a.json has no scenario 'second'"))
        let unknown = try project.otalab("diff", "a.json", "b.json", "--scenario", "stroy")
        #expect(unknown.code == 2 && unknown.errors.contains("did you mean 'story'?"), "\(unknown.errors)")
    }

    @Test("two seeds: equal, but for what every seed draws; a choice of the seed is shown as content")
    func seeds() throws {
        try project.write("story.json5", Self.story(Self.reload))
        let call = try project.otalab("diff", "Scenarios/story.json5", "--seed", "1", "--seed", "2")
        #expect(call.code == 0 && call.text == "1 equal, 0 different\n", "\(call.text)\(call.errors)")
        let one = try project.otalab("diff", "Scenarios/story.json5", "--seed", "1")
        #expect(one.code == 2 && one.errors.contains("is compared with nothing"), "\(one.errors)")
    }

    @Test("two programs: the event of which a part differs; a program that can't record says why")
    func programs() throws {
        try project.write("story.json5", Self.story(Self.reload))
        let program = try Program.tested().path
        let same = try project.otalab("diff", "story", "--program", program)
        #expect(same.code == 0 && same.text == "1 equal, 0 different\n", "\(same.text)\(same.errors)")
        // A program that runs another story under the same name.
        try project.write("other.json5", Self.story(Self.away))
        let other = project.folder.appendingPathComponent("other")
        let script = "#!/bin/sh\nexec '\(program)' diff Scenarios/other.json5 --seed 1 --record \"$6\"\n"
        try Data(script.utf8).write(to: other)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: other.path)
        let call = try project.otalab("diff", "Scenarios/story.json5", "--program", "./other")
        #expect(call.code == 1, "\(call.errors)")
        for part in [
            "  A  this program: passed", "  B  ./other: passed", "  content: equal for ", "app in front",
        ] {
            #expect(call.text.contains(part), "\(part)\n\(call.text)")
        }
        try Data("#!/bin/sh\necho no verb >&2; exit 2\n".utf8).write(to: other)
        let old = try project.otalab("diff", "Scenarios/story.json5", "--program", "./other")
        #expect(old.code == 2 && old.errors.contains("  | no verb"), "\(old.errors)")
        let none = try project.otalab("diff", "Scenarios/story.json5", "--program", "nothing")
        #expect(none.code == 2 && none.errors.contains("no program that can be started"), "\(none.errors)")
    }

    @Test("a recording has the content of every event, and is compared as a report is")
    func recordings() throws {
        for (name, last) in [("a", Self.reload), ("b", Self.reload), ("c", Self.away)] {
            try project.write("story.json5", Self.story(last))
            let call = try project.otalab("diff", "Scenarios/story.json5", "--record", "\(name).json")
            #expect(call.code == 0 && call.text == "\(name).json\n", "\(call.errors)")
        }
        #expect(try project.otalab("diff", "a.json", "b.json").code == 0)
        let call = try project.otalab("diff", "a.json", "c.json")
        #expect(call.code == 1 && call.text.contains("  content: equal for "), "\(call.text)")
        #expect(call.text.contains("    the device before: app in front · "), "\(call.text)")
    }

    @Test("3: what is no report, or of another version; 2: paths and flags that make no sense")
    func refused() throws {
        try report("a.json", Self.reload)
        for (text, why) in [
            ("{", "line 1"), ("{}", "schema is missing"),
            ("{ \"schema\": \"otalab-results-9\" }", "this program reads 'otalab-results-1'"),
            ("{ \"schema\": \"otalab-recording-1\" }", "is no whole recording"),
        ] {
            try Data(text.utf8).write(to: project.folder.appendingPathComponent("b.json"))
            let call = try project.otalab("diff", "a.json", "b.json")
            #expect(call.code == 3 && call.errors.contains(why), "\(text)\n\(call.errors)")
            #expect(call.errors.contains("b.json") && call.errors.contains("= help:"))
        }
        try project.write("odd.json5", "{ schema: 1 }")
        #expect(try project.otalab("diff", "Scenarios/odd.json5", "--seed", "1", "--seed", "2").code == 3)
        for (words, why) in [
            ("", "diff needs two runs"), ("a.json nothing", "there is nothing at 'nothing'"),
            ("a.json Scenarios/story.json5", "two paths are two reports"),
            ("a.json a.json --seed 1", "--seed is for a scenario file"),
            ("story --seed 1 --seed 2 --seed 3", "two seeds, not 3"), ("story --seed x", "can't be 'x'"),
            ("Scenarios --seed 1 --seed 2", "is a folder"),
        ] {
            let call = try project.call(["diff"] + words.split(separator: " ").map(String.init))
            #expect(call.code == 2 && call.errors.contains(why), "\(words)\n\(call.errors)")
        }
    }
}
