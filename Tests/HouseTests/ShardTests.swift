import Foundation
import Testing

@Suite("Shards, and merging them")
struct ShardTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        for number in 1...9 {
            try project.write("updating/good-\(number).json5", TestProject.tagged("t\(number)"))
        }
        try project.write("updating/bad.json5", TestProject.bad)
        try project.write(
            "recovery/typo.json5", TestProject.good.replacingOccurrences(of: "launch", with: "lanch"))
        try project.write(
            "recovery/race.json5",
            """
            { schema: 1, title: "Orders", app: { embeds: "v1" },
              versions: { v1: { files: { "index.html": "1 KB" } } },
              steps: [ { launch: true },
                { anyOrder: [ { background: true }, { network: "offline" } ] }, { wait: "1s" } ], liveness: "none",
              because: "offline" }
            """)
    }

    private func shards(_ count: Int, _ arguments: [String] = []) throws -> [String] {
        var folders: [String] = []
        for number in 1...count {
            let folder = "shards-\(count)/\(number)"
            let call = try project.call(
                ["run", "--no-timings", "--shard", "\(number)/\(count)", "--report-dir", folder] + arguments)
            #expect([0, 1, 3].contains(call.code), "\(call.errors)")
            if project.has(folder + "/latest") { folders.append(folder + "/latest") }
        }
        return folders
    }

    @Test("merged shards are the whole run, byte for byte, in every format", arguments: [1, 2, 3, 7])
    func merged(count: Int) throws {
        let whole = try project.otalab("run", "--no-timings", "--report-dir", "whole")
        #expect(whole.code == 1)
        let folders = try shards(count)
        #expect(folders.count == count)
        let merge = try project.call(["merge"] + folders + ["-o", "merged", "--no-timings"])
        #expect(merge.code == 1, "\(merge.errors)")
        let names = try project.names("whole/latest")
        #expect(names.contains("results.json") && names.count >= 6)
        #expect(try project.names("merged") == names)
        for name in names {
            #expect(try project.read("merged/" + name) == project.read("whole/latest/" + name), "\(name)")
        }
        func body(_ text: String) -> [String] {
            text.split(separator: "\n").filter { !$0.hasPrefix("Report:") }.map(String.init)
        }
        #expect(body(merge.text) == body(whole.text))
    }

    @Test("each scenario is in exactly one shard, whatever else is selected")
    func stable() throws {
        func list(_ shard: String) throws -> [String] {
            try project.otalab("list", "Scenarios/updating", "--shard", shard).text.split(separator: "\n")
                .map(
                    String.init)
        }
        let parts = try [list("1/3"), list("2/3"), list("3/3")]
        let all = try project.otalab("list", "Scenarios/updating").text.split(separator: "\n").map(
            String.init)
        #expect(parts.joined().sorted() == all.sorted())
        try project.write("updating/another.json5", TestProject.good)
        for (number, part) in parts.enumerated() {
            let now = try list("\(number + 1)/3")
            #expect(part.allSatisfy(now.contains))
        }
        // "Failed, then this shard" and "this shard, then failed" are the same.
        _ = try project.otalab("run")
        #expect(try project.otalab("list", "--failed").text.contains("updating/bad"))
    }

    @Test("Shards balanced by costs are the whole run; other costs are refused by the merge")
    func costs() throws {
        _ = try project.otalab("run", "--no-timings", "--report-dir", "whole")
        _ = try project.otalab("run", "--report-dir", "timed")
        let costs = ["--shard-costs", "timed/latest"]
        let folders = try shards(3, costs)
        let merge = try project.call(["merge"] + folders + ["-o", "merged", "--no-timings"])
        #expect(merge.code == 1, "\(merge.errors)")
        #expect(try project.read("merged/results.json") == project.read("whole/latest/results.json"))
        let listed = try (1...3).map { number in
            try project.call(["list", "--shard", "\(number)/3"] + costs).text.split(separator: "\n")
                .filter { !$0.contains("(invalid file)") }
        }
        let all = try project.otalab("list").text.split(separator: "\n").filter {
            !$0.contains("(invalid file)")
        }
        #expect(listed.joined().sorted() == all.sorted())
        #expect(listed.allSatisfy { $0.count < all.count })
        _ = try project.call(["run", "--shard", "3/3", "--report-dir", "by-hash"])
        let mixed = try project.call(["merge", folders[0], folders[1], "by-hash/latest", "-o", "mixed"])
        #expect(mixed.code == 2 && mixed.errors.contains("not balanced by the same costs"), "\(mixed.errors)")
        for (call, text) in [
            (["run"] + costs, "there is no --shard"),
            (["run", "--shard", "1/2", "--shard-costs", "whole/latest"], "how long anything took"),
            (["run", "--shard", "1/2", "--shard-costs", "none"], "it is not there"),
        ] {
            let refused = try project.call(call)
            #expect(refused.code == 2 && refused.errors.contains(text), "\(refused.errors)")
        }
    }

    @Test("The files of a sweep are divided by what they took, and each is in one shard")
    func costsOfSweep() throws {
        let sweep = ["sweep", "Scenarios/updating", "--every", "50", "--no-progress"]
        _ = try project.call(sweep + ["--report-dir", "timed"])
        _ = try project.call(sweep + ["--report-dir", "whole", "--no-timings"])
        var folders: [String] = []
        for number in 1...2 {
            let call = try project.call(
                sweep + [
                    "--no-timings", "--shard", "\(number)/2", "--shard-costs", "timed/sweep", "--report-dir",
                    "part/\(number)",
                ])
            #expect(call.code < 4, "\(call.errors)")
            #expect(call.text.contains("updating/good-"))
            folders.append("part/\(number)/sweep")
        }
        let merge = try project.call(["merge"] + folders + ["-o", "merged", "--no-timings"])
        #expect(merge.code < 4, "\(merge.errors)")
        #expect(try project.read("merged/results.json") == project.read("whole/sweep/results.json"))
    }

    @Test("2: a missing, a duplicate and a foreign shard are reported, and nothing is written")
    func faults() throws {
        let folders = try shards(3)
        func fault(_ folders: [String], _ text: String) throws {
            let call = try project.call(["merge"] + folders + ["-o", "merged"])
            #expect(call.code == 2 && call.errors.contains(text), "\(text): \(call.errors)")
            #expect(!project.has("merged"))
        }
        try fault([folders[0], folders[2]], "shard 2/3 is missing")
        try fault(folders + [folders[1]], "shard 2/3 is there twice")
        let two = try shards(2)
        try fault([folders[0], folders[1], two[1]], "not the same number of shards")
        let other = try project.otalab("run", "--seed", "2", "--shard", "3/3", "--report-dir", "other")
        #expect(other.code < 4)
        try fault([folders[0], folders[1], "other/latest"], "not the same seed")
        let text = try project.read(folders[2] + "/results.json")
        func changed(_ old: String, _ new: String) throws -> String {
            try FileManager.default.createDirectory(
                at: project.folder.appendingPathComponent("changed"), withIntermediateDirectories: true)
            try Data(text.replacingOccurrences(of: old, with: new).utf8).write(
                to: project.folder.appendingPathComponent("changed/results.json"))
            return "changed"
        }
        try fault(
            [folders[0], folders[1], changed("\"otalab\": \"", "\"otalab\": \"9")], "not the same version")
        try fault(
            [folders[0], folders[1], changed("\"verdict\": \"passed\"", "\"verdict\": \"pasd\"")],
            "can't be 'pasd'")
        try fault([folders[0], folders[1], changed("\"schema\"", "\"schemer\"")], "schema is missing")
        try fault([folders[0], folders[1], changed("{", "[")], "results.json: line")
        try project.write("updating/more.json5", TestProject.good)
        _ = try project.otalab("run", "--shard", "3/3", "--report-dir", "later")
        try fault([folders[0], folders[1], "later/latest"], "are not the same")
        try fault(["whole"], "it is not there")
        try fault(["Scenarios"], "there is no results.json in it or below")
    }

    @Test("a shard that ended early is named, with what it did not run, and is never merged into a whole run")
    func incomplete() throws {
        var folders: [String] = []
        for number in 1...2 {
            let call = try project.call(
                [
                    "run", "--shard", "\(number)/2", "--report-dir", "early/\(number)", "--jobs", "1",
                    "--fail-fast",
                ])
            #expect([0, 1, 3].contains(call.code))
            folders.append("early/\(number)/latest")
        }
        let merge = try project.call(["merge"] + folders + ["-o", "merged"])
        #expect([1, 3].contains(merge.code), "\(merge.errors)")
        #expect(merge.text.contains(" not run: --fail-fast ended the run"), "\(merge.text)")
        #expect(merge.errors.contains(" ended early, ") && merge.errors.contains("warning: shard "))
        // An interrupted one is not made whole by the others.
        let text = try project.read(folders[0] + "/results.json")
            .replacingOccurrences(of: "\"partial\": false", with: "\"partial\": true")
        try Data(text.utf8).write(to: project.folder.appendingPathComponent(folders[0] + "/results.json"))
        let partial = try project.call(["merge"] + folders + ["-o", "merged"])
        #expect(partial.code == 130 && partial.errors.contains("shard 1/2 in \(folders[0]) was interrupted"))
        // A result that is neither there nor named is refused, whatever else went wrong.
        func another(_ text: String) throws -> String {
            let count = try #require(text.firstMatch(of: #/"selected": (\d+)/#).flatMap { Int($0.1) })
            return text.replacingOccurrences(of: "\"selected\": \(count)", with: "\"selected\": \(count + 1)")
        }
        let bare = try another(project.read(folders[1] + "/results.json"))
        let other = try another(text)
        try Data(bare.utf8).write(to: project.folder.appendingPathComponent(folders[1] + "/results.json"))
        try Data(other.utf8).write(to: project.folder.appendingPathComponent(folders[0] + "/results.json"))
        let missing = try project.call(["merge"] + folders + ["-o", "merged"])
        #expect(missing.code == 2 && missing.errors.contains(" are named as not run"), "\(missing.errors)")
    }

    @Test("a folder of folders is taken whole; a folder with other things is not written to")
    func folders() throws {
        _ = try shards(2)
        #expect(try project.otalab("merge", "shards-2", "-o", "Scenarios").code == 2)
        #expect(try project.otalab("merge", "shards-2", "-o", "merged").code == 1)
        #expect(try project.otalab("merge", "shards-2", "-o", "merged").code == 1)
        #expect(try project.otalab("merge", "shards-2").code == 2)
    }

    @Test("the variables of GitHub, GitLab and Kubernetes jobs name a shard with --shard auto")
    func variables() throws {
        func list(_ variables: [String: String], _ shard: String = "auto") throws -> TestProject.Call {
            try project.call(["list", "--shard", shard], variables)
        }
        let second = try list([:], "2/3").text
        #expect(!second.isEmpty)
        #expect(try list(["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "3"]).text == second)
        #expect(try list(["OTALAB_SHARD_INDEX": "1", "OTALAB_SHARD_TOTAL": "3"]).text == second)
        #expect(try list(["JOB_COMPLETION_INDEX": "1", "OTALAB_SHARD_TOTAL": "3"]).text == second)
        #expect(try project.call(["list"], ["OTALAB_SHARD": "2/3"]).text == second)
        #expect(try list([:]).code == 2)
        func slurm(_ id: String, min: String, max: String, count: String, step: String = "") -> [String:
            String]
        {
            [
                "SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_MIN": min, "SLURM_ARRAY_TASK_MAX": max,
                "SLURM_ARRAY_TASK_COUNT": count, "SLURM_ARRAY_TASK_STEP": step,
            ]
        }
        #expect(try list(slurm("6", min: "5", max: "7", count: "3")).text == second)
        #expect(try list(slurm("12", min: "10", max: "15", count: "3", step: "2")).text == second)
        // Outside, between two steps, and an array of single indices.
        #expect(try list(slurm("9", min: "5", max: "7", count: "3")).code == 2)
        #expect(try list(slurm("11", min: "10", max: "15", count: "3", step: "2")).code == 2)
        #expect(try list(slurm("2", min: "1", max: "7", count: "3")).code == 2)
        #expect(try list(["JOB_COMPLETION_INDEX": "1"]).code == 2)
        #expect(try list(["CI_NODE_INDEX": "4", "CI_NODE_TOTAL": "3"]).code == 2)
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "1/3/3", "-1/3"] {
            #expect(try list([:], text).code == 2, "\(text)")
        }
    }

    @Test("report derives every format from results.json: the bytes that the run wrote")
    func report() throws {
        _ = try project.otalab("run")
        var arguments = ["report"]
        let files = [
            "json": "results.json", "junit": "junit.xml", "html": "report.html", "md": "summary.md",
            "tap": "results.tap", "ctrf": "ctrf.json",
        ]
        for format in files.keys { arguments += ["--to", "\(format)=again/\(format)"] }
        #expect(try project.call(arguments).code == 0)
        for (format, file) in files {
            #expect(
                try project.read("again/" + format) == project.read("Reports/latest/" + file), "\(format)")
        }
        #expect(
            try project.otalab("report", "--to", "tap=-").text == project.read("Reports/latest/results.tap"))
        let strict = try project.otalab("report", "Reports/latest/results.json", "--to", "junit-strict=-")
            .text
        #expect(strict.contains("<testcase ") && !strict.contains("file="))
        #expect(try project.otalab("report").code == 2)
        #expect(try project.otalab("report", "nowhere", "--to", "tap=-").code == 2)
        let near = try project.otalab("report", "--to", "junt=-")
        #expect(near.code == 2 && near.errors.contains("did you mean 'junit'?"))
        #expect(try project.otalab("report", "--to", "tap=-", "--to", "md=-").code == 2)
        #expect(try project.otalab("report", "--to", "tap=Reports/latest/results.tap/x").code == 74)
    }
}
