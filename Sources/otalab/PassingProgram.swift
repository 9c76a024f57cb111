import Foundation
import Runner
import ScenarioLanguage
import Synchronization

/// Another `otalab`, of a build without a defect: a scenario that fails there too shows nothing about it.
///
/// Each scenario is written beside the file that is to be, where real builds and profiles are found, under a
/// hidden name that is removed when its run has ended.
final class PassingProgram: Sendable {
    private let program: String
    private let path: String
    private let seed: UInt64
    private let count = Atomic<Int>(0)

    /// - Throws: a ``UsageError`` where it can't be started.
    init(_ program: String, beside path: String, seed: UInt64) throws(UsageError) {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw UsageError(
                message: "--passes-in can't be '\(program)': it is no program that can be started",
                help: "name the executable of a build without the defect: ../before/.build/release/otalab")
        }
        self.program = program
        self.path = path
        self.seed = seed
    }

    /// Whether the scenario passes there.
    func passes(_ scenario: Scenario) async throws -> Bool {
        let number = count.add(1, ordering: .relaxed).newValue
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let file = folder.appendingPathComponent(".otalab-shrink-\(getpid())-\(number).json5")
        let text = ScenarioPrinter.text(of: ScenarioPrinter.tree(of: scenario))
        try Data(text.utf8).write(to: file, options: .withoutOverwriting)
        defer { do { try FileManager.default.removeItem(at: file) } catch {} }
        let process = OtherProgram.process(
            program, ["run", file.path, "--seed", "\(seed)", "--no-report", "--quiet"])
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { ended in
                continuation.resume(
                    returning: ended.terminationReason == .exit && ended.terminationStatus == 0)
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
