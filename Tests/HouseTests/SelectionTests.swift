import Foundation
import Testing

@Suite("Selection of scenarios")
struct SelectionTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        try project.write("updating/slow.json5", TestProject.tagged("rollback slow"))
        try project.write("updating/quick.json5", TestProject.tagged("rollback"))
        try project.write("recovery/other.json5", TestProject.tagged("disk", rule: "R5"))
        try project.write(
            "recovery/cases.json5",
            """
            { schema: 1, title: "Cases", app: { embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [ { launch: true }, { expect: { running: "v1" }, within: "$limit" } ],
              cases: [
                { name: "short", limit: "5s" },
                { name: "long", limit: "9s" },
              ] }
            """)
    }

    private func names(_ arguments: String...) throws -> [String] {
        let call = try project.call(["list"] + arguments)
        #expect(call.code == 0, "\(call.errors)")
        return call.text.split(separator: "\n").map { line in
            line.components(separatedBy: "   ")[0]
        }
    }

    private let all = [
        "recovery/cases [short]", "recovery/cases [long]", "recovery/other", "updating/quick",
        "updating/slow",
    ]

    @Test("a folder, a file, a case's line, an id, and a case's name")
    func paths() throws {
        #expect(try names() == all)
        #expect(try names("Scenarios/updating") == ["updating/quick", "updating/slow"])
        #expect(try names("Scenarios/updating/slow.json5") == ["updating/slow"])
        #expect(try names("updating/slow") == ["updating/slow"])
        #expect(try names("recovery/cases [long]") == ["recovery/cases [long]"])
        let run = try project.otalab("run", "Scenarios/recovery/cases.json5:5", "--no-report")
        #expect(run.text.contains("[short]") && !run.text.contains("[long]"))
    }

    @Test("the same scenario named twice runs once")
    func once() throws {
        let run = try project.otalab(
            "run", "Scenarios/updating", "updating/slow", "Scenarios/updating/slow.json5:2", "--no-report")
        #expect(run.code == 0 && run.text.contains("2 passed, 0 failed, 0 skipped"))
    }

    @Test("tags with and, or, not and parentheses; several flags must all hold")
    func tags() throws {
        #expect(try names("-t", "rollback") == ["updating/quick", "updating/slow"])
        #expect(try names("-t", "rollback and not slow") == ["updating/quick"])
        #expect(try names("-t", "disk or (rollback and slow)") == ["recovery/other", "updating/slow"])
        #expect(try names("-t", "not not slow") == ["updating/slow"])
        #expect(try names("-t", "rollback", "-t", "slow") == ["updating/slow"])
    }

    @Test(
        "2: an invalid expression is reported with its position",
        arguments: ["", "and", "a b", "(a", "a)", "a or", "not"])
    func badTags(text: String) throws {
        let call = try project.otalab("run", "-t", text)
        #expect(call.code == 2 && call.errors.contains("--tag can't be"))
        #expect(!project.has("Reports"))
    }

    @Test("text, rules, and what is left out")
    func others() throws {
        #expect(try names("-k", "quick") == ["updating/quick"])
        #expect(try names("--rule", "R5") == ["recovery/other"])
        #expect(try names("--rule", "R5,U1") == ["recovery/other", "updating/quick", "updating/slow"])
        #expect(try names("--exclude", "Scenarios/recovery") == ["updating/quick", "updating/slow"])
        #expect(try names("Scenarios/updating", "--exclude", "updating/slow") == ["updating/quick"])
        #expect(try project.otalab("list", "--exclude", "Scenarios/nothing").code == 2)
        let rule = try project.otalab("list", "--rule", "R55")
        #expect(rule.code == 2 && rule.errors.contains("did you mean 'R5'?"))
    }

    @Test("4: nothing selected, with a suggestion; an unknown path is 2")
    func nothing() throws {
        let tag = try project.otalab("run", "--tag", "rolback")
        #expect(tag.code == 4)
        #expect(tag.errors.contains("did you mean 'rollback'? 2 scenarios have it"))
        let text = try project.otalab("run", "-k", "updating/qick")
        #expect(text.code == 4 && text.errors.contains("did you mean 'updating/quick'?"))
        #expect(try project.otalab("run", "--tag", "disk and slow").code == 4)
        #expect(try project.otalab("run", "--rule", "N1").code == 4)
        #expect(try project.otalab("run", "--tag", "rolback", "--allow-empty").code == 0)
        let id = try project.otalab("run", "updating/slwo")
        #expect(id.code == 2 && id.errors.contains("did you mean 'updating/slow'?"))
        #expect(!project.has("Reports"))
    }

    @Test("--failed runs what was not good last time, until nothing is left")
    func failed() throws {
        #expect(try project.otalab("run", "--failed").code == 2)
        try project.write("updating/bad.json5", TestProject.bad)
        #expect(try project.otalab("run").code == 1)
        let again = try project.otalab("run", "--failed")
        #expect(again.code == 1 && again.text.contains("0 passed, 1 failed, 0 skipped"))
        // A run of other scenarios keeps the failure.
        #expect(try project.otalab("run", "updating/quick").code == 0)
        try project.write("updating/bad.json5", TestProject.good)
        let mended = try project.otalab("run", "--failed")
        #expect(mended.code == 0 && mended.text.contains("1 passed, 0 failed, 0 skipped"))
        #expect(try project.otalab("run", "--failed").code == 0)
        try Data("{".utf8).write(to: project.folder.appendingPathComponent("Reports/.last-run.json"))
        #expect(try project.otalab("run", "--failed").code == 2)
    }

    @Test("two files of one id: the second is reported and not run")
    func sameID() throws {
        try project.write(
            "updating/twin.json5",
            TestProject.scenario(
                "{ expect: { running: \"v1\" }, within: \"5s\" }", extra: "id: \"updating/slow\","))
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("is also in Scenarios/updating/slow.json5"))
    }

    @Test("list prints JSON, and rules with their scenarios")
    func list() throws {
        let json = try project.otalab("list", "--json", "--rules")
        let root = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
        #expect((root?["scenarios"] as? [[String: Any]])?.count == 5)
        #expect((root?["rules"] as? [[String: Any]])?.count ?? 0 > 40)
        let rules = try project.otalab("list", "--rules")
        #expect(rules.text.contains("R5   Blacklist (checked after every event)\n       recovery/other\n"))
    }

    @Test("flags can be set in the environment too; the command line wins; -C changes to a folder first")
    func environment() throws {
        let run = try project.otalab("list", variables: ["OTALAB_MATCH": "quick"])
        #expect(run.text.hasPrefix("updating/quick "))
        #expect(
            try project.otalab("list", "-k", "slow", variables: ["OTALAB_MATCH": "quick"]).text.hasPrefix(
                "updating/slow"))
        #expect(try project.otalab("run", variables: ["OTALAB_JOBS": "many"]).code == 2)
        #expect(try project.otalab("run", variables: ["OTALAB_NO_REPORT": "yes"]).code == 2)
        #expect(try project.otalab("run", variables: ["OTALAB_NO_REPORT": "1"]).code == 0)
        #expect(!project.has("Reports"))
        #expect(
            try project.otalab("list", "-C", "Scenarios", "updating").text.split(separator: "\n").count == 2)
        #expect(try project.otalab("list", "-C", "nowhere").code == 2)
    }
}
