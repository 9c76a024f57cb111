/// What a backend lets an observer see beside requests, pages and processes, which each one shows.
///
/// An expectation about anything else is *not judged*: it counts neither for nor against the app.
package struct Visibility: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let pending = Visibility(rawValue: 1)
    /// Proven versions.
    package static let good = Visibility(rawValue: 1 << 1)
    package static let blacklist = Visibility(rawValue: 1 << 2)
    package static let parked = Visibility(rawValue: 1 << 3)
    /// Native screens, and so the time in which the user sees nothing.
    package static let screen = Visibility(rawValue: 1 << 4)
    /// What the app itself reports: its log, its error report, its outcomes, the messages to its pages, its
    /// starts, and what it forwards.
    package static let reports = Visibility(rawValue: 1 << 5)
    /// The files of the device's disk.
    package static let disk = Visibility(rawValue: 1 << 6)

    package static let all = Visibility(rawValue: (1 << 7) - 1)
    /// Requests, pages and processes alone.
    package static let outside: Visibility = []
}
