extension LocalServer {
    /// A navigation that waits for ``Event/navigationAnswer(_:_:)``; unique within a process.
    public struct NavigationID: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: NavigationID, right: NavigationID) -> Bool { left.number < right.number }
    }

    /// A bridge message that waits for ``Event/bridgeAnswer(_:_:)``; unique within a process.
    public struct BridgeCallID: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: BridgeCallID, right: BridgeCallID) -> Bool { left.number < right.number }
    }

    /// A request that waits for ``Event/handlerAnswer(_:_:)``; unique within a process.
    public struct HandlerCallID: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: HandlerCallID, right: HandlerCallID) -> Bool {
            left.number < right.number
        }
    }
}
