import Foundation
import Testing

/// `otalab merge` of searches, in a temporary project.
@Suite("Parts of searches, merged")
struct MergeSearchTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        for number in 1...3 { try project.write("good-\(number).json5", TestProject.good) }
    }

    /// A whole search and its shards.
    /// - Returns: the folders of the results.
    private func searched(_ call: [String], _ below: String, shards: Int, code: Int32) throws -> [String] {
        let common = ["--no-timings", "--no-progress", "--jobs", "1"]
        let whole = try project.call(call + common + ["--report-dir", "whole"])
        #expect(whole.code == code, "\(whole.errors)\(whole.text)")
        for number in 1...shards {
            let part = try project.call(
                call + common + ["--shard", "\(number)/\(shards)", "--report-dir", "part-\(number)"])
            #expect([0, code].contains(part.code), "\(part.errors)")
        }
        return (1...shards).map { "part-\($0)/\(below)" }
    }

    private func same(_ names: [String], _ whole: String) throws {
        for name in names {
            let own = try project.read("\(whole)/\(name)")
            #expect(
                try project.read("merged/\(name)")
                    == own.replacingOccurrences(of: whole + "/", with: "merged/"),
                "\(name)")
        }
    }

    @Test("shards of a sweep are the whole sweep, byte for byte")
    func sweep() throws {
        let call = ["sweep", "--every", "30"]
        let parts = try searched(call, "sweep", shards: 2, code: 0)
        // Of a folder with folders of parts, all are taken.
        let merge = try project.call(["merge"] + parts + ["-o", "merged"])
        #expect(merge.code == 0, "\(merge.errors)")
        try same(["results.json", "junit.xml", "report.html"], "whole/sweep")
        #expect(merge.text.contains("3 scenarios, "))
        let gate = try project.call(
            ["merge"] + parts + ["-o", "merged", "--coverage", "coverage.json"])
        #expect(gate.code == 0 && project.has("coverage.json"))
        let missing = try project.call(["merge", parts[1], "-o", "other"])
        #expect(missing.code == 2 && missing.errors.contains("shard 1/2 is missing"))
        #expect(!project.has("other"))
        let other = try project.call(
            ["sweep", "--every", "31", "--shard", "1/2", "--no-progress", "--report-dir", "other"])
        #expect(other.code == 0)
        let unrelated = try project.call(["merge", "other/sweep", parts[1], "-o", "wrong"])
        #expect(unrelated.code == 2 && unrelated.errors.contains("not the same call"), "\(unrelated.errors)")
    }

    @Test("each cell in one of three equal files: the worlds of one of them, in shards and in one process")
    func cellsOnce() throws {
        let call = ["sweep", "--files-per-cell", "1"]
        let parts = try searched(call, "sweep", shards: 2, code: 0)
        #expect(try project.call(["merge"] + parts + ["-o", "merged"]).code == 0)
        try same(["results.json"], "whole/sweep")
        let options = ["--no-timings", "--no-progress", "--no-report"]
        let all = try project.call(call + options)
        #expect(try project.call(call + options + ["--in-process"]).text == all.text)
        let one = try project.call(["sweep", "Scenarios/good-1.json5"] + options)
        func worlds(_ call: TestProject.Call) -> Int {
            let words = call.text.split { $0 == " " || $0 == "\n" }
            return words.indices.dropFirst().dropLast().reduce(0) { sum, index in
                words[index] == "worlds" && words[index + 1] == "of"
                    ? sum + (Int(words[index - 1]) ?? 0) : sum
            }
        }
        #expect(worlds(one) > 100 && worlds(all) == worlds(one), "\(all.text)")
        let wrong = try project.call(call + ["--every", "3"])
        #expect(wrong.code == 2 && wrong.errors.contains("leave out --every and --all"), "\(wrong.errors)")
    }

    @Test("shards of an exploration have its worlds and its findings, with files and commands that work")
    func explore() throws {
        // Each world is a finding, of one kind: none ends within the limit.
        let call = ["explore", "--seed", "5", "--runs", "4", "--wall-limit", "1ms"]
        let parts = try searched(call, "explore/5", shards: 2, code: 1)
        let merge = try project.call(["merge"] + parts + ["-o", "merged"])
        #expect(merge.code == 1, "\(merge.errors)")
        try same(["results.json", "junit.xml", "1/world.json5"], "whole/explore/5")
        #expect(
            merge.text.contains("   found in 4 of 4 worlds, first in number 1: 5 6 7 8\n"), "\(merge.text)")
        #expect(merge.text.contains("   otalab run merged/1/world.json5\n"))
        #expect(try project.otalab("run", "merged/1/world.json5", "--no-report").code == 0)
        // What an older report had is gone.
        try FileManager.default.moveItem(
            at: project.folder.appendingPathComponent("merged/1"),
            to: project.folder.appendingPathComponent("merged/7"))
        #expect(try project.call(["merge"] + parts + ["-o", "merged"]).code == 1)
        #expect(project.has("merged/1/world.json5") && !project.has("merged/7"))
        try FileManager.default.removeItem(at: project.folder.appendingPathComponent(parts[0] + "/1"))
        let bare = try project.call(["merge"] + parts + ["-o", "bare"])
        #expect(bare.code == 2 && bare.errors.contains("/1: the files of a finding are not there"))
        #expect(!project.has("bare"))
        // A range of seeds of its own, and one that is missing between.
        let range = try project.call(
            ["explore", "--seed", "11", "--runs", "2", "--no-progress", "--report-dir", "range"])
        #expect(range.code == 0, "\(range.text)")
        let all = try project.call(["merge", "merged", "range", "-o", "all"])
        #expect(all.code == 1 && all.text.contains("6 worlds, "), "\(all.errors)")
        #expect(all.errors.contains("warning: no part has the worlds from the seeds 9..10"))
        let twice = try project.call(["merge", "merged", parts[0], parts[1], "-o", "wrong"])
        #expect(twice.code == 2 && twice.errors.contains("have the worlds from seed 5"), "\(twice.errors)")
    }

    @Test("shards of a search over crash points are the whole search")
    func crashPoints() throws {
        let call = ["crashpoints", "--depth", "1", "--every", "9", "--outcomes", "2"]
        let parts = try searched(call, "crashpoints", shards: 2, code: 0)
        let merge = try project.call(["merge"] + parts + ["-o", "merged"])
        #expect(merge.code == 0, "\(merge.errors)")
        try same(["results.json"], "whole/crashpoints")
        #expect(merge.text.contains("points of a first crash"))
        let twice = try project.call(["merge"] + parts + [parts[0], "-o", "wrong"])
        #expect(twice.code == 2 && twice.errors.contains("shard 1/2 is there twice"), "\(twice.errors)")
        let mixed = try project.call(["run", "--report-dir", "run"])
        #expect(mixed.code == 0)
        let wrong = try project.call(["merge", parts[0], "run/latest", "-o", "wrong"])
        #expect(wrong.code == 2 && wrong.errors.contains("is of 'crashpoints', run/latest is not"))
        #expect(!project.has("wrong"))
    }
}
