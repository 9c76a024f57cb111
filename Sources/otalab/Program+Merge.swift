import Foundation
import Reporting
import Runner

extension Verb {
    static let merge = Verb(
        name: "merge", arguments: "DIR…",
        summary:
            "merge the shards of a run, or the parts of a search, into the report and exit code of the whole",
        options: [
            Option(
                "--output", short: "-o", value: "DIR", offer: .folders,
                "the folder of the merged report; it must be new, empty or a report"),
            .color, .ascii, .noTimings,
            Option("--quiet", short: "-q", "print only failures and the verdict"),
            .coverage, .requireCoverage,
        ]
    ) { program in try program.merge() }
}

extension Program {
    /// `otalab merge`: shards of `run`, `sweep`, `explore` and `crashpoints`, and explorations of several
    /// ranges of seeds. A part that is missing, there twice or of something else is an error that names it,
    /// and then nothing is written.
    func merge() throws -> ExitCode {
        guard let folder = arguments.text("--output"), !arguments.paths.isEmpty else {
            throw UsageError(
                message: arguments.paths.isEmpty
                    ? "no shard was given" : "no folder was given for the merged report",
                help: "write otalab merge DIR… -o DIR")
        }
        let output = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        try checkWritable(output)
        let coverage = try CoverageCall(arguments)
        let paint = try paint()
        var runs: RunResults.Shards = []
        var crashes: [(path: String, results: CrashResults)] = []
        for path in arguments.paths {
            do throws(ReportError) {
                for (path, stored) in try ReportSource.readAll(path) {
                    switch stored {
                    case .run(let results): runs.append((path, results))
                    case .crashPoints(let results): crashes.append((path, results))
                    }
                }
            } catch {
                throw unread(error)
            }
        }
        do throws(MergeError) {
            if let crash = crashes.first {
                if let run = runs.first {
                    throw MergeError(
                        message: "\(crash.path) is of 'crashpoints', \(run.path) is not",
                        help: "merge the parts of one search")
                }
                return try mergeCrashes(crashes, to: output)
            }
            if SearchMerge.applies(to: runs) {
                let merge = try SearchMerge(runs, to: output)
                return try mergeSearch(merge, runs, to: output, coverage)
            }
            return try mergeRuns(RunResults.merged(runs), runs, to: output, paint, coverage)
        } catch {
            throw UsageError(message: error.message, help: error.help)
        }
    }

    private func mergeRuns(
        _ results: RunResults, _ shards: RunResults.Shards, to folder: String, _ paint: Paint,
        _ coverage: CoverageCall
    ) -> ExitCode {
        let fault = written { () throws(ReportError) in try ReportFolder.write(results, to: folder) }
        let output = TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii"))
        let text = TerminalReport(
            paint: paint, detail: arguments.has("--quiet") ? .quiet : .normal,
            showsWall: !arguments.has("--no-timings"), width: Output.columns(STDOUT_FILENO)
        ).text(results, report: fault == nil ? folder + "/report.html" : nil)
        output.write(text)
        for part in RunResults.incompleteParts(shards) { Output.error("warning: \(part)\n") }
        return end(fault, [results.exitCode] + coverage.end(CoverageTable(results.cells)))
    }

    // MARK: - Searches

    private func mergeSearch(
        _ merge: SearchMerge, _ parts: RunResults.Shards, to folder: String, _ coverage: CoverageCall
    ) throws(MergeError) -> ExitCode {
        let results = merge.results
        guard let search = results.search else { return .internalError }
        // Read before anything is written, because one of the parts may be in the folder.
        let files = try merge.copies.map { copy throws(MergeError) in
            try scenarios(in: copy.from).map { (name: "\(copy.to)/\($0.name)", bytes: $0.bytes) }
        }
        let fault = written { () throws(ReportError) in
            SearchReport.removeFindings(in: folder)
            for (name, bytes) in files.joined() { try ReportFolder.write(bytes, to: "\(folder)/\(name)") }
            try SearchReport.write(results, to: folder)
        }
        let cells = CoverageTable(results.cells)
        let hasTimes = !arguments.has("--no-timings") && results.wall.microseconds > 0
        let text = SearchText(
            search, cells: cells, seconds: hasTimes ? Double(results.wall.microseconds) / 1e6 : nil)
        let output = TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii"))
        for index in search.findings.indices { output.write(text.finding(index, folder: folder)) }
        output.write(text.sum + text.coverage())
        if fault == nil { output.write("Report: \(folder)/report.html\n") }
        for seeds in merge.seedsBetween {
            Output.error("warning: no part has the worlds from the seeds \(seeds.text)\n")
        }
        for part in parts where part.results.isPartial {
            Output.error("warning: the search in \(part.path) was interrupted\n")
        }
        var codes: [ExitCode] = []
        if !search.findings.isEmpty || search.counts[.failures] > 0 { codes.append(.failed) }
        if results.isPartial { codes.append(.interrupted) }
        if search.lacksScenarios { codes.append(.invalid) }
        return end(fault, codes + coverage.end(cells))
    }

    private func mergeCrashes(
        _ shards: [(path: String, results: CrashResults)], to folder: String
    ) throws(MergeError) -> ExitCode {
        let results = try CrashResults.merged(shards, to: folder)
        let fault = written { () throws(ReportError) in
            let files = try shards.map { shard throws(ReportError) in
                let own = shard.results.files
                return try ReportSource.scenarios(in: shard.path).filter { own.contains($0.name) }
            }
            for file in files.joined() { try ReportFolder.write(file.bytes, to: "\(folder)/\(file.name)") }
            try ReportFolder.write(CrashResultsJSON.bytes(results), to: folder + "/results.json")
        }
        TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii")).write(CrashTable.text(results))
        for shard in shards where shard.results.isPartial {
            Output.error("warning: the search in \(shard.path) was interrupted\n")
        }
        var codes: [ExitCode] = []
        if results.all.failures > 0 { codes.append(.failed) }
        if results.isPartial { codes.append(.interrupted) }
        if results.hasInvalidFiles || results.scenarios.contains(where: { $0.problem != nil }) {
            codes.append(.invalid)
        }
        return end(fault, codes)
    }

    // MARK: - Files

    /// The files of a finding.
    private func scenarios(in folder: String) throws(MergeError) -> [(name: String, bytes: [UInt8])] {
        let help = "merge the whole folders of the parts, with those of their findings"
        do throws(ReportError) {
            let files = try ReportSource.scenarios(in: folder)
            if !files.isEmpty { return files }
        } catch {
            throw MergeError(message: "\(error.path): \(error.why)", help: help)
        }
        throw MergeError(message: "\(folder): the files of a finding are not there", help: help)
    }

    private func written(_ write: () throws(ReportError) -> Void) -> ReportError? {
        do throws(ReportError) {
            try write()
            return nil
        } catch {
            return error
        }
    }

    private func end(_ fault: ReportError?, _ codes: [ExitCode]) -> ExitCode {
        guard let fault else { return ExitCode.first(of: codes) }
        Output.notWritten(fault)
        return ExitCode.first(of: codes + [.reportNotWritten])
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
