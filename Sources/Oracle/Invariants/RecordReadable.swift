import Backend
import Core
import Updater

/// R8: the record is always readable, in its old or its new state.
///
/// Once a record has been durable, every later durable image and every later live image has a valid one, and
/// generations only grow.
///
/// Silent about: generations after the scenario has damaged a slot, until that slot is written again; until
/// then no generation may read; and after a process that could read neither slot (`record-lost`), which can't
/// know how far they were. The durable image may still show the content below the damage, so generations
/// may begin below it. A generation whose write the updater reports as failed is not committed: it may be
/// taken back, even if the disk had made it durable.
struct RecordReadable: RuleChecker {
    let rule = "R8"
    var decided = 0

    /// Last durable generation, and the one before it.
    private var generation: UInt64?
    private var previous: UInt64?
    /// Whether there was no record before the last durable generation, apart from what was taken back.
    private var isFirst = false
    /// A generation that processes see no more, and by when its write must be reported as failed.
    private var withdrawn: (generation: UInt64, due: Instant)?
    /// A generation whose write was reported as failed.
    private var takenBack: UInt64?
    /// Whether the last durable generation may still be reported as failed: the close of its file follows its
    /// sync, and no state that depends on it was reported. Later than ``timeToClose`` it is the report of
    /// another write, unless there was none before.
    private var isUnreported = false
    /// When the last generation was durable.
    private var durableAt = Instant.zero
    private var damaged = DamagedSlots()
    /// Whether a process could read neither slot, and has not written both.
    private var isLost = false
    /// The slots of the durable image at the last change. Not the image: a second reference to its lists
    /// would have them copied at each of their changes.
    private var lastSlots = DamagedSlots.Present()

    private static let timeToReport = TimeSpan.seconds(10)
    private static let timeToClose = TimeSpan.milliseconds(1)

    /// Leaves out what waits for a report, because a process that has ended reports nothing.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(generation)
        hasher.combine(previous)
        hasher.combine(isFirst)
        hasher.combine(takenBack)
        hasher.combine(isUnreported)
        hasher.combine(damaged)
        hasher.combine(isLost)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .damaged(let path):
            generation = store.durable.generation
            withdrawn = nil
            damaged.damaged(path, in: store.durable, before: lastSlots)
        case .log(let entry) where entry.cause == .recordNotWritten:
            if let withdrawn {
                takenBack = withdrawn.generation
            } else if isUnreported, isFirst || event.at - durableAt <= RecordReadable.timeToClose {
                takenBack = generation
            }
            withdrawn = nil
            isUnreported = false
        case .log(let entry) where entry.cause == .recordLost: isLost = true
        case .status: isUnreported = false
        case .processEnded, .powerCut: withdrawn = nil
        default: return overdue(observed)
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    mutating func storeChanged(_ store: StoreView, in observed: ObservedState) -> Violation? {
        defer { lastSlots = DamagedSlots.Present(in: store.durable) }
        guard let known = generation else {
            become(store.durable.generation, at: observed.now)
            return nil
        }
        let mayGoBack = !damaged.isEmpty
        if mayGoBack, store.durable.generation == nil || store.live.generation == nil { return nil }
        decided += 1
        if !mayGoBack { noteWithdrawal(of: known, store.live, observed) }
        guard let durable = store.durable.generation else {
            if isFirst, takenBack == known {
                become(nil, at: observed.now)
                return nil
            }
            return Violation(
                "A power cut now would leave no record that reads",
                expected: "generation \(known) or a newer one",
                actual: ViolationText(RecordReadable.slots(store.durable)))
        }
        let mayBeAbsent = isFirst && (takenBack == known || withdrawn != nil)
        guard store.live.generation != nil || mayBeAbsent else {
            return Violation(
                "No generation of the record reads", expected: "generation \(known) or a newer one",
                actual: ViolationText(RecordReadable.slots(store.live)))
        }
        damaged.removeWritten(in: store.durable)
        // From the one before, the next process may have written one already.
        if durable < known, !mayGoBack, !isLost, takenBack != known || durable < previous ?? 0 {
            return wentBack(from: known, to: durable)
        }
        become(durable, at: observed.now)
        return nil
    }

    private mutating func become(_ durable: UInt64?, at now: Instant) {
        guard durable != generation else { return }
        let isLater = durable ?? 0 > generation ?? 0
        isFirst = isLater ? generation == nil || isFirst && takenBack == generation : durable == 1
        // What was taken back is not what the next generation can be taken back to.
        if !isLater { previous = nil } else if takenBack != generation { previous = generation }
        generation = durable
        if isLater { isLost = false }
        withdrawn = nil
        takenBack = nil
        isUnreported = isLater
        durableAt = now
    }

    /// The running process has removed the last durable generation and left the one before it.
    private mutating func noteWithdrawal(of known: UInt64, _ image: StoreImage, _ observed: ObservedState) {
        let live = image.generation
        // One that does not read was not removed.
        guard image.slotA != .invalid, image.slotB != .invalid else { return }
        guard live ?? 0 < known, live == previous, live != nil || isFirst, observed.isAlive,
            takenBack != known, withdrawn == nil
        else { return }
        if observed.logged([.recordNotWritten], since: observed.now) != nil {
            takenBack = known
        } else {
            withdrawn = (known, observed.now + RecordReadable.timeToReport)
        }
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard let late = withdrawn, observed.now > late.due else { return nil }
        withdrawn = nil
        return wentBack(from: late.generation, to: previous)
    }

    private func wentBack(from known: UInt64, to other: UInt64?) -> Violation {
        Violation(
            "The record went back", expected: "generation \(known) or a newer one",
            actual: other.map { "generation \($0)" } ?? "no record")
    }

    private static func slots(_ image: StoreImage) -> String {
        "record.a \(text(image.slotA)), record.b \(text(image.slotB))"
    }

    private static func text(_ slot: StoreImage.Slot) -> String {
        switch slot {
        case .absent: "absent"
        case .invalid: "does not read"
        case .valid(let record): "generation \(record.generation)"
        }
    }
}
