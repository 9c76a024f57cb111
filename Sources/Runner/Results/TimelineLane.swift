/// The part of the system that a timeline entry belongs to, in the order of a report's columns.
package enum TimelineLane: String, Hashable, Sendable, CaseIterable {
    /// The scenario itself: steps, marks, expectations.
    case lab
    case origin
    case network
    case disk
    case updater
    case server
    case page
    case user
    case device
}
