import Foundation
import Testing

@Suite("Pages of the guide that the program prints too")
struct GuidePageTests {
    private static let table: [(String, [String])] = [
        ("CommandLine", ["help", "select"]), ("Settings", ["help", "settings"]),
        ("Reports", ["help", "reports"]), ("Coverage", ["help", "coverage"]),
        ("ContinuousIntegration", ["help", "ci"]), ("Rules", ["help", "rules"]),
        ("Adapters", ["help", "adapters"]), ("Causes", ["help", "causes"]),
        ("Manifest", ["help", "manifest"]),
        ("ResultsReference", ["schema", "results", "--format", "markdown"]),
        ("CrashResultsReference", ["schema", "crashpoints", "--format", "markdown"]),
    ]

    /// `OTALAB_WRITE_PAGES=1` writes them anew.
    @Test("they are what it prints", arguments: table)
    func pages(name: String, arguments: [String]) throws {
        let project = try TestProject()
        let text = try project.call(arguments).text
        #expect(text.hasPrefix("# "))
        let page = House.root.appendingPathComponent("Sources/Runner/Runner.docc/\(name).md")
        if ProcessInfo.processInfo.environment["OTALAB_WRITE_PAGES"] == "1" {
            try Data(text.utf8).write(to: page)
        }
        let committed = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        #expect(committed == text, "OTALAB_WRITE_PAGES=1 swift test --filter GuidePageTests")
    }

    @Test("help names every verb and topic; each has a help text with all its flags")
    func help() throws {
        let project = try TestProject()
        let overview = try project.otalab("help").text
        #expect(try project.call([]).text == overview && project.otalab("--help").text == overview)
        let names = overview.matches(of: #/\n  otalab (?:help )?([a-z]+) /#).map { String($0.1) }
        #expect(names.count > 15)
        for name in names {
            let help = try project.otalab("help", name)
            #expect(help.code == 0 && !help.text.isEmpty, "\(name)")
        }
        #expect(try project.otalab("run", "-h").text.contains("--seeds A..B"))
        let near = try project.otalab("help", "merg")
        #expect(near.code == 2 && near.errors.contains("did you mean 'otalab help merge'?"))
        #expect(try project.otalab("version").text == project.otalab("--version").text)
    }
}

@Suite("Completions, and a new project")
struct ProjectTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    private func bash(_ words: [String]) throws -> [String] {
        let script = project.folder.appendingPathComponent("otalab.bash")
        try Data(try project.otalab("completions", "bash").text.utf8).write(to: script)
        let out = project.folder.appendingPathComponent("out")
        try Data().write(to: out)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            [
                "bash", "-c",
                "source \(script.path); COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _otalab; printf '%s\\n' \"${COMPREPLY[@]}\"",
                "bash", "otalab",
            ] + words
        process.currentDirectoryURL = project.folder
        process.standardOutput = try FileHandle(forWritingTo: out)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try project.read("out").split(separator: "\n").map(String.init)
    }

    @Test("bash completes verbs, flags, values, topics and paths")
    func completions() throws {
        #expect(try bash(["me"]) == ["merge"])
        #expect(try bash(["run", "--seed"]) == ["--seed", "--seeds"])
        #expect(try bash(["run", "--color", ""]) == ["auto", "always", "never"])
        #expect(try bash(["run", "-o", "junit-"]) == ["junit-strict="])
        #expect(try bash(["help", "repo"]) == ["reports"])
        #expect(try bash(["lint", "Scen"]) == ["Scenarios"])
        #expect(try project.otalab("completions").code == 2)
        let near = try project.otalab("completions", "bsh")
        #expect(near.code == 2 && near.errors.contains("did you mean 'bash'?"))
    }

    @Test("a new project runs, lints, and is in the one style; what is there is never changed")
    func newProject() throws {
        let first = try project.otalab("init", "new", "--ci", "github")
        #expect(first.code == 0)
        for path in [
            ".vscode/otalab-use.schema.json", ".vscode/otalab-settings.schema.json", ".vscode/settings.json",
            ".github/workflows/otalab.yml", ".gitignore",
        ] {
            #expect(project.has("new/" + path))
        }
        #expect(
            try project.otalab("run", "-C", "new", "--no-report").text.contains(
                "1 passed, 0 failed, 0 skipped")
        )
        #expect(try project.otalab("lint", "-C", "new").code == 0)
        #expect(try project.otalab("fmt", "-C", "new", "--check").code == 0)
        let settings = project.folder.appendingPathComponent("new/.vscode/settings.json")
        try Data("{}".utf8).write(to: settings)
        let again = try project.otalab("init", "new")
        #expect(again.code == 0 && again.text.contains("kept     new/.vscode/settings.json\n         add:"))
        #expect(try project.read("new/.vscode/settings.json") == "{}")
        #expect(try project.otalab("init", "--ci", "travis").code == 2)
        try Data().write(to: project.folder.appendingPathComponent("file"))
        #expect(try project.otalab("init", "file").code == 74)
    }
}
