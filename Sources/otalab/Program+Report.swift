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

    static let merge = Verb(
        name: "merge", arguments: "DIR…",
        summary: "merge the shards of a run into the report and exit code of the unsharded run",
        options: [
            Option(
                "--output", short: "-o", value: "DIR", offer: .folders,
                "the folder of the merged report; it must be new, empty or a report"),
            .color, .ascii, .noTimings,
            Option("--quiet", short: "-q", "print only failures and the verdict"),
        ]
    ) { program in try program.merge() }
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
                Output.error("error: \(error.path) could not be written: \(error.why)\n")
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

    private func unread(_ error: ReportError) -> UsageError {
        UsageError(
            message: "\(error.path): \(error.why)",
            help: "name a folder that 'otalab run' of this version wrote, or its results.json")
    }

    func merge() throws -> ExitCode {
        guard let folder = arguments.text("--output"), !arguments.paths.isEmpty else {
            throw UsageError(
                message: arguments.paths.isEmpty
                    ? "no shard was given" : "no folder was given for the merged report",
                help: "write otalab merge DIR… -o DIR")
        }
        try checkWritable(folder)
        var shards: [(path: String, results: RunResults)] = []
        for path in arguments.paths {
            do throws(ReportError) {
                shards += try ReportSource.readAll(path)
            } catch {
                throw unread(error)
            }
        }
        let results: RunResults
        do throws(MergeError) {
            results = try RunResults.merged(shards)
        } catch {
            throw UsageError(message: error.message, help: error.help)
        }
        var codes = [results.exitCode]
        var fault: ReportError?
        do throws(ReportError) {
            try ReportFolder.write(results, to: folder)
        } catch {
            fault = error
            codes.append(.reportNotWritten)
        }
        let output = TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii"))
        let text = TerminalReport(
            paint: try paint(), detail: arguments.has("--quiet") ? .quiet : .normal,
            showsWall: !arguments.has("--no-timings"), width: Output.columns(STDOUT_FILENO)
        ).text(results, report: fault == nil ? folder + "/report.html" : nil)
        output.write(text)
        for part in RunResults.incompleteParts(shards) { Output.error("warning: \(part)\n") }
        if let fault { Output.error("error: \(fault.path) could not be written: \(fault.why)\n") }
        return ExitCode.first(of: codes)
    }

    /// Refuses a folder with other files in it, because the merged report would replace it.
    private func checkWritable(_ folder: String) throws(UsageError) {
        let files = FileManager.default
        var isFolder: ObjCBool = false
        guard files.fileExists(atPath: folder, isDirectory: &isFolder) else { return }
        let names = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        if isFolder.boolValue, names.isEmpty || names.contains("results.json") { return }
        throw UsageError(
            message: "\(folder) exists and is not a report", help: "name a new folder with -o")
    }
}
