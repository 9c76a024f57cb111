import Core

/// Inputs of a process that wait because the disk work of its last step takes time, or because it is
/// suspended or stopped.
///
/// Invariants
/// - Inputs are handled in order: one is handled at once only if none waits.
/// - At most one queued event wakes the process.
struct ProcessInbox: Sendable {
    private var inputs: [AppInput] = []
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

    mutating func add(_ input: AppInput) { inputs.append(input) }

    /// Adds inputs before all that wait.
    mutating func addFirst(_ inputs: [AppInput]) { self.inputs.insert(contentsOf: inputs, at: 0) }

    /// Moves timers behind all other inputs: a loop that was stopped handles what has arrived first.
    mutating func moveTimersLast() {
        let isTimer: (AppInput) -> Bool = { if case .timer = $0 { true } else { false } }
        inputs = inputs.filter { !isTimer($0) } + inputs.filter(isTimer)
    }

    mutating func next() -> AppInput? { inputs.isEmpty ? nil : inputs.removeFirst() }

    /// Removes inputs of a timer that was cancelled or set again, or of a transfer that was cancelled.
    mutating func remove(_ isObsolete: (AppInput) -> Bool) {
        if !inputs.isEmpty { inputs.removeAll(where: isObsolete) }
    }

    mutating func setBusy(until instant: Instant) { busyUntil = instant }

    mutating func wakeWasSet() { isWakeSet = true }

    mutating func woke() { isWakeSet = false }
}
