import World

/// The limits of a crash-point search.
package struct CrashLimits: Hashable, Sendable {
    /// Maximum number of crashes: 1 for single crashes, 2 for a second one within the recovery too.
    package var depth = 2
    /// Number of first crashes that are followed by second ones at each operation of the recovery, spread
    /// evenly over those that left new states; nil for all.
    package var second: Int?
    /// Number of outcomes tried at one operation: the kill, then power cuts, one of each class that exists
    /// there, then others at even intervals; nil for all. If there are more classes, they take turns.
    package var outcomes: Int? = CrashLimits.classes
    /// Only every n-th operation of the scenario, and of a recovery, is tried. The offset depends on the
    /// scenario's name, so that scenarios that begin alike don't all leave out the same operations.
    package var every = 1
    /// Maximum number of findings kept for a scenario; all are counted.
    package var findings = 8

    /// Number of classes: the kill, and each class of a power cut.
    package static let classes = 1 + PowerCutClass.allCases.count

    package init() {}
}
