import AppHost
import Core
import DeviceShell
import Foundation
import Live
import OTAHost
import Subject
import Updater

/// The project's own updater as a subject of its laboratory: one process of the app, between commands on
/// standard input and messages on standard output (`Runner.docc/Adapters.md`).
///
/// **What it promises.** The host, the loop, the sockets and the disk are those of a device. Time passes only
/// by `advance`, so that a run is as exact as the app's threads allow; `rest` is answered when the loop has
/// nothing to do, with the time to its next timer.
///
/// **What can go wrong.** A command that the protocol does not have is refused, a line that is no command is
/// left out, and the app continues. When standard input ends the process ends as one that is killed: nothing
/// is lost by that (R1).
///
/// **What it can't report.** Native screens for which the protocol has no keyword are reported as `recovery`.
final class AppAdapter {
    private let environment: AdapterEnvironment
    private let lines: AdapterLines
    private let folder: StateFolder
    private let clock = ManualClock()
    private var app: SteppedApp?
    private var input = CommandInput()
    /// Lines that wait for the next write.
    private var output: [UInt8] = []
    private var isListening = false
    /// Lines that wait for the end of the loop's turn: the laboratory may connect after them, and the server
    /// listens only then.
    private var linesAfterTurn: [[UInt8]] = []
    private var status = UpdaterStatus()
    /// Ids of commands `rest` without an answer.
    private var rests: [Int64] = []

    init(_ environment: AdapterEnvironment) throws {
        self.environment = environment
        lines = AdapterLines(port: environment.port)
        folder = try StateFolder(environment.state + "/app")
    }

    /// Runs until standard input ends.
    func run() throws {
        write(AdapterLines.subject(environment))
        while true {
            flush()
            guard try wait() else { return }
            guard let commands = input.read() else { return }
            for command in commands { try obey(command) }
            try turn()
        }
    }

    /// Waits for a command or for work of the loop.
    /// - Returns: false if standard input can't be waited for.
    private func wait() throws -> Bool {
        var polled = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
        if let app { polled.append(pollfd(fd: app.descriptor, events: Int16(POLLIN), revents: 0)) }
        // A loop that is busy has work that no descriptor shows, such as events in its inbox.
        let isWaiting = app.map { !$0.isBusy && rests.isEmpty } ?? true
        let count = poll(&polled, nfds_t(polled.count), isWaiting ? -1 : 1)
        return count >= 0 || errno == EINTR
    }

    private func turn() throws {
        guard let app else { return }
        while try app.turn() > 0 {}
        if isListening {
            for line in linesAfterTurn { write(line) }
            linesAfterTurn = []
        }
        guard !rests.isEmpty, !app.isBusy else { return }
        if let due = app.nextDeadline, due <= clock.now { return }
        let next = app.nextDeadline.map { ($0 - clock.now).microseconds }
        for id in rests {
            write(
                AdapterLines.answer(id) { json in
                    json.key("next")
                    // A timer has not fired before its time.
                    if let next { json.integer((next + 999) / 1_000) } else { json.null() }
                    json.member("open", app.openRequests)
                })
        }
        rests = []
    }

    // MARK: - Commands

    private func obey(_ command: CommandInput.Command) throws {
        switch command.name {
        case "launch":
            try launch(command)
        case "check": send(.check)
        case "push": send(.push)
        case "front": send(command.flag("is") ? .foreground : .background)
        case "active": send(command.flag("is") ? .active : .inactive)
        case "network": send(.network(command.text("is").flatMap { NetworkState(rawValue: $0) } ?? .online))
        case "user":
            switch command.text("presses") {
            case "retry": send(.user(.retry))
            case "tryAgain": send(.user(.tryAgain))
            case "report": send(.user(.sendReport))
            case let other: return refuse(command, "no button '\(other ?? "")'")
            }
        case "page":
            guard let event = pageEvent(command) else { return refuse(command, "no such event of a page") }
            send(.webView(command.view, event))
        case "call":
            guard let message = command.json("message") else { return refuse(command, "no message") }
            send(.webView(command.view, .message(message, documentURL: url(command))))
        case "status": write(AdapterLines.status(status))
        case "rest":
            rests.append(command.id)
            return
        case "advance":
            clock.now = clock.now + .milliseconds(command.number("ms") ?? 0)
        default: return refuse(command, "no command '\(command.name)'")
        }
        write(AdapterLines.answer(command.id))
    }

    private func refuse(_ command: CommandInput.Command, _ why: String) {
        write(AdapterLines.answer(command.id, refusal: why))
    }

    private func send(_ event: AppHost.Event) { app?.enqueue(event) }

    private func launch(_ command: CommandInput.Command) throws {
        clock.now = .zero + .milliseconds(command.number("time") ?? 0)
        var updater = Updater.Launch(
            settings: environment.settings, native: environment.native, platform: "ios",
            entropy: LaunchEntropy.bytes(),
            inForeground: command.flag("front"))
        updater.embedded = try environment.install(in: folder)
        updater.bootID = command.text("boot")
        updater.lastExit = command.text("died").flatMap { SubjectLaunch.Ending(rawValue: $0)?.record }
        updater.wallClock = command.number("wall").map { WallClock(seconds: $0, at: clock.now) }
        var launch = AppHost.Launch(updater: updater, port: environment.port)
        launch.link = command.text("link")
        launch.wallClock = updater.wallClock
        let disk = try PosixDisk(data: folder.data, package: folder.package)
        app = try SteppedApp(disk, launch, clock: clock) { [unowned self] in observe($0) }
    }

    private func pageEvent(_ command: CommandInput.Command) -> AppHost.WebViewEvent? {
        switch command.text("is") {
        case "navigating":
            .navigating(
                command.text("how").flatMap { AppHost.NavigationKind(rawValue: $0) } ?? .other,
                url: url(command))
        case "committed": .committed(url: url(command))
        case "shown": .contentShown
        case "loaded": .loaded
        case "died": .webProcessDied
        case "closed": .closed
        default: nil
        }
    }

    private func url(_ command: CommandInput.Command) -> String { lines.root + (command.text("url") ?? "/") }

    // MARK: - The app's effects

    private func observe(_ effect: AppHost.Effect) {
        switch effect {
        case .listen where !isListening:
            isListening = true
            linesAfterTurn.insert(AdapterLines.listening, at: 0)
        case .load(let view, let url): linesAfterTurn.append(lines.load(view, url))
        case .screen(let screen): write(AdapterLines.screen(screen))
        case .status(let status):
            self.status = status
            write(AdapterLines.status(status))
        case .message(let view, _, let message):
            if let line = AdapterLines.message(view, message) { write(line) }
        case .log(let entry): FileHandle.standardError.write(Data("\(entry)\n".utf8))
        default: break
        }
    }

    // MARK: - Output

    private func write(_ line: [UInt8]) { output += line + [UInt8(ascii: "\n")] }

    private func flush() {
        guard !output.isEmpty else { return }
        FileHandle.standardOutput.write(Data(output))
        output = []
    }
}
