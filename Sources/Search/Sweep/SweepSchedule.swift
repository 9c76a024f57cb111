import Backend
import Core
import Runner
import ScenarioLanguage

/// What a run did and when: the steps that act, at the times at which they acted. A disturbed run follows it,
/// whatever the steps between them would have waited for.
package struct SweepSchedule: Sendable {
    struct Entry: Sendable {
        var at: Instant
        var action: StepAction
    }

    private(set) var entries: [Entry] = []
    /// The same as steps of a file; a step of two actions is one of these.
    private(set) var steps: [(at: Instant, step: Step)] = []
    /// When the scenario ended.
    private(set) var end = Instant.zero

    mutating func begin(_ step: Step, at now: Instant) {
        if !Verb.untimed.contains(step.verb) { steps.append((now, step)) }
    }

    mutating func add(_ action: StepAction, at now: Instant) {
        entries.append(Entry(at: now, action: action))
    }

    mutating func pass(to now: Instant) { end = max(end, now) }
}

/// A disturbance at a moment of a run, as a file states it.
package struct SweepSite: Hashable, Sendable {
    package var disturbance: SweepDisturbance
    package var at: Instant
    package var circumstance: Circumstance
}

extension RunPlan {
    /// A scenario that does what the run did, at the same times, with the disturbance, and expects nothing.
    /// - Parameters:
    ///   - later: what is done with the disturbed device after that.
    ///   - device: name of the device that is disturbed; nil if there is only one.
    package func disturbed(
        _ site: SweepSite, in schedule: SweepSchedule, then later: [Action] = [], on device: String?
    ) -> Scenario {
        var disturbed = scenario
        let none = SourceSpan(start: 0, end: 0)
        func step(_ action: Action) -> Step {
            var step = Step(action: action)
            if let device, !action.isOfNoDevice { step.device = Spanned(device, none) }
            return step
        }
        disturbed.steps = site.disturbance.steps.map { timed in
            var step = step(timed.action)
            step.trigger = .at(Spanned(site.at + timed.after - Instant.zero, none))
            return step
        }
        var now = Instant.zero
        func pass(to time: Instant) {
            if time > now { disturbed.steps.append(Step(action: .wait(Spanned(time - now, none)))) }
            now = max(now, time)
        }
        for (at, step) in schedule.steps {
            pass(to: at)
            disturbed.steps.append(asRun(step))
        }
        // What comes later than the scenario's end still belongs to the disturbance.
        let last = site.disturbance.steps.map { site.at + $0.after }.max() ?? .zero
        pass(to: max(schedule.end, last))
        disturbed.steps += later.map(step)
        disturbed.xfail = nil
        disturbed.covers = []
        return disturbed
    }
}

extension Action {
    /// The verbs that take no `on`.
    fileprivate var isOfNoDevice: Bool {
        [.deploy, .recall, .unblock, .fault, .heal, .wait, .settle, .mark, .repeat, .gap].contains(verb)
    }
}
