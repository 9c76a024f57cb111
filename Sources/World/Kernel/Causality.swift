/// Which trace event caused the next one, by ordinal; 0 means none.
///
/// Invariants
/// - What is scheduled while an event is handled is caused by the last trace event recorded for it, or by the
///   event's own cause if none was recorded.
/// - What the scenario does has no cause, whatever happened before it.
struct Causality: Sendable {
    /// Cause of the event that is handled now.
    private(set) var current: Int32 = 0
    /// The last trace event: the cause of what is scheduled from here.
    private(set) var last: Int32 = 0

    /// An event is handled whose cause is known.
    mutating func begin(_ cause: Int32) {
        current = cause
        last = cause
    }

    /// The scenario acts.
    mutating func beginAction() { begin(0) }

    /// An external app acts because of the last trace event.
    mutating func continueFromLast() { current = last }

    mutating func recorded(_ number: Int) { last = Int32(truncatingIfNeeded: number) }

    /// As a ``TraceEvent`` states it.
    var cause: Int? { current == 0 ? nil : Int(current) }
}
