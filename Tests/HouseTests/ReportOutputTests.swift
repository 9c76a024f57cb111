import Foundation
import Testing

@Suite("Reports that can't be written")
struct ReportOutputTests {
    private let project: TestProject

    init() throws {
        project = try TestProject()
        try project.write("good.json5", TestProject.good)
    }

    private func isTold(_ call: TestProject.Call, _ why: String) {
        #expect(call.code == 74, "\(call.code) \(call.errors)")
        #expect(call.text.contains("1 passed, 0 failed, 0 skipped"))
        #expect(call.errors.contains(why) && call.errors.contains("= help:"), "\(call.errors)")
    }

    @Test("74: a file where the folder should be, a folder where a file should be")
    func wrongKind() throws {
        try Data().write(to: project.folder.appendingPathComponent("Reports"))
        isTold(try project.otalab("run"), "Not a directory")
        try FileManager.default.createDirectory(
            at: project.folder.appendingPathComponent("junit.xml"), withIntermediateDirectories: true)
        isTold(try project.otalab("run", "--no-report", "-o", "junit=junit.xml"), "Is a directory")
        // The other formats are written.
        let half = try project.otalab("run", "--no-report", "-o", "junit=junit.xml", "-o", "tap=out.tap")
        #expect(half.code == 74 && project.has("out.tap"))
    }

    @Test(
        "a closed standard output does not stop the run; a report that can't be written is 74"
    )
    func closedOutput() throws {
        func shell(_ command: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["bash", "-c", command, "bash", try Program.tested().path]
            process.currentDirectoryURL = project.folder
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(try shell("\"$1\" run | true; exit ${PIPESTATUS[0]}") == 0)
        #expect(project.has("Reports/latest/report.html"))
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        #expect(try shell("\"$1\" run --no-report > /dev/full") == 74)
        #expect(try shell("\"$1\" run --no-report -o json=- > /dev/full") == 74)
        #expect(try shell("\"$1\" report --to json=- > /dev/full") == 74)
    }

    @Test("eight runs at once: each has a separate folder, and --failed knows the results of all")
    func atOnce() throws {
        let names = (1...8).map { "bad-\($0)" }
        for name in names { try project.write("\(name).json5", TestProject.bad) }
        // The same second for all of them, so that the clock does not make their names unique.
        let calls = try names.map { name in
            let process = Process()
            process.executableURL = try Program.tested()
            process.arguments = ["run", "--quiet", "Scenarios/\(name).json5"]
            process.currentDirectoryURL = project.folder
            process.environment = ProcessInfo.processInfo.environment
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        for process in calls {
            process.waitUntilExit()
            #expect(process.terminationStatus == 1)
        }
        let folders = try self.project.names("Reports").filter { !$0.hasPrefix(".") && $0 != "latest" }
        #expect(folders.count == 8, "\(folders)")
        let found = try folders.map { try project.read("Reports/\($0)/results.json") }
        for name in names {
            #expect(found.count { $0.contains("\"name\": \"\(name)\"") } == 1, "\(name)")
        }
        #expect(try project.names("Reports").allSatisfy { !$0.hasSuffix(".unfinished") })
        #expect(project.has("Reports/latest/report.html"))
        let failed = try project.otalab("list", "--failed").text
        for name in names { #expect(failed.contains(name), "\(failed)") }
        // The same second, one after the other.
        let before = try project.names("Reports").count
        for _ in 1...3 { _ = try project.otalab("run", "Scenarios/good.json5") }
        #expect(try project.names("Reports").count == before + 3)
    }

    @Test("1 outranks 74: a failure stays a failure")
    func precedence() throws {
        try project.write("bad.json5", TestProject.bad)
        try Data().write(to: project.folder.appendingPathComponent("Reports"))
        let run = try project.otalab("run")
        #expect(run.code == 1 && run.errors.contains("could not be written"))
    }

    @Test("74: a full disk is reported, and leaves no incomplete report")
    func fullDisk() throws {
        // The file of one format is a device that is always full.
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        isTold(try project.otalab("run", "--no-report", "-o", "json=/dev/full"), "No space left on device")
        // A small separate file system, if this process may mount one.
        let mount = project.folder.appendingPathComponent("Reports").path
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        guard try command("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", mount) == 0 else { return }
        defer { _ = try? command("umount", mount) }
        isTold(try project.otalab("run"), "No space left on device")
        #expect(try project.names("Reports").isEmpty)
    }

    @Test("74: no permission, where that can be tried")
    func permission() throws {
        guard getuid() != 0 else {
            // Root may write everywhere except to read-only mounts.
            guard FileManager.default.fileExists(atPath: "/proc/version") else { return }
            let run = try project.otalab("run", "--report-dir", "/proc/reports")
            #expect(run.code == 74 && run.text.contains("1 passed"))
            return
        }
        let path = project.folder.appendingPathComponent("Reports").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o500])
        isTold(try project.otalab("run"), "Permission denied")
    }

    private func command(_ words: String...) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
