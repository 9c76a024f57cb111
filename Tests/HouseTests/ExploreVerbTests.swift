import Foundation
import Testing

/// `otalab explore` in a temporary project.
@Suite("otalab explore")
struct ExploreVerbTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    @Test("What is printed depends on the seeds, not on the number of workers; shards share the worlds")
    func shards() throws {
        func worlds(_ arguments: String...) throws -> (text: String, count: Int) {
            let call = try project.otalab(
                ["explore", "--seed", "200", "--runs", "9", "--no-timings"] + arguments)
            let last = call.text.split(separator: "\n").last { $0.contains(" worlds, ") } ?? ""
            return (call.text, Int(last.split(separator: " ").first ?? "") ?? -1)
        }
        let one = try worlds("--jobs", "1")
        #expect(one.count == 9)
        #expect(try worlds("--jobs", "3").text == one.text)
        let parts = try (1...2).map { try worlds("--shard", "\($0)/2").count }
        #expect(parts == [5, 4])
    }

    @Test(
        "A call that makes no sense is refused before anything runs",
        arguments: [
            (["--runs", "0"], "--runs"), (["--for", "soon"], "--for"), (["--seed", "x"], "--seed"),
            (["--shard", "3/2"], "--shard"), (["--fail-fast=0"], "--fail-fast"),
            (["--wall-limit", "0s"], "--wall-limit"),
        ])
    func refused(arguments: [String], flag: String) throws {
        let call = try project.otalab(["explore"] + arguments)
        #expect(call.code == 2 && call.errors.contains(flag), "\(call.errors)")
    }

    @Test("After Ctrl-C the report has the failures of what was found")
    func interrupted() throws {
        try project.write("never.json5", Self.never)
        let process = Process()
        process.executableURL = try Program.tested()
        process.arguments = ["explore", "Scenarios/never.json5", "--no-progress", "--jobs", "1"]
        process.currentDirectoryURL = project.folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let shrunk = project.folder.appendingPathComponent("Reports/explore/1/1/shrunk.json5").path
        let limit = Date(timeIntervalSinceNow: 60)
        while !FileManager.default.fileExists(atPath: shrunk), Date() < limit { usleep(1_000) }
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        let results = try project.read("Reports/explore/1/results.json")
        #expect(results.contains(#""verdict": "failed""#) && !results.contains("The run was stopped"))
    }

    /// No filling blacklists v2.
    private static let never = """
        {
          schema: 1, title: "v2 is blacklisted", app: { embeds: "v1" },
          versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", changes: ["index.html"] } },
          steps: [ { launch: true }, { gap: {} }, { deploy: "v2" }, { check: true }, { settle: true },
            { expect: { blacklist: ["v2"] } } ],
        }
        """

    @Test("What fails only with the seed of the written files is made smaller too")
    func seedOfFiles() throws {
        try project.write("share.json5", Self.share)
        let call = try project.call(
            ["explore", "Scenarios/share.json5", "--runs", "40", "--jobs", "1", "--no-progress"])
        #expect(call.code == 1)
        #expect(project.has("Reports/explore/1/1/shrunk.json5"), "\(call.text)")
    }

    /// Which devices get v2 follows from the seed.
    private static let share = """
        {
          schema: 1, title: "half of the devices get v2", app: { embeds: "v1", checks: "manual" },
          versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", changes: ["index.html"] } },
          steps: [ { launch: true }, { gap: { atMost: "1s" } },
            { deploy: "v2", audience: { share: 1, of: 2 } }, { check: true }, { settle: true },
            { expect: { pending: null } } ],
        }
        """

    @Test("--fail-fast ends the search with the round in which the kind of finding came")
    func failFast() throws {
        try project.write("never.json5", Self.never)
        func worlds(_ more: String...) throws -> (code: Int32, count: Int?) {
            let call = try project.call(
                ["explore", "Scenarios/never.json5", "--runs", "130", "--no-timings", "--no-progress"] + more)
            let sum = call.text.split(separator: "\n").last { $0.contains(" worlds, ") }
            return (call.code, sum.flatMap { Int($0.prefix { $0.isNumber }) })
        }
        let (first, all) = (try worlds("--fail-fast"), try worlds("--fail-fast=99"))
        #expect(first.code == 1 && first.count == 64)
        #expect(all.code == 1 && all.count == 130)
    }
}
