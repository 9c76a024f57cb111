import AppHost
import Core
import OTAHost
import OTAHostWebKit
import UIKit

/// What the host wants: three calls are the shell's, the others are the app's.
final class Shop: HybridAppDelegate {
    let shell: WebKitShell

    init(_ shell: WebKitShell) { self.shell = shell }

    func load(_ url: String, in view: WebViewID) { shell.load(url, in: view) }

    func show(_ screen: AppHost.Screen) { shell.show(screen) }

    func deliver(_ message: [UInt8], to load: PageLoadToken, in view: WebViewID) {
        shell.deliver(message, to: load, in: view)
    }

    func openLink(_ url: String, in view: WebViewID) {
        DispatchQueue.main.async {
            if let url = URL(string: url) { UIApplication.shared.open(url) }
        }
    }
}

/// A native screen: the picture of the app, and a button where there is something to press.
final class ScreenView: UIView {
    init(_ screen: AppHost.Screen, _ send: @escaping (AppHost.UserIntent) -> Void) {
        super.init(frame: .zero)
        backgroundColor = .systemBackground
        switch screen {
        case .offline, .noSpace: addButton("Try again") { send(.retry) }
        case .recovery: addButton("Try again") { send(.tryAgain) }
        case .page, .cover, .loading, .portTaken, .portFailed: break
        }
    }

    required init?(coder: NSCoder) { nil }

    private func addButton(_ title: String, _ press: @escaping () -> Void) {
        var configuration = UIButton.Configuration.filled()
        configuration.title = title
        addSubview(UIButton(configuration: configuration, primaryAction: UIAction { _ in press() }))
    }
}

/// The app's window, with the web view in it.
final class ShopScene: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let scene = scene as? UIWindowScene, let app = UIApplication.shared.delegate as? ShopApp else {
            return
        }
        let controller = UIViewController()
        controller.view = app.shell.view
        let window = UIWindow(windowScene: scene)
        window.rootViewController = controller
        window.makeKeyAndVisible()
        self.window = window
    }
}
