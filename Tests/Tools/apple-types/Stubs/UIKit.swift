// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// A stub of Apple's module `UIKit`: signatures alone, so that code for it can be type-checked on Linux. It does
// nothing, and nothing is ever linked with it.
//
// Only what this package and its sample app use, as Apple documents it for iOS 18; not compared with an SDK. Classes
// are `@MainActor`.
@_exported import Foundation

@MainActor open class UIResponder: NSObject {
    public nonisolated override init() { fatalError() }
}

@MainActor open class UIView: UIResponder {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { fatalError() }

        public static var flexibleWidth: AutoresizingMask { fatalError() }
        public static var flexibleHeight: AutoresizingMask { fatalError() }
    }

    public init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var frame: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var bounds: CGRect {
        get { fatalError() }
        set { fatalError() }
    }
    open var autoresizingMask: AutoresizingMask {
        get { fatalError() }
        set { fatalError() }
    }
    open var backgroundColor: UIColor? {
        get { fatalError() }
        set { fatalError() }
    }

    open func addSubview(_ view: UIView) { fatalError() }
    open func removeFromSuperview() { fatalError() }
}

public class UIColor: NSObject {
    public class var systemBackground: UIColor { fatalError() }
}

@MainActor open class UIButton: UIView {
    public struct Configuration {
        public static func filled() -> Configuration { fatalError() }
        public var title: String? {
            get { fatalError() }
            set { fatalError() }
        }
    }

    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) { fatalError() }
}

@MainActor public class UIAction: NSObject {
    public convenience init(title: String = "", handler: @escaping (UIAction) -> Void) { fatalError() }
}

@MainActor open class UIViewController: UIResponder {
    public nonisolated override init() { fatalError() }

    open var view: UIView! {
        get { fatalError() }
        set { fatalError() }
    }
}

@MainActor open class UIWindow: UIView {
    public init(windowScene: UIWindowScene) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }

    open var rootViewController: UIViewController? {
        get { fatalError() }
        set { fatalError() }
    }

    open func makeKeyAndVisible() { fatalError() }
}

@MainActor open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive
        case foregroundInactive
        case background
    }

    open class ConnectionOptions: NSObject {}

    open var activationState: ActivationState { fatalError() }

    public nonisolated class var willEnterForegroundNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didActivateNotification: NSNotification.Name { fatalError() }
    public nonisolated class var willDeactivateNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
    public nonisolated class var didDisconnectNotification: NSNotification.Name { fatalError() }
}

@MainActor open class UIWindowScene: UIScene {}

@MainActor open class UISceneSession: NSObject {}

// Every method of these protocols is optional in the SDK, which only Objective-C has. Here they are required, so
// that a method whose signature is not the SDK's is an error.

@MainActor public protocol UISceneDelegate: NSObjectProtocol {}

@MainActor public protocol UIWindowSceneDelegate: UISceneDelegate {
    var window: UIWindow? { get set }

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions)
}

@MainActor open class UIApplication: UIResponder {
    public enum State: Int, Sendable {
        case active
        case inactive
        case background
    }

    public struct LaunchOptionsKey: Hashable, Sendable {}

    public class var shared: UIApplication { fatalError() }

    public nonisolated class var willTerminateNotification: NSNotification.Name { fatalError() }

    unowned(unsafe) open var delegate: (any UIApplicationDelegate)? {
        get { fatalError() }
        set { fatalError() }
    }
    open var applicationState: State { fatalError() }
    open var connectedScenes: Set<UIScene> { fatalError() }

    open nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { fatalError() }

    open nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) { fatalError() }

    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) { fatalError() }

    public struct OpenExternalURLOptionsKey: Hashable, Sendable {}
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
}

extension UIApplicationDelegate {
    public static func main() { fatalError() }
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { fatalError() }

    public static var invalid: UIBackgroundTaskIdentifier { fatalError() }
}

public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData
    case noData
    case failed
}
