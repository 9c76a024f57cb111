import Foundation
import Runner
import ScenarioLanguage

/// Another `otalab`, asked for a recording of a run.
struct OtherProgram {
    let path: String

    /// Performs the file's runs in the other program.
    func runs(of file: ScenarioFile, seed: UInt64) throws(DiffCall.Fault) -> [RecordedRun] {
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw .usage(
                UsageError(
                    message: "--program can't be '\(path)': it is no program that can be started",
                    help: "name the executable of another build: --program ../before/.build/release/otalab"))
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "otalab-diff-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let recording = folder.appendingPathComponent("recording.json").path
        let scenario = file.path + (file.line.map { ":\($0)" } ?? "")
        let errors: String
        let process = OtherProgram.process(
            path, ["diff", scenario, "--seed", "\(seed)", "--record", recording])
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            errors = try run(process, folder)
        } catch {
            throw .failed("error: \(path) could not be started: \(error)\n", .internalError)
        }
        let status = process.terminationStatus
        if process.terminationReason == .uncaughtSignal {
            throw .failed(
                "error: \(path) died of signal \(status) while it ran \(scenario)\n\(errors)", .internalError)
        }
        guard status == 0 else {
            throw .failed(
                "error: \(path) recorded no run: it exited with \(status)\n\(errors)"
                    + "  = help: of a program without 'diff --record' compare a report:"
                    + " \(ShellWord.quoted(path)) run \(ShellWord.quoted(scenario)) --seed \(seed)"
                    + " -o json=B.json\n",
                status == 3 ? .invalid : .usage)
        }
        return try DiffCall.runs(recording)
    }

    /// A process that is not started yet. Flags from variables are meant for this call.
    static func process(_ path: String, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("OTALAB_") }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    /// - Returns: what it wrote to standard error, at most 20 lines, each indented.
    private func run(_ process: Process, _ folder: URL) throws -> String {
        let errors = folder.appendingPathComponent("errors")
        try Data().write(to: errors)
        let handle = try FileHandle(forWritingTo: errors)
        defer { try? handle.close() }
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        return text.split(separator: "\n").prefix(20).map { "  | \(TerminalText.printable(String($0)))\n" }
            .joined()
    }
}
