import Core

/// What reaches a process and waits, while the disk work of its last step takes time or it is suspended.
///
/// Invariants
/// - Nothing overtakes: an input is handled at once only if nothing waits.
/// - At most one queued event wakes the process.
struct ProcessInbox: Sendable {
    private var inputs: [AppInput] = []
    /// Time at which the disk work of the last step is done.
    private(set) var busyUntil = Instant.zero
    /// A queued event will take up the next input.
    private(set) var isWakeSet = false
    /// The process is suspended: nothing is taken up.
    var isPaused = false

    /// An input that comes now is handled at once, but for disk work that is not done.
    var isFree: Bool { inputs.isEmpty && !isPaused }

    /// Something waits, and no queued event takes it up.
    var wantsWake: Bool { !inputs.isEmpty && !isWakeSet && !isPaused }

    mutating func add(_ input: AppInput) { inputs.append(input) }

    /// These come before all that waits.
    mutating func addFirst(_ inputs: [AppInput]) { self.inputs.insert(contentsOf: inputs, at: 0) }

    mutating func next() -> AppInput? { inputs.isEmpty ? nil : inputs.removeFirst() }

    /// Removes inputs of a timer that was cancelled or set again, or of a transfer that was cancelled.
    mutating func remove(_ isObsolete: (AppInput) -> Bool) {
        if !inputs.isEmpty { inputs.removeAll(where: isObsolete) }
    }

    mutating func setBusy(until instant: Instant) { busyUntil = instant }

    mutating func wakeWasSet() { isWakeSet = true }

    mutating func woke() { isWakeSet = false }
}
