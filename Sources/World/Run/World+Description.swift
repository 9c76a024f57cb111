import Core

/// In a line: a failed expectation names a world, and printing all of one takes seconds.
extension World: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "World(\(now.microseconds / 1_000) ms, \(eventCount) events, \(factCount) facts)"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
