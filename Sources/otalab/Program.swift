import Core
import Foundation
import Laboratory
import Reporting
import ScenarioLanguage

/// One call of the program.
struct Program: Sendable {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func code() async throws -> ExitCode {
        switch arguments.verb {
        case .run: return try await run()
        case .crashpoints: return try await crashPoints()
        case .lint: return try lint()
        case .list: return try list()
        case .bench: return try await Bench(arguments).run()
        case .help:
            let verb = arguments.paths.first.flatMap(Verb.init(rawValue:))
            if let word = arguments.paths.first, verb == nil {
                throw UsageError(message: "there is no verb '\(word)'", help: "'otalab help' lists the verbs")
            }
            Output.result(Help.text(verb))
            return .passed
        case .version:
            Output.result("otalab \(Laboratory.version)\n")
            return .passed
        }
    }

    // MARK: run

    private func run() async throws -> ExitCode {
        let paint = try paint()
        var options = Laboratory.Options()
        options.seed = try arguments.number("--seed", in: 0...UInt64.max) ?? 1
        if let jobs = try arguments.number("--jobs", in: 1...256) { options.jobs = Int(jobs) }
        options.commandLine = ["otalab"] + CommandLine.arguments.dropFirst()
        options.checksDeterminism = arguments.has("--check-determinism")
        let found = try found()
        options.profiles = found.profiles
        let files = selected(found)
        let results = await results(files, options)
        if arguments.has("--digests") {
            for scenario in results.scenarios {
                Output.result("\(Hex.text(scenario.digest)) \(scenario.name)\n")
            }
            return results.exitCode
        }
        var codes = [results.exitCode]
        if results.exitCode == .nothingSelected {
            if arguments.has("--allow-empty") { codes = [] }
            Output.error("error: no scenario was selected\n  = help: 'otalab list' shows what there is\n")
        }
        var page: String?
        var fault: ReportError?
        if !arguments.has("--no-report") {
            let folder = arguments.text("--report-dir") ?? "Reports"
            do throws(ReportError) {
                page = try ReportFolder(folder).write(results)
            } catch {
                fault = error
                codes.append(.reportNotWritten)
            }
        }
        let detail: TerminalReport.Detail =
            arguments.has("--quiet") ? .quiet : (arguments.has("--verbose") ? .all : .normal)
        let report = TerminalReport(paint: paint, detail: detail, showsWall: !arguments.has("--no-timings"))
        Output.result(report.text(results, report: page))
        if let fault {
            Output.error(
                "error: the report could not be written to \(fault.place): \(fault.why)\n"
                    + "  = help: choose another folder with --report-dir, or --no-report\n")
        }
        return ExitCode.first(of: codes)
    }

    /// Ctrl-C and `--fail-fast` end the run; what there is by then is reported.
    private func results(_ files: [ScenarioFile], _ options: Laboratory.Options) async -> RunResults {
        let stop = Stop()
        var options = options
        let failsFast = arguments.has("--fail-fast")
        options.progress = { result in if failsFast, !result.verdict.isGood { stop.now(byUser: false) } }
        let final = options
        let task = Task { await Laboratory.run(files, final) }
        stop.set(task)
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler { stop.now(byUser: true) }
        source.resume()
        var results = await task.value
        source.cancel()
        results.isPartial = stop.isByUser
        results.scenarios.removeAll { !isMeant($0) }
        results.coverage = RuleCoverage.table(of: results.scenarios)
        return results
    }

    private func paint() throws -> Paint {
        let text = arguments.text("--color") ?? "auto"
        guard let wish = Paint.Wish(rawValue: text) else {
            throw UsageError(message: "--color can't be '\(text)'", help: "write auto, always or never")
        }
        return Paint(wish, isTerminal: Output.isTerminal, environment: Output.variable)
    }

    // MARK: Selection

    /// The files that the paths name, and the profiles next to them.
    func found() throws -> (files: [ScenarioFile], profiles: ProfileSet) {
        let paths = arguments.paths.isEmpty ? ["Scenarios"] : arguments.paths
        do {
            let files = try ScenarioFile.find(paths)
            return (files, ProfileSet(folders: ProfileFolder.find(paths, files)))
        } catch {
            throw UsageError(
                message: "there is nothing at '\(error.path)'",
                help: "name a scenario file, file:line or folder, or run where Scenarios/ is")
        }
    }

    /// Files with a scenario that the flags ask for; unreadable ones stay, so that they are never silently
    /// missing.
    func selected(_ found: (files: [ScenarioFile], profiles: ProfileSet)) -> [ScenarioFile] {
        guard ["--match", "--rule", "--tag"].contains(where: arguments.has) else { return found.files }
        return found.files.filter { file in
            let reading = read(file, found.profiles)
            return reading.hasErrors
                || reading.scenarios.contains { scenario in
                    isMeant(
                        scenario.name, scenario.title.value, scenario.covers.map(\.value),
                        scenario.tags.map(\.value))
                }
        }
    }

    private func isMeant(_ result: ScenarioResult) -> Bool {
        result.verdict == .invalid || isMeant(result.name, result.title, result.covers, result.tags)
    }

    func isMeant(_ name: String, _ title: String, _ covers: [String], _ tags: [String]) -> Bool {
        if let text = arguments.text("--match"), !name.contains(text), !title.contains(text) { return false }
        if let rule = arguments.text("--rule"), !covers.contains(rule) { return false }
        if let tag = arguments.text("--tag"), !tags.contains(tag) { return false }
        return true
    }

    private func read(_ file: ScenarioFile, _ profiles: ProfileSet) -> ScenarioReading {
        ScenarioReader.read(path: file.path, bytes: file.bytes, devices: profiles.names)
    }

    // MARK: lint, list

    private func lint() throws -> ExitCode {
        _ = try paint()
        let (files, profiles) = try found()
        var told = profiles.diagnostics.map(\.told)
        for file in files { told.append(read(file, profiles).diagnostics) }
        for diagnostics in told where !diagnostics.isEmpty {
            Output.result(DiagnosticRenderer.render(diagnostics) + "\n")
        }
        let errors = told.joined().count { $0.severity == .error }
        let warnings = told.joined().count { $0.severity != .error }
        let count = files.count + profiles.files.count
        Output.result("\(count) files, \(errors) errors, \(warnings) warnings\n")
        return errors > 0 ? .failed : .passed
    }

    private func list() throws -> ExitCode {
        var count = 0
        let found = try found()
        for file in selected(found) {
            let reading = read(file, found.profiles)
            if reading.hasErrors { Output.result("\(file.path)   (invalid file)\n") }
            for scenario in reading.scenarios {
                let rules = scenario.covers.map(\.value)
                guard isMeant(scenario.name, scenario.title.value, rules, scenario.tags.map(\.value)) else {
                    continue
                }
                count += 1
                Output.result(
                    "\(scenario.name)   \(scenario.title.value)   [\(rules.joined(separator: " "))]\n")
            }
        }
        return count == 0 ? .nothingSelected : .passed
    }
}

/// Ends a run once, from any thread.
final class Stop: @unchecked Sendable {
    private let lock = NSLock()
    private var task: Task<RunResults, Never>?
    private var isAsked = false
    private var byUser = false

    var isByUser: Bool { lock.withLock { byUser } }

    func set(_ task: Task<RunResults, Never>) {
        lock.withLock {
            self.task = task
            if isAsked { task.cancel() }
        }
    }

    func now(byUser: Bool) {
        lock.withLock {
            isAsked = true
            self.byUser = self.byUser || byUser
            task?.cancel()
        }
    }
}
