/// One web view of the app. The first one is the app's own screen.
public struct WebViewID: Hashable, Comparable, Sendable {
    public let rawValue: Int

    public init(_ rawValue: Int) { self.rawValue = rawValue }

    public static let first = WebViewID(0)

    public static func < (left: WebViewID, right: WebViewID) -> Bool { left.rawValue < right.rawValue }
}
