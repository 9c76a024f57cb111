/// Which trace event led to the next one, by their numbers; 0 stands for none.
///
/// Invariants
/// - What is scheduled while an event is handled is caused by the last trace event that it brought, or by the
///   event's own cause if it brought none.
/// - What a step of the scenario does is caused by that step, whatever happened before it.
struct Causality: Sendable {
    /// The last step of the scenario.
    private(set) var step: Int32 = 0
    /// What led to the event that is handled now.
    private(set) var current: Int32 = 0
    /// The last trace event: the cause of what is scheduled from here.
    private(set) var last: Int32 = 0

    /// An event is handled whose cause is known.
    mutating func begin(_ cause: Int32) {
        current = cause
        last = cause
    }

    /// The scenario acts.
    mutating func beginAction() { begin(step) }

    /// Something comes from outside the world, because of what it was told last.
    mutating func continueFromLast() { current = last }

    /// What follows has no cause of its own.
    mutating func forgetCurrent() { current = 0 }

    mutating func recorded(_ number: Int) { last = Int32(truncatingIfNeeded: number) }

    /// The last trace event was a step.
    mutating func stepBegan() { step = last }

    /// As a ``TraceEvent`` states it.
    var cause: Int? { current == 0 ? nil : Int(current) }
}
