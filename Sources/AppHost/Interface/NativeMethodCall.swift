import Core
import LocalServer

extension AppHost {
    /// A call between native code and a page, in either direction; unique within a process and direction.
    public struct CallID: Hashable, Comparable, Sendable {
        public let rawValue: UInt32

        public init(_ rawValue: UInt32) { self.rawValue = rawValue }

        public static func < (left: CallID, right: CallID) -> Bool { left.rawValue < right.rawValue }
    }

    /// A bridge message for the app's native code.
    public struct NativeMethodCall: Hashable, Sendable {
        public var call: CallID
        public var view: WebViewID
        /// Load of the document that sent the message (R6).
        public var load: PageLoadToken
        /// One of ``Launch/nativeMethods``.
        public var method: String
        /// Parameters as UTF-8 JSON; `null` where the message has none.
        public var params: [UInt8]
        /// Whether the answer goes into the HTTP call that brought the message and that stays open until
        /// then.
        public var isOverHTTP: Bool

        public init(
            call: CallID, view: WebViewID, load: PageLoadToken, method: String, params: [UInt8],
            isOverHTTP: Bool
        ) {
            self.call = call
            self.view = view
            self.load = load
            self.method = method
            self.params = params
            self.isOverHTTP = isOverHTTP
        }
    }

    /// What native code answers to a page.
    public enum NativeMethodResult: Hashable, Sendable {
        /// UTF-8 JSON; anything else is answered to the page as an error.
        case result([UInt8])
        /// Refused for this reason, which the page gets and the log too (N5).
        case refused(String)
    }
}
