/// The laboratory: reads scenario files, runs each in a world of its own, watches the rules of the
/// rulebook after every event, and says what it found.
///
/// It promises that a run is a function of scenario, seed and program; that its checkers know nothing
/// but facts, bytes and disk images; and that one bad file never hides the others.
package enum Laboratory {
    /// Stands in every report.
    package static let version = "0.1.0"
}
