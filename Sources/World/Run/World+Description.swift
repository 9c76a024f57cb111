import Core

/// In a line: a failed expectation names a world, and printing all of one takes seconds.
extension World: CustomStringConvertible, CustomReflectable {
    package var description: String {
        "World(\(now.microseconds / 1_000) ms, \(eventCount) events, \(factCount) facts)"
    }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
