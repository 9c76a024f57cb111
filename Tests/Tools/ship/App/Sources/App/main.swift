import AppHost
import Core
import DevelopmentHost
import OTAHost
import Updater

/// An app whose screens are lines, and whose web view is a browser that opens the printed address.
final class Shell: HybridAppDelegate {
    func load(_ url: String, in view: WebViewID) { print("open", url) }

    func show(_ screen: AppHost.Screen) { print("screen", screen) }

    func deliver(_ message: [UInt8], to load: PageLoadToken, in view: WebViewID) {}

    func log(_ entry: LogEntry) { print("log", entry.cause, entry.version ?? "", entry.detail) }

    func statusChanged(_ status: UpdaterStatus) {
        let blacklist = status.blacklist.map(\.id)
        print("status", status.current?.id ?? "none", "pending", status.pending?.id ?? "none", blacklist)
    }
}

let words = CommandLine.arguments
var settings = UpdaterSettings(app: "com.example.shop", origin: words[1])
settings.keys = [releaseKey]
settings.startupTimeout = .seconds(5)
let app = try HybridApp(
    settings, build: "1.0", package: AppPackage(words[2]), state: StateFolder(words[3]), delegate: Shell(),
    host: DevelopmentHost())
try app.start()
while let line = readLine() {
    switch line {
    case "check": app.send(.user(.lookForUpdate))
    case "background": app.send(.background)
    case "foreground": app.send(.foreground)
    default: print("?", line)
    }
}
