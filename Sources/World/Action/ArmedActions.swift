import Backend
import Core
import ScenarioLanguage

/// Actions that wait for their triggers, in the order in which they were armed.
///
/// Invariants
/// - An action keeps its index for as long as the world exists; queued events name it by that index.
/// - An action happens at most once: a done one is never due again.
/// - A disarmed action never happens.
///
/// Deliberately not here: which event meets a condition (``World/notice(_:_:)``), and performing the action.
struct ArmedActions: Sendable {
    private var actions: [ScheduledAction] = []

    var isEmpty: Bool { actions.isEmpty }
    var indices: Range<Int> { actions.indices }

    subscript(index: Int) -> ScheduledAction { actions[index] }

    /// Every action that was ever armed, with its current state.
    var all: [ArmedAction] { actions.map(\.armed) }

    /// Actions that can still happen.
    var waiting: [TriggeredAction] { actions.filter { !$0.isDone }.map(\.scheduled) }

    mutating func arm(_ scheduled: TriggeredAction, device: Int, at instant: Instant) -> Int {
        actions.append(ScheduledAction(scheduled, device: device, at: instant))
        return actions.count - 1
    }

    /// Actions that have not happened never will.
    mutating func disarm() {
        for index in actions.indices { actions[index].isDone = true }
    }

    /// The condition of an action that still waits on this device; nil if there is none.
    func condition(of index: Int, on device: Int) -> TriggerCondition? {
        guard !actions[index].isDone, actions[index].device == device else { return nil }
        return actions[index].condition
    }

    /// An event met the condition. The action is due with it, or with the n-th such event.
    mutating func meet(_ index: Int) {
        if case .asked(_, let nth) = actions[index].condition {
            actions[index].seen += 1
            if actions[index].seen != nth { return }
        }
        actions[index].due = actions[index].isBefore ? .now : .later
    }

    /// The most bytes of a file that the device had so far, for the report.
    mutating func noteStored(_ index: Int, bytes: Int, of size: Int) {
        actions[index].saw(bytes: bytes, of: size)
    }

    /// The trigger has fired; the action follows the inputs that the app still has to handle.
    mutating func triggered(_ index: Int, at instant: Instant) {
        actions[index].due = .no
        actions[index].trigger(at: instant)
    }

    /// When the action is due; `no` if it has happened or was disarmed.
    func due(_ index: Int) -> ScheduledAction.Due { actions[index].isDone ? .no : actions[index].due }

    /// Takes an action to perform it now; nil if it has happened or was disarmed.
    mutating func take(_ index: Int, at instant: Instant) -> ScheduledAction? {
        guard actions.indices.contains(index), !actions[index].isDone else { return nil }
        actions[index].done(at: instant)
        return actions[index]
    }
}

/// One armed action, and how near its trigger came to firing.
struct ScheduledAction: Sendable {
    let scheduled: TriggeredAction
    let device: Int
    let scheduledAt: Instant
    fileprivate var isDone = false
    /// Whether an event has met the condition, and when the action follows it.
    fileprivate var due = Due.no
    /// Number of requests that met the condition.
    fileprivate var seen = 0
    /// Times at which the trigger fired and the action happened.
    private var triggeredAt: Instant?
    private var doneAt: Instant?
    /// The most bytes of the awaited file that the device had, and the file's size.
    private var stored: (bytes: Int, of: Int)?

    fileprivate init(_ scheduled: TriggeredAction, device: Int, at: Instant) {
        self.scheduled = scheduled
        self.device = device
        scheduledAt = at
    }

    enum Due: Sendable {
        case no
        /// Before the consequences of the event.
        case now
        /// After the app has handled the inputs that the event brought.
        case later
    }

    var condition: TriggerCondition? {
        switch scheduled.trigger {
        case .at, .delay: nil
        case .when(let condition), .after(let condition): condition.value
        }
    }

    /// Whether the action precedes the consequences of its trigger (`when`, not `after`).
    var isBefore: Bool {
        if case .when = scheduled.trigger { return true }
        return false
    }

    fileprivate mutating func trigger(at instant: Instant) { if triggeredAt == nil { triggeredAt = instant } }

    fileprivate mutating func done(at instant: Instant) {
        trigger(at: instant)
        isDone = true
        doneAt = instant
    }

    fileprivate mutating func saw(bytes: Int, of size: Int) {
        if bytes > stored?.bytes ?? 0 { stored = (bytes, size) }
    }

    fileprivate var armed: ArmedAction {
        var armed = ArmedAction(
            step: scheduled.step, device: device, trigger: scheduled.trigger, scheduledAt: scheduledAt)
        if let doneAt {
            armed.state = .done(doneAt)
        } else if isDone {
            armed.state = .disarmed(triggeredAt: triggeredAt)
        } else if let triggeredAt {
            armed.state = .triggered(triggeredAt)
        }
        if case .asked = condition { armed.progress = .requests(seen) }
        if let stored { armed.progress = .bytes(stored.bytes, of: stored.of) }
        return armed
    }
}
