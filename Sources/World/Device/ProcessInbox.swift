import Core

/// Inputs of a process that wait because the disk work of its last step takes time, or because it is
/// suspended or stopped, in two lanes as in a shell (``LaneQueue``).
///
/// Invariants
/// - Inputs of a lane are handled in order, and one is handled at once only if none waits.
/// - At most one queued event wakes the process.
struct ProcessInbox: Sendable {
    private var inputs = LaneQueue<AppInput>()
    /// Time at which the disk work of the last step ends.
    private(set) var busyUntil = Instant.zero
    /// Whether a queued event will take the next input.
    private(set) var isWakeSet = false
    /// Whether the process is suspended or stopped, so that no input is taken.
    var isPaused = false

    /// Whether an input that arrives now is handled at once, or as soon as the disk work is done.
    var isFree: Bool { inputs.isEmpty && !isPaused }

    /// Whether an input waits and no queued event will take it.
    var wantsWake: Bool { !inputs.isEmpty && !isWakeSet && !isPaused }

    mutating func add(_ input: AppInput) { inputs.append(input, input.lane) }

    /// Adds inputs, the urgent ones before all that wait. Those of the background lane follow the others of
    /// that lane, which have arrived before: the end of a transfer comes after its bytes.
    mutating func addFirst(_ news: [AppInput]) {
        inputs.prepend(news.filter { $0.lane == .urgent })
        for input in news where input.lane == .background { inputs.append(input, .background) }
    }

    /// Moves timers behind all other inputs of their lane: a loop that was stopped handles what has arrived
    /// first.
    mutating func moveTimersLast() {
        inputs.moveLast { if case .timer = $0 { true } else { false } }
    }

    mutating func next() -> AppInput? { inputs.next() }

    /// Removes inputs of a timer that was cancelled or set again, or of a transfer that was cancelled.
    mutating func remove(_ isObsolete: (AppInput) -> Bool) {
        inputs.removeAll(where: isObsolete)
    }

    /// Takes out the notices that the app leaves the front, or is no longer active.
    mutating func takeLeavingFront() -> [AppInput] {
        var notices: [AppInput] = []
        inputs.removeAll { input in
            guard input == .inactive || input == .background else { return false }
            notices.append(input)
            return true
        }
        return notices
    }

    mutating func setBusy(until instant: Instant) { busyUntil = instant }

    mutating func wakeWasSet() { isWakeSet = true }

    mutating func woke() { isWakeSet = false }
}
