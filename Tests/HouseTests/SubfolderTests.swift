import Foundation
import Testing

/// Calls from a folder of a project below its root, and calls with flags in unusual positions.
@Suite("Where a call is made, and how it is written")
struct SubfolderTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    private func inFolder(_ folder: String, _ arguments: String...) throws -> TestProject.Call {
        try FileManager.default.createDirectory(
            at: project.folder.appendingPathComponent(folder), withIntermediateDirectories: true)
        return try project.otalab(["-C", folder] + arguments)
    }

    @Test("a call in a folder of the project works in the whole project, and names files from its root")
    func run() throws {
        #expect(try project.otalab("init").code == 0)
        let expectation = "{ expect: { running: \"v1\" }, within: \"5s\" }"
        try project.write(
            "recovery/good.json5", TestProject.scenario(expectation, extra: "device: \"ios-17\","))
        try project.write("bad.json5", TestProject.bad)
        let all = try inFolder("Scenarios/recovery", "run")
        #expect(all.code == 1 && all.text.contains("ok    recovery/good"), "\(all.text)\(all.errors)")
        #expect(all.text.contains("otalab run Scenarios/bad.json5 --seed 1"))
        #expect(project.has("Reports/latest/results.json") && !project.has("Scenarios/recovery/Reports"))
        let one = try inFolder(
            "Scenarios/recovery", "run", "good.json5", "-o", "junit=../out.xml", "--no-report")
        #expect(one.code == 0 && one.text.contains("ok    recovery/good"), "\(one.text)\(one.errors)")
        #expect(project.has("Scenarios/out.xml"))
        #expect(try inFolder("docs", "run", "recovery/good", "--no-report").code == 0)
        #expect(try inFolder("docs", "run", "Scenarios/recovery/good.json5", "--no-report").code == 0)
        #expect(try inFolder("docs", "run", "--failed", "--no-report").text.contains("0 passed, 1 failed"))
        #expect(try inFolder("docs", "lint").code == 0)
        #expect(try inFolder("docs", "fmt", "--check").errors.contains("6 files"))
    }

    @Test("a new scenario goes into the project's Scenarios/, whatever the folder of the call")
    func new() throws {
        let made = try inFolder("Scenarios/recovery", "new", "updating/mine")
        #expect(made.code == 0 && made.text.hasPrefix("Scenarios/updating/mine.json5\n"), "\(made.text)")
        #expect(project.has("Scenarios/updating/mine.json5"))
        let here = try inFolder("Scenarios/recovery", "new", "./mine")
        #expect(here.code == 0 && project.has("Scenarios/recovery/mine.json5"), "\(here.text)\(here.errors)")
    }

    @Test("a repository or settings of its own end the search for the project")
    func boundary() throws {
        try project.write("good.json5", TestProject.good)
        let other = project.folder.appendingPathComponent("other/.git")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let run = try inFolder("other", "run")
        #expect(run.code == 2 && run.errors.contains("there is nothing at 'Scenarios'"))
    }

    @Test("a new scenario has its keys in quotes where the project has, so that the editor reads it")
    func keys() throws {
        #expect(try project.otalab("init").code == 0)
        #expect(try project.otalab("new", "mine", "--template", "bug").code == 0)
        let text = try project.read("Scenarios/mine.json5")
        #expect(text.contains(#""schema": 1,"#) && !text.contains("\n  schema: 1"))
        #expect(try project.otalab("fmt", "--check").code == 0)
        #expect(try project.otalab("new", "-").text.contains(#""title": "#))
    }

    @Test("common flags can come before the verb")
    func before() throws {
        try project.write("good.json5", TestProject.good)
        #expect(try project.otalab("-C", ".", "run", "--no-report").code == 0)
        #expect(try project.otalab("--directory=.", "run", "--no-report").code == 0)
        let missing = try project.otalab("-C", "nowhere", "run")
        #expect(missing.code == 2 && missing.errors.contains("can't go to the folder 'nowhere'"))
        #expect(try project.otalab("-x", "run").errors.contains("there is no flag '-x' before a verb"))
    }

    @Test("a folder behind a flag that takes none is recognised as its value")
    func report() throws {
        try project.write("good.json5", TestProject.good)
        let run = try project.otalab("run", "--report", "out")
        #expect(run.code == 2 && run.errors.contains("there is nothing at 'out'"))
        #expect(run.errors.contains("--report takes no value; did you mean --report-dir DIR?"))
    }

    @Test("74: standard output that takes nothing more is an error of its own")
    func full() throws {
        try project.write("good.json5", TestProject.good)
        try project.write("bad.json5", TestProject.bad)
        for (path, code) in [("Scenarios/good.json5", 74), ("Scenarios/bad.json5", 1)] {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            let program = try Program.tested().path
            shell.arguments = ["-c", "'\(program)' run --no-report \(path) > /dev/full"]
            shell.currentDirectoryURL = project.folder
            let errors = Pipe()
            shell.standardError = errors
            try shell.run()
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            shell.waitUntilExit()
            #expect(shell.terminationStatus == Int32(code))
            #expect(text.contains("standard output could not be written: No space left on device"))
        }
        let head = try project.otalab("help")
        #expect(head.code == 0)
    }

    @Test("the timeline of a scenario that passes is shown by -vv, and in the page of a short run")
    func timelines() throws {
        try project.write("good.json5", TestProject.good)
        let run = try project.otalab("run", "-vv")
        #expect(run.code == 0)
        #expect(run.text.contains("        step 1  { launch: true }\n"), "\(run.text)")
        #expect(run.text.contains("process starts, boot 1"))
        #expect(try project.read("Reports/latest/report.html").contains("process starts, boot 1"))
        #expect(!(try project.otalab("run", "-v", "--no-report").text.contains("process starts")))
    }

    @Test("commands that are printed can be pasted, also with spaces in the path")
    func quoting() throws {
        try project.write("a b/broken.json5", "{ schema: 1 }")
        let run = try project.otalab("run", "-o", "md=-", "--no-report")
        #expect(run.text.contains("otalab lint 'Scenarios/a b/broken.json5'"), "\(run.text)")
    }
}
