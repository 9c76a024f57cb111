import AppHost
import Core
import DeviceShellHTTPS
import LocalServer
import OTAHost
import OTAHostWebKit
import UIKit
import Updater

@main
final class ShopApp: UIResponder, UIApplicationDelegate {
    let shell = WebKitShell { screen, send in ScreenView(screen, send) }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        do { try start() } catch { fatalError("\(error)") }
        return true
    }

    private func start() throws {
        let support = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        var folder = support.appendingPathComponent("otalab")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try folder.setResourceValues(values)
        var settings = UpdaterSettings(
            app: "com.example.shop", origin: "https://updates.example.com/manifest.json")
        settings.keys = [releaseKey]
        var services = HybridApp.Services()
        services.origin = HTTPSOrigin()
        services.verifier = CryptoKitSignatures()
        services.upstream = HTTPSUpstream()
        let api = try RemoteRoot("https://api.example.com/v1")
        let build = Bundle.main.infoDictionary?["CFBundleVersion"] as? String ?? ""
        let app = try HybridApp(
            settings, build: build, package: AppPackage(Bundle.main.bundlePath + "/package"),
            state: StateFolder(folder.path), delegate: Shop(shell), services: services
        ) { launch in
            launch.nativeLinks = ["/legal/*"]
            launch.remote = api
            launch.routes = RouteTable([RouteEntry.remote("/api/**")].compactMap(\.self))
            shell.configure(&launch)
        }
        shell.begin(app)
        try app.start()
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        shell.receivePush(completionHandler)
    }
}
