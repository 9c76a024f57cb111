import Backend
import ScenarioLanguage

// What a scenario says and did not happen. It is noted beside the verdict and does not fail the scenario,
// because the expectations say what the scenario tests.
extension ScenarioRun {
    /// Steps whose trigger had not fired when the run ended early, each once. At the end of a complete run
    /// they are failures.
    package var missedTriggers: [RunNote] {
        armedSteps.filter { $0.missedCount > 0 && stepResults[$0.step].outcome != .failed }.map { step in
            let what = step.happened.isEmpty ? "never happened" : step.times
            let text = "step \(step.step + 1) \(what): its trigger never came: \(stepResults[step.step].text)"
            return RunNote(.trigger, text)
        }
    }

    /// Reason why a step has no effect: it needs a running app and none runs, or the app is in that state
    /// already. Nil: it can have an effect.
    package mutating func idleness(of step: Step, on device: Int) -> String? {
        let view = backend.view(of: device)
        let isGone = view.process == nil
        switch step.action {
        case .kill(.battery): return nil
        case .check, .kill, .page, .socketsLost, .user(.taps), .user(.tapsLink), .user(.swipesAway):
            return isGone ? "the app was not running" : nil
        case .active, .inactive:
            return isGone || !view.isInForeground ? "the app was not in front" : nil
        case .user(.presses(let button)):
            if isGone { return "the app was not running" }
            let isThere = button != .tryAgain || view.screen == .recovery
            return isThere ? nil : "the button was not on the screen"
        case .background, .suspend, .freeze, .resume, .foreground:
            return isGone ? "the app was not running" : view.isAlready(step.action)
        case .launch: return isGone ? nil : view.isAlready(step.action)
        default: return nil
        }
    }

    /// Notes the actions of this step that the backend performed without an effect.
    /// - Parameter start: index of the first trace event of the actions.
    package mutating func noteIdleActions(of numbered: NumberedStep, since start: Int) {
        let events = backend.trace.dropFirst(start)
        for case .actionDidNothing(let why) in events.map(\.kind) { noteIdleStep(numbered.index, why) }
        if let why = numbered.step.action.idleness(without: events, on: device(of: numbered.step)) {
            noteIdleStep(numbered.index, why)
        }
    }

    package mutating func noteIdleStep(_ index: Int, _ why: String) {
        let note = idleNote(index, why)
        if !idleSteps.contains(note) { idleSteps.append(note) }
    }

    private func idleNote(_ index: Int, _ why: String) -> RunNote {
        RunNote(.step, "step \(index + 1) changed nothing: \(why): \(stepResults[index].text)")
    }

    /// Notes about armed steps that happened later and had no effect.
    package var idleArmedSteps: [RunNote] {
        var notes: [RunNote] = []
        func add(_ step: Int, _ why: String) {
            let note = idleNote(step, why)
            if !notes.contains(note), !idleSteps.contains(note) { notes.append(note) }
        }
        let done = backend.armedActions.compactMap { armed in
            armed.doneAt.map { (at: $0, step: armed.step, device: armed.device) }
        }
        if done.isEmpty { return [] }
        for event in backend.trace {
            guard case .actionDidNothing(let why) = event.kind,
                let step = done.first(where: { $0.at == event.at })?.step
            else { continue }
            add(step, why)
        }
        let steps = NumberedStep.all(of: plan.scenario)
        for armed in done {
            guard let action = steps.first(where: { $0.index == armed.step })?.step.action else { continue }
            let events = backend.trace.filter { $0.at == armed.at }
            if let why = action.idleness(without: events[...], on: armed.device) { add(armed.step, why) }
        }
        return notes
    }
}

extension Action {
    /// Reason why an action has had no effect: the event that always records its effect is not among the
    /// events of its time. Nil: the event is there, or no single event records the action's effect.
    fileprivate func idleness(without events: ArraySlice<TraceEvent>, on device: Int) -> String? {
        let why: String
        switch self {
        case .heal: why = "there was nothing to heal"
        case .network(let kind): why = "the network was \(kind.rawValue) already"
        case .active: why = "the app was active already"
        case .inactive: why = "the app was inactive already"
        default: return nil
        }
        let hasEffect = events.contains { event in
            switch (self, event.kind) {
            // A fault ends on all devices.
            case (.heal, .faultHealed), (.heal, .networkChanged): true
            case (.network, .networkChanged), (.active, .activated), (.inactive, .deactivated):
                event.device == device
            default: false
            }
        }
        return hasEffect ? nil : why
    }
}

extension DeviceView {
    /// Reason why the action changes nothing of a process that runs: it is in that state already.
    fileprivate func isAlready(_ action: Action) -> String? {
        switch action {
        case .background: isInForeground ? nil : "the app was in the background already"
        case .suspend, .freeze: isSuspended ? "the app was suspended already" : nil
        case .resume: isSuspended ? nil : "the app was not suspended"
        case .launch(.background, _): "the app was running already"
        case .launch(.foreground, nil), .foreground:
            isInForeground && isActive && !isSuspended ? "the app was in front already" : nil
        default: nil
        }
    }
}
