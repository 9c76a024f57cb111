import Foundation
import Testing

/// `.otalab.json5` through the command line: where it is found, what wins, and that no error in it is
/// ignored.
@Suite("Settings of a project")
struct SettingsTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        for number in 1...4 { try project.write("bad-\(number).json5", TestProject.bad) }
        try project.write("good.json5", TestProject.good)
    }

    private func settings(_ text: String, in path: String = ".otalab.json5") throws {
        let file = project.folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private static let three = """
        {
          schema: 1,
          profiles: {
            default: { jobs: 1, noReport: true, failFast: 2 },
            ci: { inherits: "default", failFast: 3, run: { exclude: ["Scenarios/good.json5"] } },
            all: { inherits: "ci", failFast: false, noReport: false },
          },
        }
        """

    @Test(
        "a profile's values replace flags; the call wins over the environment, that over the file"
    )
    func precedence() throws {
        try settings(Self.three)
        func failed(_ arguments: [String], _ variables: [String: String] = [:]) throws -> String {
            let text = try project.call(["run"] + arguments, variables).text
            // The scenarios that --fail-fast left out follow it.
            let line = text.split(separator: "\n").last.map(String.init) ?? ""
            return line.components(separatedBy: "   (")[0]
        }
        #expect(try failed([]) == "0 passed, 2 failed, 0 skipped")
        #expect(!project.has("Reports"))
        #expect(try failed(["-P", "ci"]) == "0 passed, 3 failed, 0 skipped")
        #expect(try failed([], ["OTALAB_PROFILE": "ci"]) == "0 passed, 3 failed, 0 skipped")
        #expect(try failed(["-P", "ci"], ["OTALAB_FAIL_FAST": "1"]) == "0 passed, 1 failed, 0 skipped")
        #expect(
            try failed(["-P", "ci", "--fail-fast=4"], ["OTALAB_FAIL_FAST": "1"])
                == "0 passed, 4 failed, 0 skipped")
        #expect(try failed(["-P", "ci"], ["OTALAB_FAIL_FAST": "0"]) == "0 passed, 4 failed, 0 skipped")
        #expect(try failed(["-P", "all"]) == "0 passed, 4 failed, 0 skipped")
        #expect(project.has("Reports/latest/results.json"))
    }

    @Test(
        "a call undoes what settings and environment set, switches and values alike; the last one wins")
    func takenBack() throws {
        try settings(Self.three)
        func verdict(_ arguments: [String], _ variables: [String: String] = [:]) throws -> String {
            let text = try project.call(["run"] + arguments, variables).text
            // The scenarios that --fail-fast left out follow it.
            let line = text.split(separator: "\n").last.map(String.init) ?? ""
            return line.components(separatedBy: "   (")[0]
        }
        #expect(try verdict(["--no-fail-fast"]) == "1 passed, 4 failed, 0 skipped")
        #expect(!project.has("Reports"))
        #expect(try verdict(["--no-fail-fast"], ["OTALAB_FAIL_FAST": "1"]) == "1 passed, 4 failed, 0 skipped")
        #expect(try verdict(["-P", "ci", "--no-fail-fast"]) == "0 passed, 4 failed, 0 skipped")
        #expect(
            try verdict(["-P", "ci", "--no-fail-fast", "--no-exclude"]) == "1 passed, 4 failed, 0 skipped")
        #expect(try verdict(["--no-fail-fast", "--fail-fast=1"]) == "0 passed, 1 failed, 0 skipped")
        #expect(try verdict(["--fail-fast=1", "--no-fail-fast"]) == "1 passed, 4 failed, 0 skipped")
        #expect(try verdict(["--report", "--no-fail-fast"]) == "1 passed, 4 failed, 0 skipped")
        #expect(project.has("Reports/latest/results.json"))
        let value = try project.otalab("run", "--no-fail-fast=2")
        #expect(value.code == 2 && value.errors.contains("--no-fail-fast takes no value"), "\(value.errors)")
        let near = try project.otalab("run", "--no-fail-fst")
        #expect(near.code == 2 && near.errors.contains("did you mean '--no-fail-fast'?"), "\(near.errors)")
        // Flags of the call can't be switched off again.
        #expect(try project.otalab("run", "--no-config").code == 2)
    }

    @Test("help and completions list the flags that switch another one off")
    func opposites() throws {
        let help = try project.otalab("help", "run").text
        #expect(help.contains("is undone by --no- and its name: --no-"), "\(help)")
        #expect(help.contains("--timings for --no-timings") || help.contains("--report for --no-report"))
        for shell in ["bash", "zsh", "fish"] {
            let script = try project.otalab("completions", shell).text
            for word in ["no-fail-fast", "timings"] {
                #expect(script.contains(shell == "fish" ? "-l \(word) " : "--\(word)"), "\(shell) \(word)")
            }
        }
    }

    @Test("it is found in parent folders up to the project's, and its paths are relative to its own folder")
    func found() throws {
        try settings(#"{ profiles: { default: { reportDir: "out", exclude: ["Scenarios/bad-1.json5"] } } }"#)
        let below = project.folder.appendingPathComponent("a/b")
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
        let run = try project.otalab("run", "-C", "a/b", "../../Scenarios")
        #expect(run.text.contains("1 passed, 3 failed, 0 skipped"), "\(run.text)\(run.errors)")
        #expect(project.has("out/latest/results.json"))
        try FileManager.default.createDirectory(
            at: below.appendingPathComponent(".git"), withIntermediateDirectories: true)
        #expect(
            try project.otalab("run", "-C", "a/b", "--no-report", "../../Scenarios").text.contains(
                "1 passed, 4 failed"))
        let other = try project.otalab(
            "run", "-C", "a/b", "--config", "../../.otalab.json5", "--no-report", "../../Scenarios")
        #expect(other.text.contains("1 passed, 3 failed"))
    }

    @Test("config prints the effective values and their origins")
    func config() throws {
        #expect(try project.otalab("config").text.hasPrefix("no file .otalab.json5 here or above\n"))
        try settings(Self.three)
        let told = try project.call(["config", "run", "-P", "all"], ["OTALAB_JOBS": "3"])
        #expect(told.code == 0 && told.text.hasPrefix("settings .otalab.json5, profile all\n"))
        #expect(told.text.contains("\n  --jobs              3   from OTALAB_JOBS\n"))
        #expect(told.text.contains("\n  --fail-fast         off   from .otalab.json5:6:38\n"))
        #expect(told.text.contains("\n  --exclude           Scenarios/good.json5   from .otalab.json5:5:"))
        #expect(told.text.contains("\n  --seed              -\n"))
        #expect(try project.otalab("config", "rum").errors.contains("did you mean 'otalab run'?"))
    }

    static let faults: [(text: String, message: String, help: String)] = [
        ("{ profiles: { default: { job: 2 } } }", "unknown key 'job' in a profile", "did you mean 'jobs'?"),
        (
            "{ profiles: { default: { lint: { jobs: 2 } } } }", "unknown key 'jobs' in lint",
            "there are "
        ),
        ("{ jobs: 2 }", "unknown key 'jobs' in the settings", "write profiles: { default: { jobs: … } }"),
        ("{ profiles: { default: { jobs: [2] } } }", "'jobs' takes text or a number", "parallel runs"),
        ("{ profiles: { default: { noReport: 1 } } }", "'noReport' takes true or false", "write no reports"),
        ("{ profiles: { default: { tag: [true] } } }", "'tag' takes text", ""),
        (
            "{ profiles: { default: { inherits: \"base\" } } }", "there is no profile 'base'",
            "there are default"
        ),
        (
            "{ profiles: { default: { inherits: \"a\" }, a: { inherits: \"default\" } } }",
            "the profile 'default' inherits from itself", ""
        ),
        ("{ profiles: { default: { jobs: 2 }", "", ""), ("[]", "a settings file holds one object", ""),
        ("{ schema: 2, profiles: {} }", "unknown schema version", ""),
        ("{ profiles: { default: { jobs: 2, jobs: 3 } } }", "duplicate key 'jobs'", ""),
    ]

    @Test("2: each error is reported with its position and a fix, and nothing runs", arguments: faults)
    func mistakes(text: String, message: String, help: String) throws {
        try settings(text)
        let run = try project.otalab("run")
        #expect(run.code == 2 && run.text.isEmpty, "\(run.text)")
        #expect(run.errors.contains("--> .otalab.json5:1:"), "\(run.errors)")
        #expect(run.errors.contains("error: \(message)"), "\(run.errors)")
        #expect(help.isEmpty || run.errors.contains(help), "\(run.errors)")
        #expect(!project.has("Reports"))
    }

    @Test(
        "2: all errors at once; an invalid value is reported with its position; a profile too many"
    )
    func otherMistakes() throws {
        try settings("{ profiles: { default: { jbos: 2, sede: 1 }, ci: { noReports: true } } }")
        let all = try project.otalab("run").errors
        for word in ["jbos", "sede", "noReports"] { #expect(all.contains("unknown key '\(word)'")) }
        try settings("{ profiles: { default: {\n  jobs: \"many\" } } }")
        let value = try project.otalab("run")
        #expect(
            value.code == 2
                && value.errors.contains("--jobs can't be 'many'\n  = note: from .otalab.json5:2:9\n"))
        let variable = try project.call(["run"], ["OTALAB_SEED": "x"])
        #expect(variable.code == 2 && variable.errors.contains("  = note: from OTALAB_SEED\n"))
        let profile = try project.otalab("run", "-P", "cii")
        #expect(profile.code == 2 && profile.errors.contains("there is no profile 'cii'"))
        try FileManager.default.removeItem(at: project.folder.appendingPathComponent(".otalab.json5"))
        #expect(try project.otalab("run", "-P", "ci").code == 2)
        #expect(
            try project.otalab("run", "--config", "nowhere.json5").errors.contains("there is nothing there"))
        // An existing file that can't be read is not skipped.
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.path + "/.otalab.json5", withDestinationPath: "nowhere")
        #expect(try project.otalab("run").errors.contains(".otalab.json5: this is a link to nothing"))
        #expect(try project.otalab("help").code == 0)
    }

    @Test("its schema has an entry for every flag that a profile can have")
    func schema() throws {
        let text = try project.otalab("schema", "settings").text
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let definitions = object?["definitions"] as? [String: Any]
        let profile = (definitions?["profile"] as? [String: Any])?["properties"] as? [String: Any]
        for key in ["inherits", "jobs", "failFast", "maxVirtualTime", "run", "crashpoints", "reportDir"] {
            #expect(profile?[key] != nil, "\(key)")
        }
        #expect(profile?["help"] == nil || (profile?["help"] as? [String: Any])?["properties"] != nil)
    }
}

@Suite("Files that can't be read")
struct UnreadableFileTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    private func path(_ name: String) -> String { project.folder.path + "/Scenarios/" + name }

    @Test("3: a dangling link and a pipe without a writer are reported, nothing waits, and the others run")
    func told() throws {
        try project.write("good.json5", TestProject.good)
        try FileManager.default.createSymbolicLink(atPath: path("link.json5"), withDestinationPath: "nowhere")
        try FileManager.default.createSymbolicLink(
            atPath: path("self.json5"), withDestinationPath: "self.json5")
        #expect(mkfifo(path("pipe.json5"), 0o600) == 0)
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("1 passed, 3 failed, 0 skipped"), "\(run.text)")
        #expect(run.text.contains("this is a link to nothing"))
        let lint = try project.otalab("lint")
        #expect(lint.code == 1 || lint.code == 3)
        for name in ["link", "self", "pipe"] { #expect(lint.text.contains("Scenarios/\(name).json5")) }
        let shown = try project.otalab("show", "Scenarios/link.json5")
        #expect(shown.code == 2 && shown.errors.contains("there is nothing at 'Scenarios/link.json5'"))
        #expect(try project.otalab("fmt", "--check").code == 1)
    }

    @Test("3: a folder in place of a used file, a pipe among a build's files")
    func inside() throws {
        try FileManager.default.createDirectory(
            atPath: path("shared/shop.json5"), withIntermediateDirectories: true)
        try project.write(
            "uses.json5",
            TestProject.good.replacingOccurrences(of: "title:", with: "use: \"shared/shop.json5\", title:"))
        try FileManager.default.createDirectory(atPath: path("build"), withIntermediateDirectories: true)
        try Data("<html></html>".utf8).write(to: URL(fileURLWithPath: path("build/index.html")))
        #expect(mkfifo(path("build/pipe.js"), 0o600) == 0)
        try project.write(
            "built.json5",
            TestProject.good.replacingOccurrences(
                of: "{ files: { \"index.html\": \"1 KB\" } }", with: "{ folder: \"build\" }"))
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("0 passed, 2 failed, 0 skipped"))
        #expect(run.text.contains("the used file 'shared/shop.json5' can't be read"))
        #expect(run.text.contains("build/pipe.js is no file"), "\(run.text)")
    }

    @Test("2: a name that no file system accepts counts as missing")
    func longName() throws {
        let call = try project.otalab("run", String(repeating: "n", count: 5_000))
        #expect(call.code == 2 && call.errors.contains("there is nothing at 'nnn"))
    }

    @Test("a pipe with a writer is read")
    func pipe() throws {
        try project.write("good.json5", TestProject.good)
        #expect(mkfifo(path("pipe.json5"), 0o600) == 0)
        let program = try Program.tested().path
        let call = try Program.call(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-c",
                "cat Scenarios/good.json5 > Scenarios/pipe.json5 & '\(program)' lint Scenarios/pipe.json5; kill $! 2>/dev/null",
            ], in: project.folder)
        #expect(call.text.contains("1 file, 0 errors"), "\(call.text)")
    }
}
