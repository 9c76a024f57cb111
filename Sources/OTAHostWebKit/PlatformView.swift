#if canImport(UIKit)
    import UIKit

    /// A view of the platform.
    public typealias PlatformView = UIView
#elseif canImport(AppKit)
    import AppKit

    /// A view of the platform.
    public typealias PlatformView = NSView
#endif

#if canImport(UIKit) || canImport(AppKit)
    extension PlatformView {
        /// Adds a view that is always as large as this one.
        func fill(with view: PlatformView) {
            view.frame = bounds
            #if canImport(UIKit)
                view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
            #else
                view.autoresizingMask = [.width, .height]
            #endif
            addSubview(view)
        }
    }
#endif
