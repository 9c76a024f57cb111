import Foundation
import Reporting
import Runner
import ScenarioLanguage

/// One call of the program.
struct Program: Sendable {
    let arguments: Arguments
    /// The project's settings; their values are already among the arguments.
    let settings: Settings?

    init(_ arguments: Arguments, settings: Settings? = nil) {
        self.arguments = arguments
        self.settings = settings
    }

    /// Runs the verb and exits with its code.
    func perform() async -> Never {
        do {
            Program.end(try await arguments.verb.run(self))
        } catch {
            Program.end(error, arguments)
        }
    }

    /// Like ``perform()``, for a verb that needs the main thread; returns if the verb doesn't.
    func performOnMainThread() {
        guard let run = arguments.verb.runsOnMainThread else { return }
        do {
            Program.end(try run(self))
        } catch {
            Program.end(error, arguments)
        }
    }

    /// Exits with the code, or with 74 if standard output lost something and nothing worse happened.
    private static func end(_ code: ExitCode) -> Never {
        guard let fault = Output.fault else { exit(Int32(code.rawValue)) }
        Output.error("error: standard output could not be written: \(fault)\n")
        exit(Int32(ExitCode.first(of: [code, .reportNotWritten]).rawValue))
    }

    /// Prints the error and exits: with 2 for a wrong call, with 70 for an internal error.
    static func end(_ error: any Error, _ arguments: Arguments? = nil) -> Never {
        switch error {
        case let error as UsageError:
            let origin = arguments?.origin(of: error).map { "  = note: \($0)\n" } ?? ""
            Output.error("error: \(error.message)\n\(origin)  = help: \(error.help)\n")
            exit(Int32(ExitCode.usage.rawValue))
        case let error as InvalidAdapter:
            Output.error(error.text + "\n")
            exit(Int32(ExitCode.invalid.rawValue))
        case let error as SettingsError:
            Output.error(error.text)
            exit(Int32(ExitCode.usage.rawValue))
        default:
            Output.error("internal error: \(error)\nPlease report this with the command line above.\n")
            exit(Int32(ExitCode.internalError.rawValue))
        }
    }

    func paint(_ stream: Int32 = STDOUT_FILENO) throws -> Paint {
        let text = arguments.text("--color") ?? "auto"
        guard let mode = Paint.Mode(rawValue: text) else {
            throw UsageError(message: "--color can't be '\(text)'", help: "write auto, always or never")
        }
        return Paint(mode, isTerminal: Output.isTerminal(stream), environment: Output.variable)
    }

    /// The files at the paths of the call, and the profiles next to them.
    func found() throws(UsageError) -> (files: [ScenarioFile], profiles: ProfileSet) {
        let selection = try Selection(arguments)
        return (selection.files, selection.profiles)
    }

    func read(_ file: ScenarioFile, _ profiles: ProfileSet) -> ScenarioReading {
        file.read(devices: profiles.names)
    }

    /// Prints why nothing is selected.
    func nothing(_ selection: Selection) -> ExitCode {
        Output.error(selection.reasonForEmptiness())
        return .nothingSelected
    }
}
