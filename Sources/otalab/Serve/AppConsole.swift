import AppHost
import Foundation
import Updater

/// Commands on standard input, one per line, for what a user or the system does to an app.
struct AppConsole: Sendable {
    struct Command: Sendable {
        let name: String
        let help: String
        /// Words that follow the name, as the help shows them; empty: none.
        let parameters: String
        let run: @Sendable (ServedApp, ServeLog, [String]) -> Void

        init(_ name: String, _ help: String, _ run: @escaping @Sendable (ServedApp, ServeLog) -> Void) {
            self.init(name, "", help) { app, log, _ in run(app, log) }
        }

        init(
            _ name: String, _ parameters: String, _ help: String,
            _ run: @escaping @Sendable (ServedApp, ServeLog, [String]) -> Void
        ) {
            self.name = name
            self.parameters = parameters
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
        Command("mock", "NAME on|off", "switch a mock handler") { app, log, words in
            guard let switchWord = words.last, ["on", "off"].contains(switchWord), words.count >= 2 else {
                return log.print("write the name of a mock handler, and on or off: mock score off")
            }
            let name = words.dropLast().joined(separator: " ")
            if app.switchMock(name, isOn: switchWord == "on") {
                log.log("mock", "\(name) is \(switchWord)")
            } else {
                let names = app.mockNames.isEmpty ? "there is none" : app.mockNames.joined(separator: ", ")
                log.print("no mock handler is named '\(name)': \(names)")
            }
        },
        Command("help", "print these commands") { _, log in log.print(help) },
        Command("quit", "shut down, as SIGINT and SIGTERM do") { app, _ in app.stop() },
    ]

    static let help: String = commands.map { command in
        let name = command.parameters.isEmpty ? command.name : command.name + " " + command.parameters
        return "  \(name.padding(toLength: 18, withPad: " ", startingAt: 0))\(command.help)"
    }.joined(separator: "\n")

    /// Reads commands until the end of the input, on a separate thread; the app continues after it.
    static func read(_ app: ServedApp, _ log: ServeLog) {
        let thread = Thread {
            while let line = readLine() {
                let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
                guard let name = words.first?.lowercased() else { continue }
                guard let command = commands.first(where: { $0.name == name }) else {
                    let near = Nearest.to(name, among: commands.map(\.name))
                    log.print(
                        near.map { "no command '\(name)': did you mean '\($0)'?" }
                            ?? "no command '\(name)'; there are\n" + help)
                    continue
                }
                if words.count > 1, command.parameters.isEmpty {
                    log.print("\(name) takes no '\(words[1])'")
                    continue
                }
                command.run(app, log, Array(words.dropFirst()))
            }
        }
        thread.name = "console"
        thread.start()
    }
}
