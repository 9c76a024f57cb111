import Foundation
import Testing

@Suite("Scenarios run in worker processes")
struct WorkerTests {
    private let project: TestProject

    init() throws { project = try TestProject() }

    /// A run in the background, with its workers.
    private struct Run {
        let process: Process
        let project: TestProject

        /// Starts the run, with standard output and error in the files `out` and `err`.
        /// - Parameter niceness: what `nice -n` adds.
        init(_ arguments: [String], in project: TestProject, niceness: Int = 0) throws {
            self.project = project
            process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["nice", "-n", "\(niceness)", try Program.debug().path] + arguments
            process.currentDirectoryURL = project.folder
            for name in ["out", "err"] {
                try Data().write(to: project.folder.appendingPathComponent(name))
            }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(
                forWritingTo: project.folder.appendingPathComponent("out"))
            process.standardError = try FileHandle(forWritingTo: project.folder.appendingPathComponent("err"))
            try process.run()
        }

        /// Child processes that still exist, including zombies.
        var workers: [pid_t] {
            let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return all.compactMap { pid_t($0) }.filter { number in
                let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
                // The name, in brackets, may contain spaces.
                let fields = stat?.split(separator: ")").last?.split(separator: " ") ?? []
                return fields.count > 1 && fields[1] == "\(process.processIdentifier)"
            }
        }

        func wait(until isSo: () throws -> Bool) rethrows -> Bool {
            for _ in 0..<600 {
                if try isSo() { return true }
                Thread.sleep(forTimeInterval: 0.05)
            }
            return false
        }
    }

    @Test(
        "70: a worker that dies costs one result, with the reason in every report; the others still run",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")),
        arguments: [(SIGSEGV, "SIGSEGV"), (SIGILL, "SIGILL"), (SIGKILL, "SIGKILL")])
    func death(signal: Int32, name: String) throws {
        for letter in ["a", "c", "d"] { try project.write("\(letter).json5", TestProject.good) }
        try project.write("b-slow.json5", TestProject.endless)
        let run = try Run(["run", "--jobs", "1"], in: project)
        #expect(try run.wait { try project.read("out").contains("ok    a ") })
        let first = run.workers
        #expect(first.count == 1)
        // The worker has the next scenario by now, or it is killed before it reads it, and another worker
        // gets it.
        Thread.sleep(forTimeInterval: 0.5)
        for worker in first { kill(worker, signal) }
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 70)
        let text = try project.read("out")
        #expect(text.contains("OPEN  b-slow") && text.contains("The worker process died: \(name)"), "\(text)")
        #expect(text.contains("= again     otalab run Scenarios/b-slow.json5 --seed 1\n"))
        #expect(text.contains("= help "))
        #expect(text.contains("ok    c ") && text.contains("ok    d "))
        #expect(text.hasSuffix("3 passed, 1 failed, 0 skipped   (of the failed: 1 inconclusive)\n"))
        #expect(try project.read("err").contains("b-slow: The worker process died: \(name)"))
        let junit = try project.read("Reports/latest/junit.xml")
        #expect(junit.contains("<error type=\"worker-died\"") && junit.contains("tests=\"4\""))
        #expect(try project.read("Reports/latest/results.tap").contains("not ok 2 - b-slow"))
        #expect(try project.read("Reports/latest/results.json").contains("\"kind\": \"workerDied\""))
        #expect(try project.read("Reports/latest/report.html").contains("The worker process died"))
        // The results can be parsed.
        #expect(try project.otalab("report", "--to", "tap=out.tap").code == 0)
        #expect(try project.otalab("run", "--failed", "--wall-limit", "500ms").text.contains("OPEN  b-slow"))
    }

    @Test(
        "workers have the priority that the user gave the program",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func priority() throws {
        try project.write("slow.json5", TestProject.endless)
        let run = try Run(["run", "--no-report"], in: project, niceness: 7)
        #expect(run.wait { !run.workers.isEmpty })
        func niceness(_ number: pid_t) -> String? {
            let stat = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
            return stat?.split(separator: ")").last?.split(separator: " ").dropFirst(16).first.map {
                String($0)
            }
        }
        let worker = try #require(run.workers.first)
        #expect(run.wait { niceness(worker) == niceness(run.process.processIdentifier) })
        kill(run.process.processIdentifier, SIGKILL)
        run.process.waitUntilExit()
    }

    @Test("results are the same bytes in this process and in one, two or five others")
    func same() throws {
        try project.write("good.json5", TestProject.good)
        try project.write("bad.json5", TestProject.bad)
        try project.write("typo.json5", TestProject.good.replacingOccurrences(of: "launch", with: "lanch"))
        try project.write(
            "skipped.json5",
            TestProject.good.replacingOccurrences(of: "title:", with: "skip: \"later\", title:"))
        try project.write(
            "known.json5", TestProject.bad.replacingOccurrences(of: "title:", with: "xfail: \"B-1\", title:"))
        try project.write("long.json5", TestProject.scenario("{ wait: \"2h\" }"))
        try project.write("shared/app.json5", "{ app: { embeds: \"v1\" } }")
        try project.write(
            "used.json5",
            TestProject.good.replacingOccurrences(
                of: "app: { embeds: \"v1\" }", with: "use: \"shared/app.json5\""))
        try project.write(
            "race.json5",
            """
            { schema: 1, title: "Orders", app: { embeds: "v1" }, device: "odd",
              versions: { v1: { files: { "index.html": "1 KB" } }, v2: { from: "v1", changes: ["index.html"] } },
              steps: [ { launch: true }, { deploy: "v2" }, { check: true },
                { expect: { pending: "v2" }, within: "10s" },
                { page: "reload", anyOrder: ["switch applied", "index requested"] }, { wait: "1s" } ] }
            """)
        let plain = House.root.appendingPathComponent("Scenarios/profiles/ios-17.json5")
        try project.write("profiles/odd.json5", String(contentsOf: plain, encoding: .utf8))
        let flags = ["--no-timings", "--max-virtual-time", "1h", "--seeds", "7..9"]
        func results(_ more: String...) throws -> String {
            let call = try project.call(["run"] + flags + more)
            #expect(call.code == 1, "\(call.errors)")
            return try project.read("Reports/latest/results.json")
        }
        let here = try results("--in-process")
        #expect(here.contains("race {order 2}") && here.contains("\"verdict\": \"inconclusive\""))
        #expect(here.contains("\"name\": \"used\"") && !here.contains("E0112"))
        for jobs in ["1", "2", "5"] {
            let there = try results("--jobs", jobs)
            #expect(there == here, "\(jobs)")
        }
    }

    @Test("a sweep prints and writes the same in this process and in one or three others")
    func sameSweep() throws {
        for letter in ["a", "b"] { try project.write("\(letter).json5", TestProject.good) }
        func swept(_ more: String...) throws -> [String] {
            let flags = ["--every", "60", "--pairs", "3", "--no-timings", "--no-progress"]
            let call = try project.call(["sweep"] + flags + more)
            #expect(call.code == 0, "\(call.errors)")
            return [call.text, try project.read("Reports/sweep/results.json")]
        }
        let here = try swept("--in-process")
        #expect(here[0].contains(" of them with two disturbances"), "\(here[0])")
        for jobs in ["1", "3"] { #expect(try swept("--jobs", jobs) == here) }
    }

    @Test(
        "a world that its worker dies of is a finding of the sweep; the others are still swept",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")))
    func deathInASweep() throws {
        for letter in ["a", "b"] { try project.write("\(letter).json5", TestProject.good) }
        let run = try Run(["sweep", "--every", "1", "--jobs", "1"], in: project)
        #expect(run.wait { run.workers.count == 1 })
        Thread.sleep(forTimeInterval: 0.3)
        for worker in run.workers { kill(worker, SIGKILL) }
        run.process.waitUntilExit()
        #expect(run.process.terminationStatus == 1)
        let text = try project.read("out")
        #expect(text.contains("1  The worker process died: SIGKILL (Killed)"), "\(text)")
        #expect(text.contains("otalab run Reports/sweep/1/first.json5"), "\(text)")
        #expect(text.contains("\na  ") || text.hasPrefix("a  "), "\(text)")
        #expect(text.contains("\nb  "), "\(text)")
        #expect(text.contains("1 failed in 1 ways"), "\(text)")
        #expect(try project.otalab("run", "Reports/sweep/1/first.json5").code == 0)
    }

    @Test(
        "Ctrl-C and a starter that is killed leave no worker running",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat")),
        arguments: [SIGINT, SIGTERM, SIGKILL])
    func noneLeft(signal: Int32) throws {
        for number in 1...3 { try project.write("slow-\(number).json5", TestProject.endless) }
        let run = try Run(["run", "--jobs", "3", "--no-report"], in: project)
        #expect(run.wait { run.workers.count == 3 })
        let workers = run.workers
        Thread.sleep(forTimeInterval: 0.3)
        kill(run.process.processIdentifier, signal)
        run.process.waitUntilExit()
        if signal == SIGINT {
            #expect(run.process.terminationStatus == 130)
            #expect(
                try project.read("out").hasSuffix(
                    "0 passed, 0 failed, 0 skipped   (3 not run: the run was interrupted)\n"))
        }
        #expect(run.wait { workers.allSatisfy { kill($0, 0) != 0 } })
    }

    @Test("3: a size that no machine has is an error with its position, and is not allocated")
    func tooLarge() throws {
        try project.write("good.json5", TestProject.good)
        try project.write(
            "size-of-a-thousand-gigabytes.json5",
            TestProject.good.replacingOccurrences(
                of: "\"index.html\": \"1 KB\"", with: "\"index.html\": \"1 KB\", \"a.bin\": \"1000 GB\""))
        let run = try project.otalab("run", "--no-report")
        #expect(run.code == 3 && run.text.contains("error[E0108]: a file of more than 4 GB"), "\(run.text)")
        #expect(run.text.contains("size-of-a-thousand-gigabytes.json5:2:") && run.text.contains("1 passed"))
        #expect(run.text.contains("^^^^^^^^^ too large"))
    }

    @Test("a worker that a person starts ends with its input and accepts only requests")
    func byHand() throws {
        let ended = try project.otalab("--worker-of-otalab")
        #expect(ended.code == 0 && ended.text.isEmpty && ended.errors.isEmpty)
        let process = Process()
        process.executableURL = try Program.debug()
        process.arguments = ["--worker-of-otalab"]
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        input.fileHandleForWriting.write(Data("no frame at all, and long enough".utf8))
        process.waitUntilExit()
        #expect(process.terminationStatus == 70)
    }
}
