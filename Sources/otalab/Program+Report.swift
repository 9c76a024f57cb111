import Foundation
import Reporting
import Runner

extension Verb {
    static let report = Verb(
        name: "report", arguments: "[DIR]",
        summary: "write other formats from the results.json of a run (default: Reports/latest)",
        options: [
            Option(
                "--to", value: "FORMAT=PATH", offer: .choices(ReportFormat.all.map { $0.name + "=" }),
                "a format and its file, - for standard output; may be repeated")
        ]
    ) { program in try program.report() }
}

extension Program {
    func report() throws -> ExitCode {
        let outputs = try RunCall.outputs(arguments.texts("--to"), flag: "--to")
        guard !outputs.isEmpty, arguments.paths.count <= 1 else {
            throw UsageError(
                message: outputs.isEmpty ? "no format was given" : "more than one folder",
                help: "write otalab report DIR --to junit=out.xml; 'otalab merge' takes several folders")
        }
        let results = try read(arguments.paths.first ?? "Reports/latest")
        var isWritten = true
        for output in outputs {
            if output.path == "-" {
                let bytes = output.format.bytes(results)
                let why = Output.write(String(decoding: bytes, as: UTF8.self), to: STDOUT_FILENO)
                if let why {
                    isWritten = false
                    Output.error("error: standard output could not be written: \(why)\n")
                }
                continue
            }
            do throws(ReportError) {
                try ReportFolder.write(results, as: output.format, to: output.path)
            } catch {
                isWritten = false
                Output.notWritten(error)
            }
        }
        return isWritten ? .passed : .reportNotWritten
    }

    private func read(_ path: String) throws(UsageError) -> RunResults {
        do throws(ReportError) {
            return try ReportSource.read(path)
        } catch {
            throw unread(error)
        }
    }

    func unread(_ error: ReportError) -> UsageError {
        UsageError(
            message: "\(error.path): \(error.why)",
            help: "name a folder that this version of otalab wrote, or its results.json")
    }
}
