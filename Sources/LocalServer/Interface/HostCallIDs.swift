extension LocalServer {
    /// A navigation that waits for ``Event/answerNavigation(_:_:)``; unique within a process.
    public struct NavigationID: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: NavigationID, right: NavigationID) -> Bool { left.number < right.number }
    }

    /// A bridge message that waits for ``Event/bridgeAnswer(_:_:)``; unique within a process.
    public struct BridgeCall: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: BridgeCall, right: BridgeCall) -> Bool { left.number < right.number }
    }

    /// A request that waits for ``Event/handlerAnswer(_:_:)``; unique within a process.
    public struct HandlerCall: Hashable, Comparable, Sendable {
        public let number: UInt32

        public init(_ number: UInt32) { self.number = number }

        public static func < (left: HandlerCall, right: HandlerCall) -> Bool { left.number < right.number }
    }
}
