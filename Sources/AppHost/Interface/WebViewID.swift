/// One web view of the app. The first one is the app's own screen.
public struct WebViewID: Hashable, Comparable, Sendable {
    public let number: Int

    public init(_ number: Int) { self.number = number }

    public static let first = WebViewID(0)

    public static func < (left: WebViewID, right: WebViewID) -> Bool { left.number < right.number }
}
