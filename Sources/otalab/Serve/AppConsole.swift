import AppHost
import Foundation
import Updater

/// Words on standard input, one a line, that stand for what a user or a system does to an app.
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
        Command("check", "look for an update, as the user asks for it") { app, _ in
            app.tell(.user(.lookForUpdate))
        },
        Command("push", "a silent push arrives") { app, _ in app.tell(.push) },
        Command("background", "the app goes to background") { app, _ in app.tell(.background) },
        Command("foreground", "the app comes back") { app, _ in app.tell(.foreground) },
        Command("suspend", "the process gives back its port, and closes its connections") { app, _ in
            app.tell(.suspended)
        },
        Command("resume", "it goes on") { app, _ in app.tell(.resumed) },
        Command("reload", "the page loads itself anew") { app, _ in app.reloadPage() },
        Command("offline", "the device has no network") { app, _ in app.tell(.network(.offline)) },
        Command("metered", "the device is on a network that costs") { app, _ in app.tell(.network(.metered))
        },
        Command("online", "the device has a network") { app, _ in app.tell(.network(.online)) },
        Command("retry", "the button of the offline screen") { app, _ in app.tell(.user(.retry)) },
        Command("try", "the button of the recovery screen") { app, _ in app.tell(.user(.tryAgain)) },
        Command("report", "the error report") { app, _ in app.tell(.user(.sendReport)) },
        Command("status", "what runs, what is pending") { app, log in log.tell("status", app.statusLine) },
        Command("help", "these words") { _, log in log.text(help) },
        Command("quit", "end in order, as SIGINT and SIGTERM do") { app, _ in app.stop() },
    ]

    static let help: String = commands.map { command in
        "  \(command.name.padding(toLength: 12, withPad: " ", startingAt: 0))\(command.help)"
    }.joined(separator: "\n")

    /// Reads until the end of the input; that the input ends does not end the app.
    static func read(_ app: ServedApp, _ log: ServeLog) {
        let thread = Thread {
            while let line = readLine() {
                let word = line.trimmingCharacters(in: .whitespaces).lowercased()
                if word.isEmpty { continue }
                guard let command = commands.first(where: { $0.name == word }) else {
                    let near = Nearest.to(word, among: commands.map(\.name))
                    log.text(
                        near.map { "no '\(word)': did you mean '\($0)'?" } ?? "no '\(word)'; words are\n"
                            + help)
                    continue
                }
                command.run(app, log)
            }
        }
        thread.name = "console"
        thread.start()
    }
}
