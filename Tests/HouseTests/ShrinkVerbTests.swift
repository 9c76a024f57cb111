import Foundation
import Testing

/// `otalab shrink` from outside, in a temporary project.
@Suite("The smallest scenario with the same failure, from outside")
struct ShrinkVerbTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    private static let bad = TestProject.scenario(
        """
        { wait: "30s" }, { background: true }, { wait: "1h" }, { foreground: true }, { check: true },
        { network: "offline" }, { wait: "10s" }, { network: "online" },
        { expect: { screen: "offline" }, within: "5s" }, { kill: "crash" }
        """)

    @Test(
        "a failing scenario gets a smaller one beside it, which fails, is formatted, and is not overwritten")
    func shrinks() throws {
        try project.write("origin/bad.json5", Self.bad)
        let call = try project.otalab("shrink", "Scenarios/origin/bad.json5", "--no-timings")
        let path = "Scenarios/origin/bad-shrunk.json5"
        #expect(call.code == 0 && call.errors.isEmpty, "\(call.errors)")
        #expect(call.text.contains(#/\n  11 to [1-6] steps, [0-9]+ runs\n/#), "\(call.text)")
        #expect(call.text.hasSuffix("\(path)\nrun it: otalab run \(path)\n"), "\(call.text)")
        #expect(try project.otalab("fmt", "--check", path).code == 0)
        #expect(try project.otalab("lint", path).code == 0)
        let run = try project.otalab("run", path, "--no-report")
        #expect(run.code == 1 && run.text.contains("screen: expected offline"), "\(run.text)")
        let text = try project.read(path)
        #expect(text.hasPrefix("// Fails with an expectation: screen: expected offline"), "\(text)")
        #expect(text.contains("{ expect: { screen: \"offline\" }, within: \"5s\" },"), "\(text)")
        let again = try project.otalab("shrink", "Scenarios/origin/bad.json5")
        #expect(again.code == 2 && again.errors.contains("\(path) exists already"), "\(again.errors)")
    }

    @Test("- writes to standard output, the same with and without workers and for any number of them")
    func elsewhere() throws {
        try project.write("bad.json5", Self.bad)
        let one = try project.otalab("shrink", "Scenarios/bad.json5", "--out", "-", "-j", "1")
        #expect(one.code == 0 && one.errors.contains(" steps, "), "\(one.errors)")
        let three = try project.otalab("shrink", "Scenarios/bad.json5", "--out", "-", "-j", "3")
        let here = try project.otalab("shrink", "Scenarios/bad.json5", "--out", "-", "--in-process")
        #expect(one.text == three.text && one.text == here.text)
        #expect(try project.names("Scenarios") == ["bad.json5"])
        try project.write("one.json5", "")
        let spent = try project.otalab(
            "shrink", "Scenarios/bad.json5", "--runs", "2", "--out", "Scenarios/two.json5")
        #expect(spent.code == 0 && spent.text.contains("--runs N allows more"), "\(spent.text)")
    }

    @Test("--passes-in keeps what a program without the defect needs to pass; nothing stays beside the file")
    func passesElsewhere() throws {
        try project.write("bad.json5", Self.bad)
        func other(_ script: String) throws -> String {
            let file = project.folder.appendingPathComponent("other.sh")
            try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
            return file.path
        }
        func shrink(_ program: String) throws -> TestProject.Call {
            try project.otalab("shrink", "Scenarios/bad.json5", "--passes-in", program, "--out", "-")
        }
        // It passes as long as the app goes to the background; the failure itself does not need that.
        let kept = try shrink(other(#"[ "$1" = run ] && [ -z "$OTALAB_X" ] && grep -q background "$2""#))
        let plain = try project.otalab("shrink", "Scenarios/bad.json5", "--out", "-")
        #expect(kept.code == 0 && kept.text.contains("background: true"), "\(kept.text)\(kept.errors)")
        #expect(!plain.text.contains("background"), "\(plain.text)")
        let never = try shrink(other("exit 1"))
        #expect(never.code == 2 && never.errors.contains("fails in"), "\(never.errors)")
        let none = try shrink("Scenarios/bad.json5")
        #expect(none.code == 2 && none.errors.contains("--passes-in can't be"), "\(none.errors)")
        #expect(try project.names("Scenarios") == ["bad.json5"])
    }

    @Test("of several cases the first that fails is shrunk, or the one that is named")
    func cases() throws {
        try project.write(
            "cases.json5",
            TestProject.scenario(
                "{ wait: \"10s\" }, { expect: { running: \"$shown\" }, within: \"5s\" }",
                extra:
                    "cases: [ { name: \"good\", shown: \"v1\" }, { name: \"bad\", shown: null } ],"
            ))
        let found = try project.otalab("shrink", "Scenarios/cases.json5", "--out", "-")
        #expect(found.code == 0 && found.text.contains("running: null"), "\(found.errors)")
        #expect(!found.text.contains("cases:"), "\(found.text)")
        let named = try project.otalab("shrink", "Scenarios/cases.json5", "--case", "bad", "--out", "-")
        #expect(named.text == found.text)
        let good = try project.otalab("shrink", "Scenarios/cases.json5", "--case", "good", "--out", "-")
        #expect(
            good.code == 2 && good.errors.contains("passes: there is nothing to shrink"), "\(good.errors)")
        let wrong = try project.otalab("shrink", "Scenarios/cases.json5", "--case", "bod", "--out", "-")
        #expect(wrong.code == 2 && wrong.errors.contains("did you mean 'bad'?"), "\(wrong.errors)")
    }

    @Test("2: a wrong call; 3: a file that is invalid")
    func refused() throws {
        try project.write("good.json5", TestProject.good)
        try project.write("odd.json5", "{ schema: 1 }")
        let passes = try project.otalab("shrink", "Scenarios/good.json5")
        #expect(passes.code == 2 && passes.errors.contains("good.json5 passes"), "\(passes.errors)")
        #expect(!project.has("Scenarios/good-shrunk.json5"))
        let many = try project.otalab("shrink", "Scenarios")
        #expect(many.code == 2 && many.errors.contains("takes one scenario file"), "\(many.errors)")
        #expect(try project.otalab("shrink").code == 2)
        #expect(try project.otalab("shrink", "Scenarios/good.json5", "--runs", "0").code == 2)
        let odd = try project.otalab("shrink", "Scenarios/odd.json5")
        #expect(odd.code == 3 && odd.errors.contains("missing key 'title'"), "\(odd.errors)")
    }
}
