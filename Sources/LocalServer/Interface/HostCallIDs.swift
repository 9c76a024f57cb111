extension LocalServer {
    /// A navigation that waits for ``Event/navigationAnswer(_:_:)``; unique within a process.
    public struct NavigationID: Hashable, Comparable, Sendable {
        public let rawValue: UInt32

        public init(_ rawValue: UInt32) { self.rawValue = rawValue }

        public static func < (left: NavigationID, right: NavigationID) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// A bridge message that waits for ``Event/bridgeAnswer(_:_:)``; unique within a process.
    public struct BridgeCallID: Hashable, Comparable, Sendable {
        public let rawValue: UInt32

        public init(_ rawValue: UInt32) { self.rawValue = rawValue }

        public static func < (left: BridgeCallID, right: BridgeCallID) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// A request that waits for ``Event/handlerAnswer(_:_:)``; unique within a process.
    public struct HandlerCallID: Hashable, Comparable, Sendable {
        public let rawValue: UInt32

        public init(_ rawValue: UInt32) { self.rawValue = rawValue }

        public static func < (left: HandlerCallID, right: HandlerCallID) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}
