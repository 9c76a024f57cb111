import Foundation
import Testing

/// `otalab subject` and `run --subject` with adapters that are shell scripts, and with the templates.
@Suite("Somebody else's updater, from outside")
struct SubjectVerbTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    /// An adapter that does this; `$HELLO` is a description.
    private func adapter(_ script: String) throws -> String {
        let path = project.folder.appendingPathComponent("adapter.sh").path
        let hello =
            #"HELLO='{"is":"subject","protocol":1,"name":"a","version":"1","dialects":["own"],"does":["check"]}'"#
        try Data("#!/bin/sh\n\(hello)\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func check(_ script: String) throws -> TestProject.Call {
        // What is kept of a failed run lies in the project's folder.
        try project.otalab(
            "subject", "check", try adapter(script), "--patience", "1s",
            variables: ["TMPDIR": project.folder.path])
    }

    @Test(
        "a mistake of an adapter is named with its line and a way out",
        arguments: [
            ("echo hello", "a line that is no JSON"),
            (#"echo '{"is":"listening"}'"#, "a message before the description"),
            (#"echo '{"is":"subject","protocol":9,"name":"a","version":"1"}'"#, "another protocol than 1"),
            (
                #"echo '{"is":"subject","protocol":"1","name":"a","version":"1"}'"#,
                "\"protocol\" is text instead of the number 1"
            ),
            (#"echo "$HELLO"; echo '{"to":5,"ok":true}'; sleep 5"#, "an answer to no command: 5"),
            (
                #"echo "$HELLO"; read launch; echo '{"to":1,"ok":true}'; echo '{"to":1,"ok":true}'; sleep 5"#,
                "a second answer to command 1"
            ),
            (#"head -c 1100000 /dev/zero | tr '\0' a; sleep 5"#, "a line of more than 1048576 bytes"),
        ])
    func mistakes(script: String, message: String) throws {
        let answer = try check(script)
        #expect(answer.code == 3)
        let all = answer.text + answer.errors
        #expect(all.contains(message) && all.contains("help: ") && all.contains("line "), "\(all)")
    }

    @Test("an adapter that says nothing, ends, or does not answer is told so")
    func silence() throws {
        let silent = try check("sleep 5")
        #expect(silent.code == 3 && silent.errors.contains("no first message within 1s"))
        let ended = try check("echo oops >&2; exit 4")
        #expect(ended.code == 3 && ended.errors.contains("exit status 4") && ended.errors.contains("oops"))
        let deaf = try check(#"echo "$HELLO"; sleep 20"#)
        #expect(deaf.code == 6 && deaf.text.contains("did not answer 'launch' within 1s"), "\(deaf.text)")
    }

    @Test("an adapter that says that it listens, and does not, breaks X1 with the port")
    func listensElsewhere() throws {
        let answer = try check(
            #"echo "$HELLO"; read launch; echo '{"to":1,"ok":true}'; echo '{"is":"listening"}'; sleep 20"#)
        #expect(answer.code == 1)
        #expect(answer.text.contains("nothing listens at OTALAB_PORT"), "\(answer.text)")
    }

    @Test("a search needs no scenario to be drawn, and says which flags it has no use for")
    func searchUsage() throws {
        let adapter = try adapter("exit 0")
        try project.write("launch.json5", "{}")
        let path = try project.otalab("explore", "--subject", adapter, "Scenarios/launch.json5")
        #expect(path.code == 2 && path.errors.contains("takes no scenario"), "\(path.errors)")
        for (verb, flag) in [("explore", "--wall-limit=5s"), ("sweep", "--pairs=2"), ("sweep", "--cells")] {
            let answer = try project.otalab(verb, "--subject", adapter, flag)
            #expect(answer.code == 2 && answer.errors.contains("has no meaning with --subject"), "\(flag)")
        }
    }

    @Test("a process that ends in a scenario breaks X1, with what it wrote to stderr")
    func endsByItself() throws {
        let answer = try check(
            #"echo "$HELLO"; read launch; echo '{"to":1,"ok":true}'; echo boom >&2; exit 7"#)
        #expect(answer.code == 1)
        #expect(answer.text.contains("exit status 7") && answer.text.contains("boom"), "\(answer.text)")
    }

    @Test("a call that makes no sense is a usage error")
    func usage() throws {
        let missing = try project.otalab("subject", "check", "nothing-here")
        #expect(missing.code == 2 && missing.errors.contains("there is no adapter at 'nothing-here'"))
        let path = try adapter("exit 0")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let locked = try project.otalab("subject", "check", path)
        #expect(locked.code == 2 && locked.errors.contains("is not executable"))
        #expect(try project.otalab("subject", "chek", "x").errors.contains("did you mean 'check'?"))
        #expect(try project.otalab("run", "--speed", "5").errors.contains("no meaning without --subject"))
        let both = try project.otalab("run", "--live", "--subject", try adapter("exit 0"))
        #expect(both.code == 2 && both.errors.contains("--subject and --live exclude each other"))
    }

    @Test("known failures are expected, a pass among them and an unknown name are not")
    func knownFailures() throws {
        let adapter = try adapter(#"echo "$HELLO"; exit 4"#)
        try project.write(
            "launch.json5",
            """
            { schema: 1, title: "A launch", app: { id: "com.example.shop", embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [{ launch: true }, { expect: { page: "ready" }, within: "2s" }] }
            """)
        func run(_ lines: String) throws -> TestProject.Call {
            try project.write("known.txt", lines)
            return try project.otalab(
                "run", "--subject", adapter, "--xfails", "Scenarios/known.txt", "--no-report", "--repeat",
                "2",
                variables: ["TMPDIR": project.folder.path])
        }
        let unknown = try run("lunch X1 # it ends")
        #expect(unknown.code == 2 && unknown.errors.contains("known.txt:1: there is no scenario 'lunch'"))
        #expect(unknown.errors.contains("launch"), "\(unknown.errors)")
        let bare = try run("launch X1")
        #expect(bare.code == 2 && bare.errors.contains("known.txt:1: an expected failure without a reason"))
        let known = try run("launch X1 # it ends at once, issue 7")
        #expect(known.code == 0 && known.text.contains("it ends at once, issue 7"), "\(known.text)")
    }

    @Test("a run in which nothing can be judged is inconclusive, and names the updater")
    func nothingJudged() throws {
        try project.write(
            "other.json5",
            """
            { schema: 1, title: "An app of Meteor's", app: { manifest: "meteor", embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [{ launch: true }, { expect: { running: "v1" } }] }
            """)
        let path = try adapter(#"echo "$HELLO"; sleep 5"#)
        let answer = try project.otalab("run", "--subject", path, "Scenarios/other.json5")
        #expect(answer.code == 6, "\(answer.text)\(answer.errors)")
        #expect(answer.errors.contains("nothing could be judged of a 1"))
        #expect(answer.text.contains("subject a 1"))
        let json = try project.read("Reports/latest/results.json")
        #expect(json.contains(#""subject": "a 1""#))
    }

    @Test("nothing of an adapter is left running, not even what has left its process group")
    func nothingIsLeft() throws {
        let seconds = Int.random(in: 100_000...999_999)
        _ = try check("setsid sleep \(seconds) & \necho \"$HELLO\"; exec sleep \(seconds)")
        let left = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { process in
            let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return Int(process) != nil && String(decoding: command, as: UTF8.self) == "sleep\0\(seconds)\0"
        }
        #expect(left.isEmpty)
    }

    private static let languages = [("python", "python3"), ("node", "node"), ("swift", "swift")].filter {
        _, program in
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    @Test("each template runs as it comes, and is not written over a file", arguments: languages)
    func templates(language: String, program: String) throws {
        let folder = project.folder.appendingPathComponent("mine").path
        let written = try project.otalab("subject", "new", folder, "--language", language)
        #expect(written.code == 0)
        let path = String(written.text.prefix { $0 != "\n" })
        let answer = try project.otalab("subject", "check", path)
        #expect(
            answer.code == 0 && answer.text.contains("The adapter works"), "\(answer.text)\(answer.errors)")
        #expect(try project.otalab("subject", "new", folder, "--language", language).code == 2)
    }
}
