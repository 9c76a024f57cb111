import Core

/// One line, because a failed test prints its world, and a whole one takes seconds.
extension World: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "World(\(now.microseconds / 1_000) ms, \(eventCount) events, \(traceEventCount) trace events)"
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
