import Backend
import Core
import Oracle
import ScenarioLanguage
import Updater

/// What is known of a run before it is changed: its end, and where in it nothing is under way.
struct UnchangedRun: Sendable {
    let scenario: Scenario
    /// Before each step of the scenario, and after the last one.
    var positions: [Position] = []
    /// The first step that comes while the app is at work, so that the moment decides what it meets.
    var interrupting: Int?
    /// Nil if it does not come to rest, or breaks a rule.
    var end: EndState?
    var breaksRule = false

    /// A position between two steps, and the state of the first device there.
    struct Position: Hashable, Sendable {
        /// Index of the step that follows.
        var step: Int
        var at = Instant.zero
        /// Whether nothing but timers waits, or only the end of what a step had waited for.
        var isQuiet = false
        /// Whether the app is in front and gets its user's input.
        var isInFront = false
        /// Whether the page has started and confirmed, and nothing is pending, downloading or in use.
        var isConfirmed = false
        /// Whether this process has the answer that the origin would give again, and has decided about it:
        /// it runs, is pending, parked or blacklisted. (Where manifests state no serial, another version
        /// than the one that runs is in doubt until a second answer names it, U8.) The process then knows
        /// the origin's time, too: of a process that ends without it, an entry of the blacklist counts from
        /// the next answer only (R5), so that neither another process nor another check is the same to it.
        var knowsOffer = false
        var isOnline = false
        /// Whether time that passes here leaves the order of what is published before and after it. A
        /// manifest without a serial has only a date, in whole seconds: two of one second contradict each
        /// other (U8).
        var keepsOrder = true
        /// Version of the page in front.
        var running: String?
    }

    init(_ scenario: Scenario) { self.scenario = scenario }

    /// Steps of faults and odd surroundings before a position that nothing has ended: what comes next may
    /// meet them.
    func isUndisturbed(before position: Position) -> Bool {
        var isUndisturbed = true
        for step in scenario.steps[..<position.step] {
            switch step.action {
            // What is damaged stays so when faults are healed; whatever reads it first finds it (R10).
            case .disk: return false
            case .fault, .powerCut, .crash: isUndisturbed = false
            case .heal(nil): isUndisturbed = true
            case .repeat: return false
            default: break
            }
        }
        return isUndisturbed
    }

    /// Whether a later step damages the record: what its older generation says depends on how often it was
    /// written.
    func isRecordDamaged(after position: Position) -> Bool {
        scenario.steps[position.step...].contains { step in
            switch step.action {
            case .disk(let spec):
                switch spec.file.value {
                case .record, .records: true
                default: false
                }
            case .repeat: true
            default: false
            }
        }
    }

    /// Whether a later step makes disk calls fail: which of them it meets depends on how many there are.
    func failsDisk(after position: Position) -> Bool {
        scenario.steps[position.step...].contains { step in
            switch step.action {
            case .fault(let spec): spec.kind.failsDiskCalls
            case .repeat: true
            default: false
            }
        }
    }

    /// Whether a later step names a page of an earlier one, which is gone after a relaunch.
    func needsEarlierPage(after position: Position) -> Bool {
        let earlier = scenario.steps[..<position.step].compactMap(\.name?.value)
        return scenario.steps[position.step...].contains { step in
            guard case .page(let spec) = step.action, let page = spec.page?.value else { return false }
            return earlier.contains(page)
        }
    }

    /// Whether the app may come to the front within a quarter of an hour. Then it checks only if the last
    /// check was not within that time (U3).
    func returnsSoon(after position: Position) -> Bool {
        positions.contains { later in
            guard later.step >= position.step, later.at - position.at <= .minutes(16),
                scenario.steps.indices.contains(later.step)
            else { return false }
            switch scenario.steps[later.step].action {
            case .foreground, .launch, .repeat: return true
            default: return false
            }
        }
    }

    /// Whether the version that runs at a position starts in the same way each time: nothing is said about
    /// its start; and no version's first starts are of another kind, which are told apart by their
    /// processes.
    func startsAlike(at position: Position) -> Bool {
        if scenario.versions.contains(where: { $0.startup.first != nil }) { return false }
        guard let startup = position.running.flatMap({ scenario.version($0) })?.startup else { return false }
        return startup.behaviour == StartupSpec().behaviour && startup.onNative.isEmpty
            && startup.needs == nil
    }

    /// A step that waits for a moment of another thing, or of the clock.
    var triggered: Step? {
        NumberedStep.all(of: scenario).map(\.step).first { $0.trigger != nil || !$0.anyOrder.isEmpty }
    }

    /// A fault that makes disk calls fail.
    var failingDisk: Step? { firstFault { $0.kind.failsDiskCalls } }

    /// A fault that ends after a time of its own: what comes a moment earlier or later may not meet it.
    var passingFault: Step? { firstFault { $0.duration != nil } }

    /// A fault that damages or replaces manifests: what a damaged one says is drawn anew with each request,
    /// and one that is valid by chance is taken; another one may name a version that the origin has, too,
    /// and which of the two the device ends with is told by no name.
    var changingManifests: Step? {
        firstFault { spec in
            guard spec.target == nil || spec.target == .manifest else { return false }
            switch spec.kind {
            case .corrupt: return true
            case .answer(let answer): return answer.body != nil
            default: return false
            }
        }
    }

    private func firstFault(where matches: (FaultSpec) -> Bool) -> Step? {
        NumberedStep.all(of: scenario).map(\.step).first { step in
            if case .fault(let spec) = step.action { matches(spec) } else { false }
        }
    }

    /// - Throws: if the moment at which something happens decides what it meets.
    func requireNoRace() throws(NotApplicable) {
        if let step = triggered {
            throw NotApplicable("\(scenario.text(of: step)) comes at a moment of its own")
        }
        if let interrupting {
            throw NotApplicable("step \(interrupting + 1) comes while the app is at work")
        }
    }

    /// The same offer twice settles its number: another version of that number is refused then (U8).
    /// - Throws: if a step states a number, which two versions may have.
    func requireOwnNumbers() throws(NotApplicable) {
        let stated = NumberedStep.all(of: scenario).map(\.step).first { step in
            if case .deploy(let deploy) = step.action { deploy.serial != nil } else { false }
        }
        guard let stated else { return }
        throw NotApplicable("\(scenario.text(of: stated)) may give two versions one number")
    }

    /// The first, the middle and the last of some positions, with steps inserted there between two pauses.
    func inserting(
        _ actions: [Action], at all: [Position], _ what: String
    ) throws(NotApplicable) -> [Variant] {
        if let step = triggered {
            throw NotApplicable("\(scenario.text(of: step)) comes at a moment of its own")
        }
        let all = all.filter(\.keepsOrder)
        guard let first = all.first, let last = all.last else {
            throw NotApplicable("there is no moment for it")
        }
        var positions = [first]
        for position in [all[all.count / 2], last] where !positions.contains(position) {
            positions.append(position)
        }
        return positions.map { position in
            var changed = scenario
            let steps = ([.settle] + actions + [.settle]).map { Step(action: $0) }
            changed.steps.insert(contentsOf: steps, at: position.step)
            let isLast = position.step == scenario.steps.count
            return Variant(
                name: what + (isLast ? " after the last step" : " before step \(position.step + 1)"),
                scenario: changed)
        }
    }
}

/// Notes the positions of a run while it is performed.
struct PositionNotes {
    private(set) var positions: [UnchangedRun.Position] = []
    private(set) var interrupting: Int?
    /// Steps of the scenario that have begun, by the location of their text.
    private let topLevel: [SourceSpan]
    private var next = 0
    /// When the last step that acts began, if all before it came while nothing was under way.
    private var acted: Instant?
    /// When a page was last told to do something. A second navigation at that instant interrupts the first.
    private var toldPage: Instant?
    /// Whether the last step has waited for something, which then came.
    private var hasAwaited = false
    /// Event of the trace after which the origin's offer and the app's settings are as they were.
    private var seen = 0
    /// Whether this process could not write a change of the record: the next one writes its own.
    private var isRecordUnwritten = false
    /// Whether a page of the process holds off switches (U6), which no other process knows.
    private var isHeldOff = false
    /// Id of the version that the last answer offers, as long as the origin would give it again.
    private var offered: String?

    /// Whether edges keep their answers for a while: then the origin soon answers otherwise.
    private let hasAges: Bool
    /// Whether manifests state no serial.
    private let hasOnlyDates: Bool
    /// When the origin's offer changed last.
    private var published: Instant?

    init(_ scenario: Scenario) {
        topLevel = scenario.steps.map(\.span)
        hasOnlyDates = scenario.app.manifest != .own
        hasAges = !scenario.origin.ages.isEmpty
    }

    /// - Parameter step: nil: after the last one.
    mutating func begin<RunBackend: Backend>(_ step: Step?, _ run: ScenarioRun<RunBackend>) {
        follow(run.backend.trace)
        let isSettled = run.backend.isSettled
        if let step {
            // The others are inside a `repeat`: they may interrupt something, and are no positions.
            let isTopLevel = next < topLevel.count && topLevel[next] == step.span
            if step.verb.acts {
                let now = run.backend.now
                let isOfPage = if case .page = step.action { true } else { false }
                let isAtOnce = (acted == now && !(isOfPage && toldPage == now)) || now == .zero
                if isOfPage { toldPage = now }
                if !isSettled, !isAtOnce, !hasAwaited, interrupting == nil {
                    interrupting = isTopLevel ? next : max(next - 1, 0)
                }
                acted = now
            }
            guard isTopLevel else {
                hasAwaited = step.waits
                return
            }
        }
        positions.append(position(run, isSettled: isSettled))
        next += 1
        hasAwaited = step?.waits ?? false
    }

    private func position<RunBackend: Backend>(
        _ run: ScenarioRun<RunBackend>, isSettled: Bool
    ) -> UnchangedRun.Position {
        var position = UnchangedRun.Position(step: next, at: run.backend.now)
        let view = run.backend.view(of: 0)
        let status = view.status
        // A start that has not ended is under way, though only its clock is left (R3): what takes time may
        // bring it to its end.
        let isAtRest = (isSettled || hasAwaited) && view.hasConfirmed
        position.isQuiet =
            isAtRest && status?.downloading == nil && view.process != nil && !isRecordUnwritten
            && !isHeldOff
        position.isInFront = view.isInForeground && view.isActive && !view.isSuspended
        position.isConfirmed =
            view.hasConfirmed && view.webViews.count == 1 && view.webViews.first?.state == .ready
            && !view.isInUse && status?.pending == nil && status?.parked.isEmpty ?? false
            && status?.current == status?.lastKnownGood
        position.isOnline = view.network == .online
        position.keepsOrder =
            !hasOnlyDates || published.map { run.backend.now - $0 >= .seconds(1) } ?? true
        let decided = [status?.current, status?.pending].compactMap(\.self) + (status?.blacklist ?? [])
        // An answer that names what runs drops what waits: it came before a rescue, and meant nothing then.
        let dropsPending = status?.pending != nil && status?.current?.id == offered
        position.knowsOffer =
            !hasAges && !dropsPending && (decided + (status?.parked ?? [])).contains { $0.id == offered }
        position.running = view.running
        return position
    }

    private mutating func follow(_ trace: [TraceEvent]) {
        for event in trace[min(seen, trace.count)...] {
            switch event.kind {
            case .deployed, .deployedFor, .recalled, .unblocked: (offered, published) = (nil, event.at)
            case .launched: (offered, isRecordUnwritten, isHeldOff) = (nil, false, false)
            case .log(let entry) where entry.cause == .recordNotWritten: isRecordUnwritten = true
            case .called(_, .holdOff, _): isHeldOff = true
            case .called(_, .release, _): isHeldOff = false
            case .routed, .settingsChanged, .installed, .networkChanged: offered = nil
            case .requestSent(let request) where request.kind == .manifest: offered = nil
            case .answerHead(_, let status, let id?, _) where status < 400: offered = id
            default: break
            }
        }
        seen = trace.count
    }
}

extension Step {
    /// Whether the step ends when what it waits for has come, or nothing is under way.
    fileprivate var waits: Bool {
        switch action {
        case .settle: true
        case .expect(let spec): spec.within != nil
        default: false
        }
    }
}
