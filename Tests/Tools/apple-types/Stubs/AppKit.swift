// A stub of Apple's module `AppKit`: signatures alone, so that code for it can be type-checked on Linux. It does
// nothing, and nothing is ever linked with it. Only what this package uses, as Apple documents it for macOS 15; not
// compared with an SDK.
@_exported import Foundation

@MainActor open class NSResponder: NSObject {
    public nonisolated override init() { fatalError() }
}

@MainActor open class NSView: NSResponder {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { fatalError() }

        public static var width: AutoresizingMask { fatalError() }
        public static var height: AutoresizingMask { fatalError() }
    }

    public init(frame frameRect: NSRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var frame: NSRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: NSRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var autoresizingMask: AutoresizingMask {
        get { fatalError() }
        set { fatalError() }
    }

    open func addSubview(_ view: NSView) { fatalError() }
    open func removeFromSuperview() { fatalError() }
}
