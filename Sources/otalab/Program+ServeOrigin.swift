import Backend
import Foundation
import Live
import OriginServer
import Runner
import ScenarioLanguage

extension Service {
    static let origin = Service(
        name: "origin", arguments: "SCENARIO[:LINE]",
        options: [
            port,
            Option(
                "--bind", value: "ADDRESS",
                "origin: the address to listen on (default 127.0.0.1; 0.0.0.0 opens it to the network)"),
            Option(
                "--url", value: "URL",
                "origin: the URL that devices use, for manifests that contain it (default: address and port)"),
            Option("--speed", value: "N", "origin: scenario seconds per real second (default 1)"),
            Option("--by-hand", "origin: no step runs automatically, only through the controls"),
            Option("--device-line", "origin: latency and bandwidth of the scenario's device"),
        ]
    ) { program, paths in try program.serveOrigin(paths) }
}

extension Program {
    func serveOrigin(_ paths: [String]) throws -> ExitCode {
        var options = ServedOrigin.Options()
        options.speed = Int64(try arguments.number("--speed", in: 1...1_000) ?? 1)
        options.isByHand = arguments.has("--by-hand")
        guard paths.count == 1, let path = paths.first else {
            throw UsageError(
                message: "serve origin needs one scenario",
                help:
                    "write otalab serve origin Scenarios/FILE.json5, or FILE.json5:LINE for one of its cases")
        }
        let selection = try Selection(arguments, paths: [path])
        guard let scenario = try scenarioToServe(selection) else { return .invalid }
        let bind = arguments.text("--bind") ?? "127.0.0.1"
        let port = try listen(bind, UInt16(try arguments.number("--port", in: 0...65_535) ?? 0))
        let host = bind.contains(":") ? "[\(bind)]" : bind
        let address = "http://\(["0.0.0.0", "[::]"].contains(host) ? "localhost" : host):\(port.port)"
        let root = try self.root()
        let timeline: OriginTimeline
        do throws(ScenarioFault) {
            timeline = try OriginTimeline(
                scenario, profiles: selection.profiles, root: root ?? address,
                link: arguments.has("--device-line")
                    ? nil : LinkProfile(latency: .zero, bandwidth: 10_000_000_000))
        } catch {
            Output.error(DiagnosticRenderer.render(error.diagnostic(in: scenario)) + "\n")
            return .invalid
        }
        let served = ServedOrigin(timeline, port, options) { Output.result($0 + "\n") }
        Output.result(served.introduction(address, isOpen: !["127.0.0.1", "[::1]"].contains(host)))
        StopSignals.onFirst(served.stopper())
        try served.run()
        Output.result("stopped\n")
        return .passed
    }

    private func scenarioToServe(_ selection: Selection) throws -> Scenario? {
        guard let file = selection.files.first, selection.files.count == 1 else {
            throw UsageError(
                message: "serve origin needs one scenario, and \(selection.files.count) are selected",
                help: "name the file of one")
        }
        let reading = read(file, selection.profiles)
        if let error = file.error { Output.error("error: \(file.path): \(error)\n") }
        if reading.hasErrors { Output.error(DiagnosticRenderer.render(reading.diagnostics) + "\n") }
        if file.error != nil || reading.hasErrors { return nil }
        let selected = reading.scenarios.filter { selection.holds($0) }
        let chosen = selected.first { scenario in
            scenario.caseName.map { scenario.source.position(of: $0.span.start).line } == file.line
        }
        return chosen ?? selected.first
    }

    private func listen(_ address: String, _ port: UInt16) throws -> HTTPPort {
        do throws(PortError) {
            return try HTTPPort(address, port: port)
        } catch {
            switch error {
            case .notAnAddress:
                throw UsageError(
                    message: "--bind can't be '\(address)'",
                    help: "write a numeric address of this machine, or 0.0.0.0 for all of them")
            case .system(let number):
                throw UsageError(
                    message: "can't listen on \(address), port \(port): \(String(cString: strerror(number)))",
                    help: number == EADDRNOTAVAIL
                        ? "no network interface of this machine has that address; write 127.0.0.1, or 0.0.0.0 for all"
                        : "choose another --port; without it a free port is used")
            }
        }
    }

    /// The value of `--url` without a trailing slash.
    private func root() throws(UsageError) -> String? {
        guard var text = arguments.text("--url") else { return nil }
        while text.hasSuffix("/") { text.removeLast() }
        guard text.hasPrefix("http://") || text.hasPrefix("https://") else {
            throw UsageError(
                message: "--url can't be '\(text)'", help: "write http://HOST:PORT, as the app's build has it"
            )
        }
        return text
    }
}
