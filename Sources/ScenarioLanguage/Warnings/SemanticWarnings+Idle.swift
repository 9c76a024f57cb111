/// What is known of the app on one device, without a run.
private enum KnownState: Equatable {
    case gone, inFront, inBackground, unknown
    /// In front, without the user's input.
    case inactive
}

/// Steps that change nothing in any run: they need a running app where none runs, the app or the network is
/// in that state already, or there is no fault to heal.
///
/// The state of the app is followed from step to step. It is unknown where only a run can show it: after time
/// in which a version can end its process, or in which an armed step can happen.
extension SemanticWarnings {
    var idleSteps: [Diagnostic] {
        var follower = AppFollower(scenario)
        follower.follow(scenario.steps)
        var faults = FaultFollower(scenario)
        faults.follow(scenario.steps)
        let early = earlyLaunches.map(\.span)
        let found = (follower.found + faults.found).sorted {
            $0.step.verbSpan.start < $1.step.verbSpan.start
        }
        return found.filter { !early.contains($0.step.verbSpan) }.map { step, why in
            warning(
                .idleStep, "this step changes nothing", label: why, at: step.verbSpan,
                help: "put it where it has an effect, or take it out")
        }
    }
}

private struct AppFollower {
    /// Steps that change nothing, with the reason; each once.
    private(set) var found: [(step: Step, why: String)] = []
    private var states: [(device: String, state: KnownState)]
    /// Devices on which an armed step can change the state as soon as time passes.
    private var armed: [String] = []
    /// Devices whose process has just begun, without time for a page.
    private var fresh: [String] = []
    private let firstDevice: String
    /// Whether a version can end the app's process.
    private let canDie: Bool
    private var isSilent = false

    init(_ scenario: Scenario) {
        firstDevice = scenario.devices.first?.name.value ?? ""
        canDie = scenario.versions.contains { $0.startup.canEndProcess }
        let names = scenario.devices.isEmpty ? [firstDevice] : scenario.devices.map(\.name.value)
        states = names.map { ($0, .gone) }
    }

    mutating func follow(_ steps: [Step]) {
        for step in steps { follow(step) }
    }

    private mutating func follow(_ step: Step) {
        let device = step.device?.value ?? firstDevice
        let state = state(of: device)
        if step.trigger != nil {
            if step.action.changesState { armed.append(device) }
            return
        }
        if !isSilent, let why = idleness(of: step.action, state, device),
            !found.contains(where: { $0.step.verbSpan == step.verbSpan })
        {
            found.append((step, why))
        }
        switch step.action {
        case .wait, .settle: timePasses()
        case .expect(let look):
            if look.within != nil || look.throughout != nil { timePasses() }
            if look.expectation.process?.value == .gone { set(.gone, device) }
        case .repeat(let inner): followRounds(inner)
        // Anything can have happened.
        case .gap: for (device, _) in states { set(.unknown, device) }
        default:
            set(AppFollower.state(after: step.action, state), device)
            switch step.action {
            case .relaunch: fresh.append(device)
            case .launch where state == .gone: fresh.append(device)
            default: break
            }
        }
    }

    /// Rounds after the first begin in the state in which the round before ends.
    private mutating func followRounds(_ spec: RepeatSpec) {
        let before = states
        let wasSilent = isSilent
        isSilent = true
        follow(spec.steps)
        if spec.every != nil { timePasses() }
        isSilent = wasSilent
        for (device, state) in before where self.state(of: device) != state { set(.unknown, device) }
        follow(spec.steps)
        if spec.every != nil { timePasses() }
    }

    private mutating func timePasses() {
        fresh = []
        for (device, state) in states where armed.contains(device) || (canDie && state != .gone) {
            set(.unknown, device)
        }
    }

    private func state(of device: String) -> KnownState {
        states.first { $0.device == device }?.state ?? .unknown
    }

    private mutating func set(_ state: KnownState, _ device: String) {
        for index in states.indices where states[index].device == device { states[index].state = state }
    }

    private static func state(after action: Action, _ state: KnownState) -> KnownState {
        switch action {
        case .launch(.foreground, _), .relaunch(.foreground, _): .inFront
        case .relaunch(.background, _): .inBackground
        case .launch(.background, _): state == .gone ? .inBackground : state
        case .kill, .powerCut, .restart, .storeUpdate, .user(.swipesAway): .gone
        case .background: state == .inFront || state == .inactive ? .inBackground : state
        case .foreground: state == .inBackground || state == .inactive ? .inFront : state
        case .active: state == .inactive ? .inFront : state
        case .inactive: state == .inFront ? .inactive : state
        case .push: state == .gone ? .unknown : state
        case .suspend, .resume, .freeze, .crash: state == .gone ? .gone : .unknown
        default: state
        }
    }

    private func idleness(of action: Action, _ state: KnownState, _ device: String) -> String? {
        switch (action, state) {
        case (.page, .inFront) where fresh.contains(device),
            (.page, .inactive) where fresh.contains(device),
            (.page, .inBackground) where fresh.contains(device):
            "the app starts at this instant: no page is there yet"
        case (.check, .gone), (.background, .gone), (.foreground, .gone), (.suspend, .gone), (.resume, .gone),
            (.freeze, .gone), (.socketsLost, .gone), (.page, .gone), (.user(.taps), .gone),
            (.user(.tapsLink), .gone),
            (.user(.swipesAway), .gone), (.user(.presses), .gone):
            "the app does not run here"
        case (.kill(let cause), .gone): cause == .battery ? nil : "the app does not run here"
        case (.launch(.foreground, nil), .inFront), (.foreground, .inFront): "the app is in front already"
        case (.background, .inBackground): "the app is in the background already"
        case (.active, .gone), (.inactive, .gone), (.active, .inBackground), (.inactive, .inBackground):
            "the app is not in front here"
        case (.active, .inFront): "the app is active already"
        case (.inactive, .inactive): "the app is inactive already"
        case (.launch(.background, _), .inFront), (.launch(.background, _), .inactive),
            (.launch(.background, _), .inBackground):
            "the app runs already"
        default: nil
        }
    }
}

extension Action {
    /// Whether it can start or end the app's process, or change whether the app is in front.
    fileprivate var changesState: Bool {
        switch self {
        case .launch, .relaunch, .kill, .powerCut, .restart, .storeUpdate, .user(.swipesAway), .background,
            .foreground, .active, .inactive, .push, .suspend, .resume, .freeze, .crash:
            true
        default: false
        }
    }
}

extension StartupSpec {
    fileprivate var canEndProcess: Bool {
        let all = [behaviour] + (first.map { [$0.behaviour] } ?? []) + onNative.map(\.startup)
        return all.contains { if case .dies(.process, _) = $0 { true } else { false } }
    }
}
