import AppHost
import Foundation
import Updater

/// Commands on standard input, one per line, for what a user or the system does to an app.
struct AppConsole: Sendable {
    struct Command: Sendable {
        let name: String
        let help: String
        let run: @Sendable (ServedApp, ServeLog) -> Void

        init(_ name: String, _ help: String, _ run: @escaping @Sendable (ServedApp, ServeLog) -> Void) {
            self.name = name
            self.help = help
            self.run = run
        }
    }

    static let commands: [Command] = [
        Command("check", "check for an update, as the user requests it") { app, _ in
            app.send(.user(.lookForUpdate))
        },
        Command("push", "a silent push arrives") { app, _ in app.send(.push) },
        Command("background", "the app goes to background") { app, _ in app.send(.background) },
        Command("foreground", "the app comes back") { app, _ in app.send(.foreground) },
        Command("inactive", "the app does not get the user's input any more: a call, the app switcher") {
            app, _ in
            app.send(.inactive)
        },
        Command("active", "the app gets the user's input again") { app, _ in app.send(.active) },
        Command("suspend", "the process releases its port and closes its connections") { app, _ in
            app.send(.suspended)
        },
        Command("resume", "the process continues") { app, _ in app.send(.resumed) },
        Command("reload", "the page reloads itself") { app, _ in app.reloadPage() },
        Command("offline", "the device has no network") { app, _ in app.send(.network(.offline)) },
        Command("metered", "the device is on a metered network") { app, _ in app.send(.network(.metered))
        },
        Command("online", "the device has a network") { app, _ in app.send(.network(.online)) },
        Command("retry", "the button of the offline screen") { app, _ in app.send(.user(.retry)) },
        Command("try", "the button of the recovery screen") { app, _ in app.send(.user(.tryAgain)) },
        Command("report", "print the error report") { app, _ in app.send(.user(.sendReport)) },
        Command("status", "print what runs and what is pending") { app, log in
            log.log("status", app.statusLine)
        },
        Command("help", "print these commands") { _, log in log.print(help) },
        Command("quit", "shut down, as SIGINT and SIGTERM do") { app, _ in app.stop() },
    ]

    static let help: String = commands.map { command in
        "  \(command.name.padding(toLength: 12, withPad: " ", startingAt: 0))\(command.help)"
    }.joined(separator: "\n")

    /// Reads commands until the end of the input, on a separate thread; the app continues after it.
    static func read(_ app: ServedApp, _ log: ServeLog) {
        let thread = Thread {
            while let line = readLine() {
                let name = line.trimmingCharacters(in: .whitespaces).lowercased()
                if name.isEmpty { continue }
                guard let command = commands.first(where: { $0.name == name }) else {
                    let near = Nearest.to(name, among: commands.map(\.name))
                    log.print(
                        near.map { "no command '\(name)': did you mean '\($0)'?" }
                            ?? "no command '\(name)'; there are\n" + help)
                    continue
                }
                command.run(app, log)
            }
        }
        thread.name = "console"
        thread.start()
    }
}
