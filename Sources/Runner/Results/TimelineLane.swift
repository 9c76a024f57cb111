/// Who did what a timeline entry tells. The order is that of the columns of a report.
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
