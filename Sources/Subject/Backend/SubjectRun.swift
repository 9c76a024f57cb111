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

    package init(
        _ options: SubjectBackend.Options, _ description: SubjectDescription, profiles: [DeviceProfile]
    ) {
        self.options = options
        self.description = description
        self.profiles = profiles
    }

    package func result(of plan: RunPlan) -> ScenarioResult {
        let runner = ScenarioRunner(profiles: profiles)
        if let reason = plan.scenario.skip?.value
            ?? SubjectSupport.reason(against: plan.scenario, description)
        {
            return SubjectRun.skipped(plan, reason)
        }
        let startedAt = Date()
        var plan = plan
        // Liveness takes days of the device's time, which here are those of the wall clock.
        plan.scenario.liveness = .none(
            because: Spanned("its time would be that of the wall clock", plan.scenario.title.span))
        var result: ScenarioResult
        do throws(ScenarioFault) {
            var ready = try runner.prepare(plan.scenario)
            ready.setup.seed = plan.worldSeed
            let backend: SubjectBackend
            do {
                backend = try SubjectBackend(&ready.setup, options)
            } catch {
                return SubjectRun.failed(plan, .inconclusive, "the laboratory could not begin: \(error)", nil)
            }
            let checkers = CheckerList.outside + policyCheckers(description)
            let finished = runner.run(plan, ready, on: backend, checkers: checkers)
            result = finished.result
            if let recorder = options.recorder { backend.endRecording(recorder) }
            judge(&result, finished.run, backend)
        } catch {
            result = SubjectRun.failed(plan, .invalid, error.message, nil)
        }
        result.wall = WallTimes(microseconds: Int64(Date().timeIntervalSince(startedAt) * 1_000_000))
        return result
    }

    /// Of a policy in which something proves a start. What the page says must reach the updater.
    private func policyCheckers(_ description: SubjectDescription) -> [any Checker] {
        guard let policy = description.policy else { return [] }
        let proof: DeclaredRetries.Proof
        switch policy.confirm {
        case .called where description.does.contains(.call): proof = .called
        case .loaded where description.does.contains(.page): proof = .shown
        case .called, .loaded, .never: return []
        }
        return [DeclaredRetries(proof: proof, timeout: policy.startupTimeout, retries: policy.retries)]
    }

    private func judge(
        _ result: inout ScenarioResult, _ run: ScenarioRun<SubjectBackend>, _ backend: SubjectBackend
    ) {
        if let fault = backend.fault {
            result.verdict = .invalid
            result.failures = [
                SubjectRun.failure(fault.text, "`otalab subject check` says what an adapter gets wrong")
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
        backend.keepsFolder = true
        result.notes.append(RunNote(.other, "the subject's folder: \(backend.folderPath)"))
        for line in SubjectRun.tail(of: backend.dialogues) { result.notes.append(RunNote(.other, line)) }
    }

    /// What the call needs to put the same subject through it again.
    private var flags: String {
        let command = ShellWord.quoted(options.command.joined(separator: " "))
        return " --subject \(command)" + (options.speed == 1 ? "" : " --speed \(options.speed)")
    }

    /// The last lines that were exchanged, for the report.
    private static func tail(of dialogues: [Dialogue]) -> [String] {
        dialogues.enumerated().flatMap { index, dialogue in
            dialogue.lines.map { "process \(index + 1)  \($0.at.clock)  \($0.direction.rawValue) \($0.text)" }
        }.suffix(40)
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
