import Foundation
import Testing

/// A person's way from nothing, or from a user's error report, to a scenario that runs: `otalab new`, then
/// the next steps that it prints.
@Suite("A new scenario, from outside")
struct NewTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    @Test(
        "each template is written to the printed path, lints without findings, is formatted, and passes",
        arguments: ["plain", "rollback", "blacklist", "power-loss", "bug"])
    func templates(name: String) throws {
        let made = try project.otalab("new", "recovery/mine", "--template", name, "--title", "It's \"mine\"")
        #expect(made.code == 0 && made.errors.isEmpty, "\(made.errors)")
        let path = "Scenarios/recovery/mine.json5"
        #expect(made.text == "\(path)\nrun it: otalab run \(path)\n")
        #expect(try project.read(path).contains(#"title: "It's \"mine\"","#))
        let lint = try project.otalab("lint", "--strict")
        #expect(lint.code == 0 && lint.text.contains("0 errors, 0 warnings"), "\(lint.text)")
        #expect(try project.otalab("fmt", "--check").code == 0)
        // The command that it printed, as it was printed.
        let command = made.text.components(separatedBy: "run it: otalab ").last ?? ""
        let run = try project.call(command.split(whereSeparator: \.isWhitespace).map(String.init))
        #expect(run.code == 0 && run.text.contains("1 passed, 0 failed, 0 skipped"), "\(run.text)")
    }

    @Test("2: existing files are never overwritten, and every wrong call is answered with what to write")
    func refused() throws {
        try project.write("mine.json5", "// my work")
        func wrong(_ arguments: String..., says: String, help: String) throws {
            let call = try project.call(["new"] + arguments)
            #expect(call.code == 2 && call.text.isEmpty, "\(arguments) \(call.code) \(call.text)")
            #expect(call.errors.contains("error: \(says)"), "\(call.errors)")
            #expect(call.errors.contains("  = help: ") && call.errors.contains(help), "\(call.errors)")
        }
        try wrong("mine", says: "Scenarios/mine.json5 exists already", help: "choose another name")
        try wrong("mine.json5", says: "Scenarios/mine.json5 exists already", help: "choose another name")
        try wrong(says: "a new scenario needs a name", help: "otalab new recovery/my-bug --template bug")
        try wrong("a", "b", says: "'otalab new' writes one scenario", help: "otalab new a")
        try wrong("../out", says: "'../out' can't be a scenario's name", help: "recovery/my-bug")
        try wrong("recovery/", says: "'recovery/' can't be a scenario's name", help: "recovery/my-bug")
        try wrong("a", "--template", "rolback", says: "there is no template 'rolback'", help: "'rollback'?")
        try wrong("a", "--from-log", "nowhere.txt", says: "there is no file 'nowhere.txt'", help: "- for")
        try wrong("a", "--from-log", "Scenarios", says: "'Scenarios' can't be read", help: "error report")
        try wrong(
            "a", "--from-log", "x", "--title", "t", says: "--title and --from-log exclude each other",
            help: "leave one of the two out")
        #expect(try project.read("Scenarios/mine.json5") == "// my work")
        #expect(try project.names("Scenarios") == ["mine.json5"])
    }

    @Test("- writes to standard output and no file; a folder that can't be written is reported, with 74")
    func elsewhere() throws {
        let text = try project.otalab("new", "-")
        #expect(text.code == 0 && text.text.hasPrefix("{\n  schema: 1,"))
        #expect(try project.names("Scenarios").isEmpty)
        try Data("in the way".utf8).write(to: project.folder.appendingPathComponent("Scenarios/recovery"))
        let blocked = try project.otalab("new", "recovery/mine")
        #expect(blocked.code == 74 && blocked.text.isEmpty, "\(blocked.text)")
        #expect(blocked.errors.contains("Scenarios/recovery/mine.json5 could not be written"))
        #expect(try project.read("Scenarios/recovery") == "in the way")
    }

    private static let report = """
        otalab-report format=1 writer=otalab
        app id=com.example.shop native=1.0 platform=ios dialect=own startup-timeout=20000ms
        version id=2.3.0 state=proven roles=embedded,current,last-known-good verified=package serial=1
        version id=2.4.0 roles=pending verified=every-byte serial=2
        log n=1 after=12ms cause=launched facts=native=1.0%20front=true%20boot=boot-1
        log n=2 after=326ms cause=up-to-date version=2.3.0
        log n=3 after=20100ms cause=download-started version=2.4.0 facts=rows=2
        log n=4 after=20900ms cause=became-pending version=2.4.0
        end lines=9

        """

    @Test("an error report becomes a scenario that lints and passes, with its guesses printed and marked")
    func fromLog() throws {
        let log = project.folder.appendingPathComponent("report.txt")
        try Data(Self.report.utf8).write(to: log)
        let made = try project.otalab("new", "recovery/reported", "--from-log", "report.txt")
        let path = "Scenarios/recovery/reported.json5"
        #expect(made.code == 0 && made.text == "\(path)\nrun it: otalab run \(path)\n", "\(made.errors)")
        #expect(made.errors.contains("4 of 4 log entries are reproduced in order\n"), "\(made.errors)")
        #expect(made.errors.contains(" guesses, marked in the file\n"))
        let text = try project.read(path)
        #expect(text.contains("// Guessed, because the report does not say it:"), "\(text)")
        #expect(try project.otalab("lint", path).code == 0)
        #expect(try project.otalab("fmt", "--check").code == 0)
        let run = try project.otalab("run", "--no-report", path)
        #expect(run.code == 0 && run.text.contains("1 passed"), "\(run.text)")
        // A second time: nothing is written over, and standard output has the same.
        #expect(try project.otalab("new", "recovery/reported", "--from-log", "report.txt").code == 2)
        let plain = try project.otalab("new", "-", "--from-log", "report.txt")
        #expect(plain.code == 0)
        #expect(
            plain.text
                == text.replacingOccurrences(of: "id: \"recovery/reported\"", with: "id: \"from-report\""))
    }

    @Test("3: a run reports 10 MB of brackets at once, with the position")
    func brackets() throws {
        try project.write("brackets.json5", String(repeating: "[", count: 10_000_000))
        let begin = ContinuousClock.now
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("--> Scenarios/brackets.json5:1:1048577"), "\(run.code)")
        #expect(ContinuousClock.now - begin < .seconds(30))
    }

    @Test("3: a file that is no error report is an error with its line and a fix, and nothing is written")
    func noReport() throws {
        try Data("11-20 23:19:28 I/App: started\n".utf8).write(
            to: project.folder.appendingPathComponent("log.txt"))
        let call = try project.otalab("new", "recovery/reported", "--from-log", "log.txt")
        #expect(call.code == 3 && call.text.isEmpty)
        #expect(call.errors.contains("error: this is no error report"), "\(call.errors)")
        #expect(call.errors.contains("--> log.txt:1\n") && call.errors.contains("  = help: "))
        #expect(try project.names("Scenarios").isEmpty)
    }
}
