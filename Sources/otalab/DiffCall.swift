import Foundation
import Reporting
import Runner
import ScenarioLanguage

/// The arguments of `otalab diff`, and the two sides that they name.
struct DiffCall {
    /// Where the two sides come from.
    enum Sides {
        case reports(String, String)
        case seeds(ScenarioFile, ProfileSet, UInt64, UInt64)
        case programs(ScenarioFile, ProfileSet, UInt64, other: String)
        /// Only one side, for a recording.
        case run(ScenarioFile, ProfileSet, UInt64)
    }

    /// Why there is no comparison.
    enum Fault: Error {
        case usage(UsageError)
        /// A file that is not what it should be; the whole text of the error.
        case file(String)
        /// Something failed; the text of the error and the exit code.
        case failed(String, ExitCode)
    }

    let sides: Sides
    /// Path of the recording to write.
    let recording: String?
    private let scenario: String?

    init(_ arguments: Arguments) throws(UsageError) {
        recording = arguments.text("--record")
        scenario = arguments.text("--scenario")
        let seeds = try DiffCall.seeds(arguments)
        let program = arguments.text("--program")
        switch arguments.paths.count {
        case 1:
            let selection = try Selection(arguments)
            guard selection.files.count == 1, let file = selection.files.first else {
                throw UsageError(
                    message: "\(arguments.paths[0]) is a folder with "
                        + Quoting.count(selection.files.count, "scenario file"),
                    help: "name one file, or two reports: otalab diff A B")
            }
            sides = try DiffCall.sides(file, selection.profiles, seeds, program, recording)
        case 2:
            let paths = arguments.paths
            try DiffCall.refuse(
                ["--seed", "--program", "--record"].filter { arguments.isFromCall($0) }, paths)
            sides = .reports(paths[0], paths[1])
        default:
            throw UsageError(
                message: arguments.paths.isEmpty
                    ? "diff needs two runs" : "diff compares two runs, not \(arguments.paths.count)",
                help: DiffCall.forms)
        }
    }

    private static let forms =
        "write otalab diff A B for two reports, otalab diff FILE --seed 1 --seed 2, or"
        + " otalab diff FILE --program OTHER"

    private static func seeds(_ arguments: Arguments) throws(UsageError) -> [UInt64] {
        let texts = arguments.texts("--seed")
        var seeds: [UInt64] = []
        for text in texts {
            guard let seed = UInt64(text) else {
                throw UsageError(
                    message: "--seed can't be '\(text)'",
                    help: "write a whole number from 0 to \(UInt64.max), and --seed twice for two seeds")
            }
            seeds.append(seed)
        }
        if seeds.count > 2 {
            throw UsageError(
                message: "diff compares two seeds, not \(seeds.count)", help: "write two of them")
        }
        return seeds
    }

    private static func refuse(_ flags: [String], _ paths: [String]) throws(UsageError) {
        if let flag = flags.first {
            throw UsageError(
                message: "\(flag) is for a scenario file, not for two reports",
                help: "leave it out: the runs of \(paths[0]) and \(paths[1]) have taken place")
        }
        if let file = paths.first(where: { $0.hasSuffix(".json5") || $0.contains(".json5:") }) {
            throw UsageError(
                message: "\(file) is a scenario file: two paths are two reports", help: forms)
        }
    }

    private static func sides(
        _ file: ScenarioFile, _ profiles: ProfileSet, _ seeds: [UInt64], _ program: String?,
        _ recording: String?
    ) throws(UsageError) -> Sides {
        if recording != nil {
            if program != nil || seeds.count > 1 {
                throw UsageError(
                    message: "--record writes one run",
                    help: "leave out \(program == nil ? "the second --seed" : "--program")")
            }
            return .run(file, profiles, seeds.first ?? 1)
        }
        if let program {
            if seeds.count > 1 {
                throw UsageError(
                    message: "two seeds and two programs are four runs",
                    help: "leave out the second --seed, or --program")
            }
            return .programs(file, profiles, seeds.first ?? 1, other: program)
        }
        guard seeds.count == 2 else {
            throw UsageError(message: "one run of \(file.path) is compared with nothing", help: forms)
        }
        return .seeds(file, profiles, seeds[0], seeds[1])
    }

    /// What the sides are called.
    var labels: (one: String, other: String) {
        switch sides {
        case .reports(let one, let other): (one, other)
        case .seeds(_, _, let one, let other): ("seed \(one)", "seed \(other)")
        case .programs(_, _, _, let other): ("this program", other)
        case .run(_, _, let seed): ("seed \(seed)", "")
        }
    }

    // MARK: - The comparison

    func comparison() throws(Fault) -> SetComparison {
        var (one, other): ([RecordedRun], [RecordedRun])
        var ignoresSecrets = false
        switch sides {
        case .reports(let left, let right):
            (one, other) = (try DiffCall.runs(left), try DiffCall.runs(right))
        case .seeds(let file, let profiles, let left, let right):
            one = try DiffCall.runs(file, profiles, left)
            other = try DiffCall.runs(file, profiles, right)
            ignoresSecrets = true
        case .programs(let file, let profiles, let seed, let program):
            one = try DiffCall.runs(file, profiles, seed)
            other = try OtherProgram(path: program).runs(of: file, seed: seed)
        case .run: (one, other) = ([], [])
        }
        if let scenario { try choose(scenario, &one, &other) }
        return SetComparison(one, other, ignoresSecrets: ignoresSecrets)
    }

    /// Writes a recording of the file's runs.
    func record(_ path: String) throws(Fault) {
        guard case .run(let file, let profiles, let seed) = sides else { return }
        let runs = try DiffCall.runs(file, profiles, seed)
        let results = RunResults(
            toolVersion: ToolVersion.current, commandLine: ["otalab", "run", file.path], seed: seed)
        do throws(ReportError) {
            try ReportFolder.write(RecordingJSON.bytes(results, runs), to: path)
        } catch {
            throw .failed("error: \(error.path) could not be written: \(error.why)\n", .reportNotWritten)
        }
    }

    static func runs(_ path: String) throws(Fault) -> [RecordedRun] {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .usage(UsageError(message: "there is nothing at '\(path)'", help: forms))
        }
        do throws(ReportError) {
            return try ReportSource.runs(path)
        } catch {
            throw .file(
                "error: \(error.path): \(error.why)\n  = help: name a folder that 'otalab run' of this version"
                    + " wrote, its results.json, or a recording of 'otalab diff --record'\n")
        }
    }

    private static func runs(
        _ file: ScenarioFile, _ profiles: ProfileSet, _ seed: UInt64
    ) throws(Fault) -> [RecordedRun] {
        if let error = file.error { throw .file("error: \(file.path): \(error)\n") }
        let reading = file.read(devices: profiles.names)
        if reading.hasErrors { throw .file(DiagnosticRenderer.render(reading.diagnostics) + "\n") }
        let runs = reading.scenarios(atLine: file.line).flatMap {
            RecordedRun.all(of: $0, seed: seed, profiles: profiles.profiles)
        }
        if let invalid = runs.first(where: { $0.result.verdict == .invalid }) {
            let lines = invalid.result.diagnostics.flatMap { FailureText.lines($0) }
            throw .file(lines.joined(separator: "\n") + "\n")
        }
        return runs
    }

    private func choose(
        _ name: String, _ one: inout [RecordedRun], _ other: inout [RecordedRun]
    ) throws(Fault) {
        func isChosen(_ run: RecordedRun) -> Bool {
            run.result.name == name || run.result.id == name || run.result.caseName == name
        }
        let known = one + other
        let has = (one.contains(where: isChosen), other.contains(where: isChosen))
        guard has.0, has.1 else {
            let side = has.0 ? labels.other : has.1 ? labels.one : "neither side"
            let near = has.0 || has.1 ? nil : Nearest.to(name, among: known.map(\.result.name))
            throw .usage(
                UsageError(
                    message: has.0 || has.1
                        ? "\(side) has no scenario '\(name)'" : "neither side has a scenario '\(name)'",
                    help: near.map { "did you mean '\($0)'?" }
                        ?? "leave out --scenario: the comparison lists what only one side has"))
        }
        one.removeAll { !isChosen($0) }
        other.removeAll { !isChosen($0) }
    }
}
