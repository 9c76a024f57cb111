import Foundation
import Testing

/// `otalab sweep --resume FILE` in a temporary project.
@Suite("A sweep that was stopped is continued")
struct ResumeTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        for letter in ["a", "b", "c"] { try project.write("\(letter).json5", TestProject.good) }
    }

    private func sweep(_ more: String...) throws -> TestProject.Call { try sweep(more) }

    private func sweep(_ more: [String]) throws -> TestProject.Call {
        try project.call(["sweep", "--every", "60", "--no-timings", "--no-progress"] + more)
    }

    private var kept: URL { project.folder.appendingPathComponent("kept") }

    /// With this limit a scenario can't be swept: a worker needs longer to begin.
    private let nothingIsSwept = ["--wall-limit", "1ms"]

    @Test("What is in the file is not swept again, and the report is that of a sweep without a break")
    func taken() throws {
        let whole = try sweep("--resume", "kept")
        #expect(whole.code == 0 && whole.errors.isEmpty, "\(whole.errors)")
        let report = try project.read("Reports/sweep/report.html")
        #expect(try sweep(nothingIsSwept).code == 3)
        let again = try sweep(["--resume", "kept"] + nothingIsSwept)
        #expect(again.code == 0 && again.text == whole.text, "\(again.text)")
        #expect(again.errors == "note: 3 scenario files of an earlier call in kept\n")
        #expect(try project.read("Reports/sweep/report.html") == report)
        #expect(try sweep("--in-process", "--resume", "kept").text == whole.text)
    }

    @Test("A file that was cut off anywhere keeps what is complete, and the sweep ends as without a break")
    func cutOff() throws {
        let whole = try sweep("--resume", "kept")
        let bytes = try Data(contentsOf: kept)
        for length in [0, 9, 200, bytes.count / 2, bytes.count - 1] {
            try bytes.prefix(length).write(to: kept)
            let again = try sweep("--resume", "kept")
            #expect(again.code == 0 && again.text == whole.text, "\(length) bytes: \(again.errors)")
            #expect(try sweep(["--resume", "kept"] + nothingIsSwept).code == 0, "\(length) bytes")
        }
        // The last block was allocated and never written.
        try (bytes.prefix(bytes.count - 40) + Data(count: 40)).write(to: kept)
        let again = try sweep("--resume", "kept")
        #expect(again.text == whole.text && again.errors.contains("2 scenario files"), "\(again.errors)")
    }

    @Test("After Ctrl-C the same call sweeps the rest")
    func stopped() throws {
        let whole = try sweep()
        let process = Process()
        process.executableURL = try Program.tested()
        process.arguments = ["sweep", "--every", "60", "--no-progress", "--jobs", "1", "--resume", "kept"]
        process.currentDirectoryURL = project.folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let limit = Date(timeIntervalSinceNow: 30)
        // One file is in it.
        while (try? Data(contentsOf: kept).count) ?? 0 < 700, Date() < limit { usleep(1_000) }
        process.interrupt()
        process.waitUntilExit()
        let again = try sweep("--resume", "kept")
        #expect(again.text == whole.text && again.errors.contains("of an earlier call"), "\(again.errors)")
    }

    @Test("A scenario that was changed since is swept again, the others are not")
    func changed() throws {
        _ = try sweep("--resume", "kept")
        try project.write(
            "b.json5", TestProject.good.replacingOccurrences(of: "title: \"", with: "title: \"b "))
        let others = try sweep(["--resume", "kept"] + nothingIsSwept)
        #expect(others.code == 3 && others.text.contains("b: left out: a world took longer than 1ms"))
        #expect(others.text.contains("1 scenarios left out"), "\(others.text)")
        #expect(try sweep("--resume", "kept").code == 0)
        #expect(try sweep(["--resume", "kept"] + nothingIsSwept).code == 0)
    }

    @Test("A file of another sweep, of another kind or in use is refused, with the reason")
    func refused() throws {
        _ = try sweep("--resume", "kept")
        func refusal(_ arguments: String...) throws -> String {
            let call = try project.call(["sweep", "--no-progress"] + arguments)
            #expect(call.code == 2 && call.text.isEmpty)
            return call.errors
        }
        #expect(
            try refusal("--every", "61", "--resume", "kept").contains(
                "kept is of a sweep with level --every 60, this call has --every 61"))
        #expect(try refusal("--every", "60", "--pairs", "2", "--resume", "kept").contains("--pairs 0"))
        #expect(try refusal("--every", "60", "--seed", "2", "--resume", "kept").contains("--seed 1"))
        try project.write("profiles/odd.json5", "{ from: \"plain\" }")
        #expect(
            try refusal("--every", "60", "--resume", "kept").contains("another set of device profiles"))
        #expect(
            try refusal("--resume", "Scenarios/a.json5").contains("was not written by otalab sweep --resume"))
        #expect(try refusal("--resume", "no/such/folder").contains("can't be opened: No such file"))
        let used = open(kept.path, O_RDWR)
        defer { close(used) }
        #expect(flock(used, LOCK_EX | LOCK_NB) == 0)
        #expect(try refusal("--every", "60", "--resume", "kept").contains("is in use by another call"))
    }

    @Test("After an error of its disk the sweep continues without the file, and says so: exit 74")
    func full() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Files of this process end after one block.
        let call = "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""
        process.arguments =
            ["-c", call, try Program.tested().path]
            + ["sweep", "--every", "60", "--no-progress", "--no-report", "--resume", "kept"]
        process.currentDirectoryURL = project.folder
        let (text, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (text, errors)
        try process.run()
        process.waitUntilExit()
        let printed = String(decoding: text.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(printed.contains("3 scenarios, "), "\(printed)")
        #expect(said == "error: kept could not be written: File too large\n")
        #expect(process.terminationStatus == 74)
        #expect(try sweep(["--resume", "kept"] + nothingIsSwept).code == 3, "not all of them are in it")
        #expect(try sweep("--resume", "kept").code == 0)
    }
}
