import Backend
import Core
import ScenarioLanguage

/// A step with a trigger, over all the times that the run reached it.
struct ArmedStep {
    /// Index of the step in the scenario.
    var step: Int
    /// Instants at which it happened.
    var happened: [Instant]
    /// Times that it was armed and did not happen.
    var missedCount: Int
    /// First of its actions that did not happen.
    var waiting: ArmedAction?

    var times: String { "happened \(happened.count) of \(happened.count + missedCount) times" }
}

// Steps with `when`, `after` or `at` end with the last step. One that has not happened by then is a failure,
// because the run was not the one that the file describes; a world that was drawn has such steps by chance.
extension ScenarioRun {
    var armedSteps: [ArmedStep] {
        let all = backend.armedActions
        if all.isEmpty { return [] }
        return NumberedStep.all(of: plan.scenario).compactMap { numbered in
            let own = all.filter { $0.step == numbered.index }
            if own.isEmpty { return nil }
            // A step of two actions (relaunch) waits twice.
            let each = max(1, numbered.step.namedActions.count)
            let done = own.compactMap(\.doneAt)
            let happened = stride(from: each - 1, to: done.count, by: each).map { done[$0] }
            return ArmedStep(
                step: numbered.index, happened: happened, missedCount: own.count / each - happened.count,
                waiting: own.first { $0.doneAt == nil })
        }
    }

    /// Called after the last step, before the rounds of liveness.
    mutating func disarm() {
        noteArmed()
        if isOver || !armedSteps.contains(where: { $0.missedCount > 0 }) { return }
        // An action that is due at this instant still belongs to the scenario. So does one whose trigger has
        // fired while the app is busy with something else.
        pass(until: backend.now)
        if !isOver, backend.armedActions.contains(where: \.isTriggered) {
            let end = backend.now + Armed.patience
            _ = pass(until: end) { run in !run.backend.armedActions.contains(where: \.isTriggered) }
        }
        noteArmed()
        if isOver { return }
        backend.disarm()
        if toleratesMissedTriggers { return }
        for step in armedSteps where step.missedCount > 0 { fail(step) }
    }

    /// A step with a trigger begins and ends when it happens, not when the run reaches it.
    mutating func noteArmed() {
        for step in armedSteps {
            stepResults[step.step].startedAt = step.happened.min()
            stepResults[step.step].endedAt = step.happened.max()
            if stepResults[step.step].outcome == .failed { continue }
            stepResults[step.step].outcome = step.happened.isEmpty ? .notReached : .done
        }
    }

    private mutating func fail(_ step: ArmedStep) {
        let steps = NumberedStep.all(of: plan.scenario)
        guard let armed = step.waiting, let numbered = steps.first(where: { $0.index == step.step }),
            let trigger = numbered.step.trigger
        else { return }
        let what = step.happened.isEmpty ? "never happened" : step.times
        let why = "its '\(trigger.word)' did not come before the scenario ended"
        var failure = Failure(
            kind: .trigger, headline: "\(stepResults[step.step].text) \(what): \(why)", at: backend.now)
        failure.step = step.step
        failure.identity.pattern = stepResults[step.step].text
        failure.location = FileLocation(trigger.span, in: plan.scenario.source)
        failure.differences = [
            Difference(
                expected: "the trigger before the scenario ends, at \(backend.now.clock)",
                actual: reach(of: armed))
        ]
        failure.because = numbered.step.because?.value
        failure.help = Armed.help(armed)
        failure.waitedFrom = armed.scheduledAt
        failure.waitedTo = backend.now
        add(
            failure,
            about: FailureSubject(parts: parts(of: armed), versions: versions(of: numbered.step, armed)))
        stepResults[step.step].outcome = .failed
    }

    /// Versions that the step, its trigger and ``reach(of:)`` name.
    private func versions(of step: Step, _ armed: ArmedAction) -> [String] {
        var versions = step.action.versions
        switch armed.trigger {
        case .when(let condition), .after(let condition):
            guard let version = condition.value.version else { break }
            let view = backend.view(of: armed.device)
            let observed = observer(of: armed.device).observed
            versions.append(version)
            versions += [view.running, view.status?.pending.map { observed.name($0) }].compactMap(\.self)
        case .at, .delay: break
        }
        return versions
    }

    /// What the trigger waits for.
    private func parts(of armed: ArmedAction) -> [ExpectationPart] {
        switch armed.trigger {
        case .at, .delay: []
        case .when(let condition), .after(let condition):
            switch condition.value {
            case .pending: [.pending]
            case .running, .started: [.running, .pending]
            case .confirmed: [.confirmed, .pending]
            case .progress: [.progress]
            case .notified: [.messages]
            case .asked(.route(let route), _): [.requests(.route(route))]
            case .asked(.manifest, _): [.requests(.manifest)]
            case .asked(.outcomes, _): [.requests(.outcomes)]
            case .asked(.api, _): [.requests(.files)]
            case .asked(.index, _): [.requests(.index)]
            case .stored(_, let route), .fetched(let route): [.requests(.route(route.value)), .fetched]
            }
        }
    }

    /// Describes how far the trigger came.
    private func reach(of armed: ArmedAction) -> String {
        if case .disarmed(let triggeredAt?) = armed.state {
            return "the trigger came at \(triggeredAt.clock), and the process ended before the step's turn"
        }
        switch armed.trigger {
        case .at(let span): return "it was due at \((Instant.zero + span.value).clock)"
        case .delay(let span): return "it was due at \((armed.scheduledAt + span.value).clock)"
        case .when(let condition), .after(let condition): return reach(of: condition.value, armed)
        }
    }

    private func reach(of condition: TriggerCondition, _ armed: ArmedAction) -> String {
        switch (condition, armed.progress) {
        case (.asked(_, let nth), .requests(let count)): return "\(count) of \(nth) such requests"
        case (.asked, _): return "no such request"
        case (.stored(_, let route), .bytes(let bytes, let size)):
            return "at most \(bytes) of the \(size) bytes of \(route.value) arrived"
        case (.stored(_, let route), _): return "nothing of \(route.value) arrived"
        case (.fetched(let route), _): return "no whole answer for \(route.value) arrived"
        case (.progress, _):
            let progress = backend.view(of: armed.device).progress
            return progress.map { "the progress shown came to \($0) %" } ?? "no progress was shown"
        case (.notified(let text), _): return "no page got '\(text.value)'"
        case (.pending, _), (.running, _), (.started, _), (.confirmed, _): return state(of: armed.device)
        }
    }

    /// Describes the device at the end of the scenario.
    private func state(of device: Int) -> String {
        let view = backend.view(of: device)
        let running = view.running.map { "running \($0), \(view.hasConfirmed ? "" : "not ")confirmed" }
        let observed = observer(of: device).observed
        let pending = view.status?.pending.map { "pending \(observed.name($0))" }
        return [view.process == nil ? "the app is not running" : running ?? "running none", pending]
            .compactMap { $0 }.joined(separator: ", ")
    }
}

private enum Armed {
    /// Time for an action whose trigger has fired. A process reads its whole disk in less.
    static let patience = TimeSpan.seconds(10)

    static func help(_ armed: ArmedAction) -> String {
        if case .disarmed(_?) = armed.state {
            return "write 'when' for 'after', or let the step wait for an event of which the process lives on"
        }
        switch armed.trigger {
        case .at, .delay: return "let the scenario last longer, or the step come earlier"
        case .when, .after:
            return
                "the steps after it do not wait for it: let what brings it about happen before the scenario"
                + " ends, with time for it (an expect with within, a wait), or take the step out"
        }
    }
}

extension Action {
    /// Names of the versions that the action names.
    fileprivate var versions: [String] {
        switch self {
        case .deploy(let spec): spec.version.map { [$0.value] } ?? []
        case .recall(let versions), .unblock(let versions): versions.map(\.value)
        default: []
        }
    }
}

extension TriggerCondition {
    /// Version whose state the trigger waits for.
    fileprivate var version: String? {
        switch self {
        case .pending(let version), .running(let version), .started(let version), .confirmed(let version):
            version.value
        case .stored, .asked, .fetched, .progress, .notified: nil
        }
    }
}

extension Trigger {
    /// Key of the trigger in the scenario language.
    fileprivate var word: String {
        switch self {
        case .at: "at"
        case .delay, .after: "after"
        case .when: "when"
        }
    }

    /// Span of the trigger's value.
    fileprivate var span: SourceSpan {
        switch self {
        case .at(let value), .delay(let value): value.span
        case .when(let value), .after(let value): value.span
        }
    }
}
