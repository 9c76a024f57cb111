import Core

extension LocalServer {
    /// What is to be sent on a connection.
    public struct Output: Hashable, Sendable {
        /// Body of a response. The shell reads `file` straight from the handle, which stays open until
        /// ``Event/sent(_:)`` or ``Event/closed(_:_:)``; the server closes it.
        public enum Body: Hashable, Sendable {
            case none
            case bytes([UInt8])
            /// `offset` and `count` in bytes.
            case file(FileHandle, offset: Int, count: Int)
        }

        /// Serialized head, or bytes of a forwarded response.
        public var head: [UInt8]
        public var body: Body

        public init(head: [UInt8], body: Body) {
            self.head = head
            self.body = body
        }
    }
}
