import Core
import Foundation
import Oracle
import Runner
import Subject

/// The flags about somebody else's updater, checked: `--subject`, `--speed`, `--patience`, `--state`,
/// `--repeat`, `--xfails`.
struct SubjectCall: Sendable {
    let options: SubjectBackend.Options
    /// How often each scenario is run.
    private let repetitions: Int
    private let expectedFailures: ExpectedFailures?

    /// Scenarios that are put to the subject at once by default: they wait much more than they work.
    static let jobs = 4

    /// What is run without a path, where the project has it; else all of its scenarios.
    static let scenarios = "Scenarios/any"

    /// Those of a search with a subject.
    static let ofSearch = [
        Option(
            "--subject", value: "ADAPTER", offer: .files, changesResult: true,
            "put somebody else's updater through the scenarios: a program that speaks the adapters' protocol"),
        Option(
            "--speed", value: "N", changesResult: true,
            "seconds of the scenario in each second of a subject's clock (default 1)"),
        patience,
    ]

    static let flags =
        ofSearch + [
            Option(
                "--state", value: "DIR", offer: .folders, changesResult: true,
                "what a subject's state folder has before the first launch: a copy of this folder"),
            Option(
                "--ports", value: "ORIGIN,APP", changesResult: true,
                "the ports of origin and subject, for a state folder that names them (default: free ones)"),
            Option(
                "--repeat", value: "N", changesResult: true,
                "run each scenario N times with the subject, and say how often it failed"),
            Option(
                "--xfails", value: "FILE", offer: .files, changesResult: true,
                "the subject's known failures: lines NAME [RULE] # REASON; a pass is a failure then"),
        ]

    static let patience = Option(
        "--patience", value: "TIME", changesResult: true,
        "how long a subject may take to answer (default 10s)")

    /// nil: the call has no subject.
    init?(_ arguments: Arguments) throws {
        guard let text = arguments.text("--subject") else {
            for flag in ["--speed", "--patience", "--state", "--ports", "--repeat", "--xfails"]
            where arguments.isFromCall(flag) {
                throw UsageError(message: "\(flag) has no meaning without --subject", help: "leave it out")
            }
            return nil
        }
        try self.init(adapter: text, arguments)
    }

    /// - Throws: ``UsageError`` for a live run of a subject.
    static func refuseLive(_ arguments: Arguments) throws(UsageError) {
        guard arguments.has("--subject") else { return }
        throw UsageError(
            message: "--subject and --live exclude each other",
            help: "--live runs the project's own updater on this machine; leave one of them out")
    }

    init(adapter: String, _ arguments: Arguments) throws {
        var options = SubjectBackend.Options(command: try SubjectCall.command(adapter))
        if let speed = try arguments.number("--speed", in: 1...100) { options.speed = Int64(speed) }
        if let patience = try RunCall.time(arguments, "--patience") { options.patience = patience }
        if let state = arguments.text("--state") {
            options.initialStatePath = state
            do { options.initialState = try StateImage(folder: state) } catch {
                throw UsageError(
                    message: "--state: \(state) can't be read: \(error.localizedDescription)",
                    help: "name a folder")
            }
        }
        options.ports = try SubjectCall.ports(arguments)
        self.options = options
        repetitions = Int(try arguments.number("--repeat", in: 1...1_000) ?? 1)
        expectedFailures = try arguments.text("--xfails").map { try SubjectCall.expectedFailures($0) }
    }

    private static func ports(_ arguments: Arguments) throws(UsageError) -> SubjectBackend.Ports? {
        guard let text = arguments.text("--ports") else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { UInt16($0) }
        guard numbers.count == 2, let origin = numbers[0], let app = numbers[1], origin > 0, app > 0,
            origin != app
        else {
            throw UsageError(
                message: "--ports can't be '\(text)'", help: "two different ports: --ports 40001,40002")
        }
        return SubjectBackend.Ports(origin: origin, app: app)
    }

    private static func expectedFailures(_ path: String) throws(UsageError) -> ExpectedFailures {
        let text: String
        switch FileReading.bytes(at: path) {
        case .success(let bytes): text = String(decoding: bytes, as: UTF8.self)
        case .failure(let error):
            throw UsageError(message: "--xfails: \(path): \(error.why)", help: "name a text file")
        }
        do throws(ExpectedFailures.Fault) {
            return try ExpectedFailures(text)
        } catch {
            throw UsageError(message: "\(path):\(error.line): \(error.message)", help: error.help)
        }
    }

    /// - Throws: ``UsageError`` for a known failure of a scenario or a rule that does not exist.
    private func checkNames(_ selection: Selection, _ path: String) throws {
        let entries = expectedFailures?.entries ?? []
        for entry in entries {
            guard let rule = entry.what, rule != "expect", !Rule.all.contains(where: { $0.id == rule }) else {
                continue
            }
            throw UsageError(
                message: "\(path):\(entry.line): there is no rule '\(rule)'",
                help: "those that are judged are X1, S1, S2 and R3; the word expect stands for expectations")
        }
        try selection.check(entries.map(\.name)) { name, error in
            let line = entries.first { $0.name == name }?.line ?? 0
            throw UsageError(
                message: "\(path):\(line): there is no scenario '\(name)'", help: error.help)
        }
    }

    /// The adapter's path and its arguments. A text that is no path is a program and its arguments, with
    /// blanks between them; a program without a slash is searched for as a shell does it.
    private static func command(_ adapter: String) throws(UsageError) -> [String] {
        if isFile(adapter) { return [try executable(adapter)] }
        let words = adapter.split(separator: " ").map(String.init)
        guard let program = words.first, words.count > 1,
            let path = isFile(program) ? program : found(program)
        else {
            throw UsageError(
                message: "there is no adapter at '\(adapter)'",
                help: "give the path of an executable file; 'otalab subject new DIR' writes one to begin with"
            )
        }
        return [try executable(path)] + words.dropFirst()
    }

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }

    private static func found(_ program: String) -> String? {
        program.contains("/") ? nil : ProgramSearch.path(of: program)
    }

    private static func executable(_ adapter: String) throws(UsageError) -> String {
        let path = URL(fileURLWithPath: adapter).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw UsageError(
                message: "the adapter '\(adapter)' is not executable",
                help: "chmod +x \(ShellWord.quoted(adapter)); a script begins with #!")
        }
        return path
    }

    /// What the adapter says about its updater.
    /// - Throws: ``InvalidAdapter``, with its mistake.
    func description() throws -> SubjectDescription {
        do throws(SubjectProbe.ProbeFault) {
            return try SubjectProbe.describe(options)
        } catch {
            throw InvalidAdapter(text: error.text)
        }
    }

    /// - Throws: ``UsageError`` for a flag that has no meaning with somebody else's updater.
    static func refuse(_ flags: [String], _ arguments: Arguments) throws(UsageError) {
        for flag in flags where arguments.isFromCall(flag) {
            throw UsageError(message: "\(flag) has no meaning with --subject", help: "leave it out")
        }
    }

    /// The paths of a call with a subject; nil: those of the call, or all scenarios.
    static func paths(_ arguments: Arguments) -> [String]? {
        let isStandard = arguments.paths.isEmpty && FileManager.default.fileExists(atPath: scenarios)
        return isStandard ? [scenarios] : nil
    }

    static func jobs(_ arguments: Arguments) throws -> Int {
        try arguments.number("--jobs", in: 1...256).map { Int($0) } ?? jobs
    }

    /// The run of a search, which keeps no folder of the subject: a finding is a file.
    func searchRun(_ profiles: ProfileSet) throws -> SubjectRun {
        var options = options
        options.keepsFolder = false
        return SubjectRun(options, try description(), profiles: profiles.profiles)
    }

    /// Runs each plan with the subject.
    func apply(to suite: inout ScenarioSuite.Options, _ selection: Selection, _ arguments: Arguments) throws {
        try checkNames(selection, arguments.text("--xfails") ?? "")
        let description = try description()
        let run = SubjectRun(options, description, profiles: suite.profiles.profiles)
        suite.subject = "\(description.name) \(description.version)"
        suite.jobs = try SubjectCall.jobs(arguments)
        suite.recordsCoverage = false
        suite.makeRun = { [repetitions, expectedFailures] planned in
            await onOwnThread {
                var result = RepeatedRun.result(times: repetitions) { run.result(of: planned.plan) }
                expectedFailures?.apply(to: &result)
                return result
            }
        }
    }
}

/// An adapter that can't be used; the text has the mistake and a way out.
struct InvalidAdapter: Error {
    let text: String
}
