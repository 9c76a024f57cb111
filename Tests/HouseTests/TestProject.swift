import Foundation

/// A temporary project folder with scenarios, in which the program is called.
struct TestProject {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("otalab-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("Scenarios"), withIntermediateDirectories: true)
    }

    /// Result of one call of the program.
    struct Call {
        var code: Int32
        /// Standard output.
        var text: String
        /// Standard error.
        var errors: String
    }

    func otalab(_ arguments: String..., variables: [String: String] = [:]) throws -> Call {
        try call(arguments, variables)
    }

    func otalab(_ arguments: [String]) throws -> Call { try call(arguments) }

    func call(_ arguments: [String], _ variables: [String: String] = [:]) throws -> Call {
        let process = Process()
        process.executableURL = try Program.tested()
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment.filter { name, _ in
            !["OTALAB_", "GITHUB_", "CI_", "SLURM_"].contains { name.hasPrefix($0) }
        }
        for name in ["GITLAB_CI", "JOB_COMPLETION_INDEX", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"] {
            environment[name] = nil
        }
        process.environment = environment.merging(variables) { $1 }
        let files = [file("out"), file("err")]
        for file in files { try Data().write(to: file) }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
        return Call(code: process.terminationStatus, text: texts[0], errors: texts[1])
    }

    private func file(_ name: String) -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
    }

    // MARK: - Files

    /// Writes a file below `Scenarios/`.
    func write(_ name: String, _ text: String) throws {
        let file = folder.appendingPathComponent("Scenarios/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func read(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(path)), as: UTF8.self)
    }

    func has(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
    }

    func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(path).path).sorted()
    }

    static func scenario(_ steps: String, extra: String = "") -> String {
        """
        { schema: 1, title: "A story", \(extra) app: { embeds: "v1" },
          versions: { v1: { files: { "index.html": "1 KB" } } },
          steps: [ { launch: true }, \(steps) ] }
        """
    }

    static let good = scenario("{ expect: { running: \"v1\" }, within: \"5s\" }")
    static let bad = scenario("{ expect: { screen: \"offline\" }, within: \"5s\" }")
    /// Takes many minutes, also in a release program on a fast machine.
    static let endless = scenario(
        "{ repeat: 1000, steps: [ { repeat: 1000, steps: [ { relaunch: true }, { wait: \"1m\" } ] } ] }",
        extra: "limits: { events: 100000000, virtualTime: \"50000h\" },")

    static func tagged(_ tags: String, rule: String = "U1") -> String {
        scenario(
            "{ expect: { running: \"v1\" }, within: \"5s\" }",
            extra:
                "tags: [\(tags.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ", "))], covers: [\"\(rule)\"],"
        )
    }
}
