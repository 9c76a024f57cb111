import Backend
import Core
import Foundation
import Oracle
import Runner
import ScenarioLanguage
import World

/// Puts a subject through one plan, and makes its result.
///
/// Guarantees: the same steps and expectations as in the world; what the subject does not show is not judged.
/// When it returns, no process of the subject runs, and its folder is gone unless the scenario failed. What
/// can go wrong is in the result: an adapter that breaks the protocol is invalid, one that does not answer
/// inconclusive.
package struct SubjectRun: Sendable {
    package var options: SubjectBackend.Options
    package var profiles: [DeviceProfile]
    /// What `subject check` found out about it, so that a scenario that it can't run is not begun.
    package var description: SubjectDescription
    /// Whether a step whose trigger never comes is no failure (``ScenarioRunner``).
    package var toleratesMissedTriggers = false

    package init(
        _ options: SubjectBackend.Options, _ description: SubjectDescription, profiles: [DeviceProfile]
    ) {
        self.options = options
        self.description = description
        self.profiles = profiles
    }

    package func result(of plan: RunPlan) -> ScenarioResult { resultAndTrace(of: plan).result }

    /// - Returns: the result, and what happened; nothing where no run was begun.
    package func resultAndTrace(of plan: RunPlan) -> (result: ScenarioResult, trace: [TraceEvent]) {
        var runner = ScenarioRunner(profiles: profiles)
        runner.toleratesMissedTriggers = toleratesMissedTriggers
        if let reason = plan.scenario.skip?.value
            ?? SubjectSupport.reason(against: plan.scenario, description)
        {
            return (SubjectRun.skipped(plan, reason), [])
        }
        let startedAt = Date()
        var plan = plan
        // Liveness takes days of the device's time, which here are those of the wall clock.
        plan.scenario.liveness = .none(
            because: Spanned("its time would be that of the wall clock", plan.scenario.title.span))
        var result: ScenarioResult
        var trace: [TraceEvent] = []
        do throws(ScenarioFault) {
            var ready = try runner.prepare(plan.scenario)
            ready.setup.seed = plan.worldSeed
            let backend: SubjectBackend
            do {
                backend = try SubjectBackend(&ready.setup, options)
            } catch {
                let why = "the laboratory could not begin: \(error)"
                return (SubjectRun.failed(plan, .inconclusive, why, nil), [])
            }
            let policy = DeclaredRetries { [weak backend] in
                backend?.description.flatMap { DeclaredRetries.Policy($0) }
            }
            let checkers: [any Checker] = CheckerList.outside + [policy]
            let finished = runner.run(plan, ready, on: backend, checkers: checkers)
            result = finished.result
            if let recorder = options.recorder { backend.endRecording(recorder) }
            judge(&result, finished.run, backend)
            if options.checksAdapter, let unanswered = backend.unanswered(), result.verdict == .passed {
                result.verdict = .inconclusive
                result.failures = [
                    SubjectRun.failure(
                        unanswered,
                        "answer each command: {\"to\": its id, \"ok\": true}, or false with \"why\"")
                ]
            }
            trace = backend.trace
        } catch {
            result = SubjectRun.failed(plan, .invalid, error.message, nil)
        }
        result.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(startedAt) * 1_000_000))
        return (result, trace)
    }

    private func judge(
        _ result: inout ScenarioResult, _ run: ScenarioRun<SubjectBackend>, _ backend: SubjectBackend
    ) {
        if let fault = backend.fault {
            result.verdict = .invalid
            result.failures = [
                SubjectRun.failure(
                    fault.text,
                    options.checksAdapter ? nil : "`otalab subject check` says what an adapter gets wrong")
            ]
        }
        if result.verdict == .passed, run.judgement.judged == 0, run.judgement.unjudged > 0 {
            result.verdict = .skipped
            result.reason = "nothing of it could be judged: \(result.notes.last?.text ?? "")"
        }
        if !backend.unsupportedCommands.isEmpty {
            let names = backend.unsupportedCommands.map { "'\($0)'" }.joined(separator: ", ")
            let text = "steps had no effect: the adapter does not list \(names) under 'does'"
            result.notes.append(RunNote(.step, text))
        }
        guard !result.verdict.isGood else { return }
        for index in result.failures.indices { result.failures[index].reproduction += flags }
        if options.keepsFolder {
            backend.keepsFolder = true
            result.notes.append(RunNote(.other, "the subject's folder: \(backend.folderPath)"))
        }
        result.dialogue = SubjectRun.text(of: backend.dialogues)
    }

    /// What the call needs to put the same subject through it again.
    package var flags: String {
        let command = ShellWord.quoted(options.command.joined(separator: " "))
        var text = " --subject \(command)" + (options.speed == 1 ? "" : " --speed \(options.speed)")
        if let folder = options.initialStatePath { text += " --state \(ShellWord.quoted(folder))" }
        if let ports = options.ports { text += " --ports \(ports.origin),\(ports.app)" }
        return text
    }

    /// Lines of the dialogue that a result keeps, the last ones.
    private static let mostLines = 400

    private static func text(of dialogues: [Dialogue]) -> [String] {
        let lines = dialogues.enumerated().flatMap { index, dialogue in
            dialogue.lines.map { "process \(index + 1)  \($0.at.clock)  \($0.direction.rawValue) \($0.text)" }
        }
        let leftOut = lines.count - mostLines + dialogues.reduce(0) { $0 + $1.leftOut }
        guard leftOut > 0 else { return lines }
        return ["… \(leftOut) earlier lines are left out"] + lines.suffix(mostLines)
    }

    // MARK: Results without a run

    private static func skipped(_ plan: RunPlan, _ reason: String) -> ScenarioResult {
        var result = ScenarioRunner.blank(plan)
        result.verdict = .skipped
        result.reason = reason
        return result
    }

    private static func failed(_ plan: RunPlan, _ verdict: Verdict, _ message: String, _ help: String?)
        -> ScenarioResult
    {
        var result = ScenarioRunner.blank(plan)
        result.verdict = verdict
        result.failures = [failure(message, help)]
        return result
    }

    private static func failure(_ message: String, _ help: String?) -> Failure {
        var failure = Failure(kind: .bound, headline: message, at: .zero)
        failure.help = help
        return failure
    }
}

extension DeclaredRetries.Policy {
    /// The policy of a subject in which something proves a start that the laboratory can tell it; nil: R3 is
    /// not judged.
    package init?(_ description: SubjectDescription) {
        guard let policy = description.policy else { return nil }
        let proof: DeclaredRetries.Proof
        switch policy.confirm {
        case .called where description.does.contains(.call): proof = .called
        case .loaded where description.does.contains(.page): proof = .shown
        case .called, .loaded, .never: return nil
        }
        self.init(proof: proof, timeout: policy.startupTimeout, retries: policy.retries)
    }
}
