import AppHost
import Core
import ScenarioLanguage
import Updater

/// An action that waits, and what it has seen so far.
struct ScheduledAction: Sendable {
    let scheduled: TriggeredAction
    let device: Int
    let scheduledAt: Instant
    var isDone = false
    /// Its condition has come true.
    var due = Due.no
    /// Requests seen that fit.
    var seen = 0
    /// When its trigger came, and when the action happened.
    private(set) var comeAt: Instant?
    private(set) var doneAt: Instant?
    /// Of the file that it waits for, the most that was there.
    private var stored: (bytes: Int, of: Int)?

    init(_ scheduled: TriggeredAction, device: Int, at: Instant) {
        self.scheduled = scheduled
        self.device = device
        scheduledAt = at
    }

    enum Due: Sendable {
        case no
        /// Before the event's consequences.
        case now
        /// When what the event brought has been dealt with.
        case later
    }

    var condition: TriggerCondition? {
        switch scheduled.trigger {
        case .at, .delay: nil
        case .when(let condition), .after(let condition): condition.value
        }
    }

    var isBefore: Bool {
        if case .when = scheduled.trigger { return true }
        return false
    }

    mutating func come(at instant: Instant) { if comeAt == nil { comeAt = instant } }

    mutating func done(at instant: Instant) {
        come(at: instant)
        isDone = true
        doneAt = instant
    }

    mutating func saw(bytes: Int, of size: Int) {
        if bytes > stored?.bytes ?? 0 { stored = (bytes, size) }
    }

    var armed: ArmedAction {
        var armed = ArmedAction(
            step: scheduled.step, device: device, trigger: scheduled.trigger, scheduledAt: scheduledAt)
        if let doneAt {
            armed.state = .done(doneAt)
        } else if isDone {
            armed.state = .disarmed(cameAt: comeAt)
        } else if let comeAt {
            armed.state = .come(comeAt)
        }
        if case .asked = condition { armed.reach = .requests(seen) }
        if let stored { armed.reach = .bytes(stored.bytes, of: stored.of) }
        return armed
    }
}

extension World {
    /// Does it when its trigger says so. Events before now do not count.
    package mutating func schedule(_ scheduled: TriggeredAction, device: Int = 0) {
        self.scheduled.append(ScheduledAction(scheduled, device: device, at: now))
        let number = self.scheduled.count - 1
        switch scheduled.trigger {
        case .at(let span): schedule(number, at: Instant.zero + span.value, device)
        case .delay(let span): schedule(number, at: now + span.value, device)
        case .when, .after: break
        }
    }

    private mutating func schedule(_ number: Int, at: Instant, _ device: Int) {
        kernel.schedule(
            WorldEvent(device: Int32(device), process: 0, cause: stepCause, what: .scheduled(number)), at: at)
    }

    /// Scheduled actions that have not happened, and still can.
    package var waitingActions: [TriggeredAction] { scheduled.filter { !$0.isDone }.map(\.scheduled) }

    mutating func performScheduled(_ number: Int) {
        guard scheduled.indices.contains(number), !scheduled[number].isDone else { return }
        scheduled[number].done(at: now)
        let waiting = scheduled[number]
        act(waiting.scheduled.namedAction, step: waiting.scheduled.step, waiting.device)
    }

    /// Performs what a fact has made due.
    mutating func performDue() {
        for number in scheduled.indices where !scheduled[number].isDone {
            switch scheduled[number].due {
            case .no: continue
            case .now: performScheduled(number)
            case .later: performLater(number)
            }
        }
    }

    /// Behind everything that waits for the process.
    private mutating func performLater(_ number: Int) {
        scheduled[number].due = .no
        let device = scheduled[number].device
        guard devices[device].isRunning, !devices[device].process.isSuspended else {
            return performScheduled(number)
        }
        scheduled[number].come(at: now)
        post(.input(.marker(number)), device)
    }

    private mutating func fall(due number: Int) {
        scheduled[number].due = scheduled[number].isBefore ? .now : .later
    }

    // MARK: - What comes true

    /// Looks whether a fact is what a trigger waits for.
    mutating func notice(_ kind: TraceEvent.Kind, _ device: Int) {
        for number in scheduled.indices where !scheduled[number].isDone && scheduled[number].device == device
        {
            guard let condition = scheduled[number].condition, isMet(condition, by: kind, device) else {
                continue
            }
            if case .asked(_, let nth) = condition {
                scheduled[number].seen += 1
                if scheduled[number].seen != nth { continue }
            }
            fall(due: number)
        }
    }

    private func isMet(_ condition: TriggerCondition, by kind: TraceEvent.Kind, _ device: Int) -> Bool {
        switch condition {
        case .asked(let subject, _):
            if case .requestSent(let request) = kind { return subject.fits(request.kind, library) }
        case .pending(let name):
            if case .status(let status) = kind { return isVersion(name.value, status.pending) }
        case .running(let name):
            if case .status(let status) = kind { return isVersion(name.value, status.current) }
        case .started(let name):
            if case .pageLoad(_, _, let key) = kind { return isVersion(name.value, key) }
        case .confirmed(let name):
            if case .log(let entry) = kind {
                return entry.cause == .startConfirmed && entry.version == id(name.value)
            }
            if case .called(let view, .startupDidComplete, _) = kind {
                return isShown(name.value, view, device)
            }
        case .progress(let percent):
            if case .screen = kind { return (devices[device].progress ?? -1) >= percent }
        case .stored, .fetched: return false
        }
        return false
    }

    private func id(_ name: String) -> String {
        library.place(ofVersion: name).map { library.versions[$0].id } ?? name
    }

    private func isVersion(_ name: String, _ key: VersionKey?) -> Bool {
        guard let key else { return false }
        return library.place(of: key).map { library.versions[$0].name == name } ?? (key.id == id(name))
    }

    private func isShown(_ name: String, _ id: WebViewID, _ device: Int) -> Bool {
        guard let place = library.place(ofVersion: name),
            let view = devices[device].process.webViews.first(where: { $0.id == id })
        else { return false }
        return view.view.view.versions.contains(place)
    }

    /// Bytes of a route's file have been handed to the process: a trigger comes right behind them.
    mutating func storedGrew(
        _ kind: OriginRequest.Kind, from: Int, to: Int, of size: Int, _ device: Int
    ) {
        for number in scheduled.indices where !scheduled[number].isDone && scheduled[number].device == device
        {
            guard case .stored(let amount, let route)? = scheduled[number].condition,
                library.names(route.value, kind)
            else { continue }
            let wanted = amount.bytes(of: size)
            scheduled[number].saw(bytes: to, of: size)
            if from < wanted, to >= wanted { mark(number, device) }
        }
    }

    mutating func noticeFetched(_ kind: OriginRequest.Kind, _ device: Int, isBefore: Bool) {
        if scheduled.isEmpty { return }
        for number in scheduled.indices where !scheduled[number].isDone && scheduled[number].device == device
        {
            guard case .fetched(let route)? = scheduled[number].condition, library.names(route.value, kind),
                scheduled[number].isBefore == isBefore
            else { continue }
            // An app outside has its bytes on their way.
            if isBefore, !devices[device].isAppOutside {
                performScheduled(number)
            } else {
                mark(number, device)
            }
        }
    }

    /// The trigger has come; its action stands behind what the app still has to deal with.
    private mutating func mark(_ number: Int, _ device: Int) {
        guard devices[device].isRunning else { return }
        scheduled[number].come(at: now)
        deliver(.marker(number), device)
    }

    // MARK: - Races

    /// Whether a race's order holds this back; lets go what it makes free.
    mutating func isHeld(_ input: AppInput, _ device: Int, _ process: Int) -> Bool {
        guard let event = race(input) else { return false }
        for number in gates.indices where !gates[number].isDone {
            let held = RaceBarrier.Held(device: device, process: process, input: input)
            switch gates[number].meet(event, held) {
            case .isOther: continue
            case .waits: return true
            case .comes(let waiting):
                fact(.raced(event), device)
                deliver(input, device)
                for next in waiting {
                    fact(.raced(next.event), device)
                    letGo(next.input)
                }
                return true
            }
        }
        return false
    }

    private mutating func letGo(_ held: RaceBarrier.Held) {
        guard devices[held.device].process.number == held.process else { return }
        deliver(held.input, held.device)
    }

    /// The order did not come about in its time: everything goes on as it comes.
    mutating func openGate(_ number: Int) {
        guard gates.indices.contains(number), !gates[number].isDone else { return }
        fact(.raceGivenUp(step: gates[number].step), -1)
        for held in gates[number].giveUp() { letGo(held) }
    }

    private func race(_ input: AppInput) -> RacingEvent? {
        switch input {
        case .webView(_, .navigating): .navigationStarts
        case .webView(_, .message(let bytes, _)):
            if contains(bytes, "switchToPendingVersion") {
                .switchApplied
            } else if contains(bytes, "startupDidComplete") {
                .confirmationArrives
            } else {
                nil
            }
        case .connection(_, .received(let bytes)):
            contains(bytes, "Sec-Fetch-Dest: document") ? .indexRequested : nil
        case .launched, .again, .timer, .transfer, .listener, .connection, .upstream, .webView, .foreground,
            .background,
            .suspended, .resumed, .push, .check, .network, .user, .settings, .marker:
            nil
        }
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, bytes.count >= wanted.count else { return false }
        for start in 0...(bytes.count - wanted.count) where bytes[start] == first {
            if bytes[start..<start + wanted.count].elementsEqual(wanted) { return true }
        }
        return false
    }
}
