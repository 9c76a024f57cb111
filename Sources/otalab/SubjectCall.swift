import Core
import Foundation
import Runner
import Subject

/// The flags about somebody else's updater, checked: `--subject`, `--speed`, `--patience`.
struct SubjectCall: Sendable {
    let options: SubjectBackend.Options

    /// Scenarios that are put to the subject at once by default: they wait much more than they work.
    static let jobs = 4

    /// What is run without a path, where the project has it; else all of its scenarios.
    static let scenarios = "Scenarios/any"

    static let flags = [
        Option(
            "--subject", value: "ADAPTER", offer: .files, changesResult: true,
            "put somebody else's updater through the scenarios: a program that speaks the adapters' protocol"),
        Option(
            "--speed", value: "N", changesResult: true,
            "seconds of the scenario in each second of a subject's clock (default 1)"),
        patience,
    ]

    static let patience = Option(
        "--patience", value: "TIME", changesResult: true,
        "how long a subject may take to answer (default 10s)")

    /// nil: the call has no subject.
    init?(_ arguments: Arguments) throws {
        guard let text = arguments.text("--subject") else {
            for flag in ["--speed", "--patience"] where arguments.isFromCall(flag) {
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
        let path = URL(fileURLWithPath: adapter).path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
            throw UsageError(
                message: "there is no adapter at '\(adapter)'",
                help: "give the path of an executable file; 'otalab subject new DIR' writes one to begin with"
            )
        }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw UsageError(
                message: "the adapter '\(adapter)' is not executable",
                help: "chmod +x \(ShellWord.quoted(adapter)); a script begins with #!")
        }
        var options = SubjectBackend.Options(command: [path])
        if let speed = try arguments.number("--speed", in: 1...100) { options.speed = Int64(speed) }
        if let patience = try RunCall.time(arguments, "--patience") { options.patience = patience }
        self.options = options
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

    /// Runs each plan with the subject.
    func apply(to suite: inout ScenarioSuite.Options, _ arguments: Arguments) throws {
        let description = try description()
        let run = SubjectRun(options, description, profiles: suite.profiles.profiles)
        suite.subject = "\(description.name) \(description.version)"
        if !arguments.has("--jobs") { suite.jobs = SubjectCall.jobs }
        suite.recordsCoverage = false
        suite.makeRun = { planned in
            await withCheckedContinuation { continuation in
                // A thread of its own: a run waits for sockets most of its time.
                Thread.detachNewThread { continuation.resume(returning: run.result(of: planned.plan)) }
            }
        }
    }
}

/// An adapter that can't be used; the text has the mistake and a way out.
struct InvalidAdapter: Error {
    let text: String
}
