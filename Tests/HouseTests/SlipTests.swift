import Foundation
import Testing

/// Slips of the keyboard, and files and folders that are not what they should be.
@Suite("Slips, and what can't be read")
struct SlipTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        try project.write("updating/first-update.json5", TestProject.good)
    }

    @Test(
        "a path that is nearly one is answered with the right one",
        arguments: [
            ("first-update", "updating/first-update"), ("updating/", "Scenarios/updating"),
            ("Scenarios/upating", "Scenarios/updating"), ("scenarios/updating", "Scenarios/updating"),
            ("Scenarios/updating/first-update.json", "Scenarios/updating/first-update.json5"),
        ])
    func paths(written: String, meant: String) throws {
        let run = try project.otalab("run", written)
        #expect(run.code == 2 && run.errors.contains("did you mean '\(meant)"), "\(run.errors)")
    }

    @Test("verbs, flags and formats")
    func words() throws {
        #expect(try project.otalab("rnu").errors.contains("did you mean 'otalab run'?"))
        #expect(try project.otalab("-v").errors.contains("did you mean '--version'?"))
        #expect(try project.otalab("run", "-o", "markdown=-").errors.contains("did you mean 'md'?"))
        #expect(try project.otalab("run", "--fail-fast", "3").errors.contains("write --fail-fast=3"))
        #expect(try project.otalab("crashpoints", "--outcomes", "x").errors.contains(", or all"))
        let variable = try project.otalab("list", variables: ["OTALAB_JBOS": "2", "OTALAB_WRITE_PAGES": "1"])
        #expect(variable.code == 0 && variable.errors.contains("did you mean OTALAB_JOBS?"))
        #expect(!variable.errors.contains("WRITE_PAGES"))
    }

    @Test("a line after the file's end is an error; a line in it is not")
    func lines() throws {
        let file = "Scenarios/updating/first-update.json5"
        let run = try project.otalab("run", file + ":999", "--no-report")
        #expect(run.code == 2 && run.errors.contains("\(file) has no line 999"))
        #expect(try project.otalab("run", file + ":2", "--no-report").code == 0)
    }

    @Test("a folder without scenarios is reported as nothing selected, not as passed")
    func emptyFolder() throws {
        try FileManager.default.createDirectory(
            at: project.folder.appendingPathComponent("empty"), withIntermediateDirectories: true)
        for verb in ["lint", "fmt", "run"] {
            let call = try project.otalab(verb, "empty")
            #expect(call.code == 4 && call.errors.contains("= help: "), "\(verb): \(call.errors)")
        }
        // Device files beside the scenarios were not selected; named alone they can be.
        #expect(try project.otalab("init").code == 0)
        #expect(try project.otalab("lint", "empty").code == 4)
        #expect(try project.otalab("lint", "Scenarios/profiles").code == 0)
    }

    @Test("--failed runs what failed in another selection; deleted scenarios are no error")
    func failed() throws {
        let elsewhere = project.folder.appendingPathComponent("elsewhere")
        try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
        try Data(TestProject.bad.utf8).write(to: elsewhere.appendingPathComponent("bad.json5"))
        #expect(try project.otalab("run", "elsewhere").code == 1)
        let again = try project.otalab("run", "--failed")
        #expect(again.code == 1 && again.text.contains("0 passed, 1 failed"), "\(again.text)")
        try FileManager.default.removeItem(at: elsewhere)
        let gone = try project.otalab("run", "--failed")
        #expect(gone.code == 0 && gone.errors.contains("deleted: elsewhere/bad"), "\(gone.errors)")
    }

    @Test(
        "a file that has not begun",
        arguments: [
            ("", "otalab new NAME"), ("schema: 1,\ntitle: \"x\"\n", "begin with {"),
            ("{ schema: 2 }", "write schema: 1"),
        ])
    func begins(text: String, help: String) throws {
        try project.write("x.json5", text)
        let lint = try project.otalab("lint", "Scenarios/x.json5")
        #expect(lint.code == 1 && (lint.text + lint.errors).contains(help), "\(lint.text)")
    }

    @Test("a dangling link has no line to show; run and lint print the same error")
    func link() throws {
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.path + "/Scenarios/x.json5", withDestinationPath: "nowhere")
        try FileManager.default.createDirectory(
            atPath: project.folder.path + "/Scenarios/profiles", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: project.folder.path + "/Scenarios/profiles/old.json5", withDestinationPath: "nowhere")
        for verb in ["run", "lint"] {
            let call = try project.otalab(verb, "Scenarios")
            #expect(call.text.contains("--> Scenarios/profiles/old.json5\n"), "\(call.text)")
            #expect(call.code == 3 && call.text.contains("error[E0301]: this is a link to nothing"))
            #expect(call.text.contains("--> Scenarios/x.json5\n") && call.text.contains("help: look at it"))
        }
    }

    @Test(
        "a folder without read permission is reported by every verb, and counts as a file that can't be read")
    func lockedFolder() throws {
        let folder = project.folder.appendingPathComponent("Scenarios/locked").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: project.folder.path)
        #expect(try project.otalab("fmt").code == 0)
        for verb in [["run", "--no-report"], ["lint"], ["fmt", "--check"], ["list"]] {
            guard let call = try project.unprivileged(verb) else { return }
            #expect(call.text.contains("Scenarios/locked"), "\(verb): \(call.text)")
            if verb != ["list"] { #expect(call.code == 3, "\(verb): \(call.text)") }
        }
    }

    @Test("a pipe in a package is a mistake of the call, not of the program")
    func pipe() throws {
        let package = project.folder.appendingPathComponent("pd").path
        try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
        #expect(mkfifo(package + "/index.html", 0o600) == 0)
        let serve = try project.otalab("serve", "app", "--app", "a.b", "--package", "pd")
        #expect(serve.code == 2 && serve.errors.contains("'pd/index.html': this is not a regular file"))
        try Data().write(to: project.folder.appendingPathComponent("state"))
        let state = try project.otalab("serve", "app", "--app", "a.b", "--state", "state")
        #expect(state.code == 2 && state.errors.contains("is a file"), "\(state.errors)")
    }

    @Test("a release that does not exist, and one that requests the app's own script")
    func release() throws {
        #expect(try project.otalab("lint", "--release", "nope").errors.contains("there is no folder 'nope'"))
        let dist = project.folder.appendingPathComponent("dist")
        try FileManager.default.createDirectory(at: dist, withIntermediateDirectories: true)
        try Data("<script src=\"/otalab.js\"></script><script src=\"/own.js\"></script>".utf8)
            .write(to: dist.appendingPathComponent("index.html"))
        let lint = try project.otalab("lint", "--release", "dist").text
        #expect(!lint.contains("otalab.js") && lint.contains("'/own.js'"))
    }

    @Test("crashpoints of a file with an error prints no figures")
    func noFigures() throws {
        try project.write("x.json5", "{ schema: 1 }")
        let call = try project.otalab("crashpoints", "Scenarios/x.json5")
        #expect(call.code == 3 && !call.text.contains("no failure") && call.text.contains("left out: "))
    }

    @Test("a command that is printed can be pasted")
    func quoting() throws {
        #expect(try project.otalab("new", "a b").text.contains("run it: otalab run 'Scenarios/a b.json5'"))
    }
}

extension TestProject {
    /// Standard output and error of a call as a user other than root; nil where that is not possible.
    func unprivileged(_ arguments: [String]) throws -> (text: String, code: Int32)? {
        if getuid() != 0 {
            let call = try call(arguments)
            return (call.text + call.errors, call.code)
        }
        let setpriv = URL(fileURLWithPath: "/usr/bin/setpriv")
        guard FileManager.default.isExecutableFile(atPath: setpriv.path) else { return nil }
        let words =
            ["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", "exec \"$@\" 2>&1", "sh"]
            + [try Program.tested().path] + arguments
        let told = try Program.call(setpriv, words, in: folder)
        // The program itself may be in a folder that other users can't read.
        return told.text.contains("otalab: Permission denied") ? nil : told
    }
}
