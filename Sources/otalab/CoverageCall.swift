import Reporting
import Runner

/// `--coverage` and `--require-coverage` of a call: where the coverage is written, and the cells that must be
/// reached.
///
/// The required file is read before anything runs. A gate that is not passed makes the call fail (exit 1) and
/// is printed cell by cell.
struct CoverageCall: Sendable {
    private let file: String?
    private let required: (path: String, table: CoverageTable)?

    init(_ arguments: Arguments) throws {
        file = arguments.text("--coverage")
        required = try arguments.text("--require-coverage").map { path in
            do throws(ResultsFault) {
                switch FileReading.bytes(at: path) {
                case .success(let bytes): return (path, try CoverageFile.read(bytes))
                case .failure(let fault): throw ResultsFault(member: "", why: fault.why)
                }
            } catch {
                let member = error.member.isEmpty ? "" : " \(error.member)"
                throw UsageError(
                    message: "\(path):\(member) \(error.why)",
                    help:
                        "name a file that --coverage wrote; cells that are no more are to be removed from it")
            }
        }
    }

    /// Whether a call has one of the flags.
    static func isIn(_ arguments: Arguments) -> Bool {
        arguments.has("--coverage") || arguments.has("--require-coverage")
    }

    /// Most missing cells that are printed.
    private static let shown = 40

    /// Writes the file and checks the gate.
    /// - Returns: the exit codes that this adds to the call's.
    func end(_ table: CoverageTable) -> [ExitCode] {
        var codes: [ExitCode] = []
        if let file {
            do throws(ReportError) {
                try ReportFolder.write(CoverageFile.bytes(table), to: file)
            } catch {
                Output.notWritten(error)
                codes.append(.reportNotWritten)
            }
        }
        guard let required else { return codes }
        let missing = required.table.entries.map(\.cell).filter { table.counts[$0] == nil }
        if missing.isEmpty { return codes }
        Output.error(
            "error: \(Quoting.count(missing.count, "coverage cell")) of \(required.path) not reached:\n")
        for cell in missing.prefix(CoverageCall.shown) { Output.error("  \(cell.text)\n") }
        if missing.count > CoverageCall.shown {
            Output.error("  and \(missing.count - CoverageCall.shown) more\n")
        }
        Output.error("  = help: add a case that reaches them, or write the file anew with --coverage\n")
        return codes + [.failed]
    }
}
