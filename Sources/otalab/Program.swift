import Foundation
import Laboratory
import Reporting
import ScenarioLanguage

/// One call of the program.
struct Program: Sendable {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// A call that could not be made, or an error of ours.
    static func end(_ error: any Error) -> Never {
        if let error = error as? UsageError {
            Output.error("error: \(error.message)\n  = help: \(error.help)\n")
            exit(Int32(ExitCode.usage.rawValue))
        }
        Output.error("internal error: \(error)\nPlease report this with the command line above.\n")
        exit(Int32(ExitCode.internalError.rawValue))
    }

    func code() async throws -> ExitCode { try await arguments.verb.run(self) }

    func paint(_ stream: Int32 = STDOUT_FILENO) throws -> Paint {
        let text = arguments.text("--color") ?? "auto"
        guard let wish = Paint.Wish(rawValue: text) else {
            throw UsageError(message: "--color can't be '\(text)'", help: "write auto, always or never")
        }
        return Paint(wish, isTerminal: Output.isTerminal(stream), environment: Output.variable)
    }

    /// The files that the paths name, and the profiles next to them.
    func found() throws(UsageError) -> (files: [ScenarioFile], profiles: ProfileSet) {
        let selection = try Selection(arguments)
        return (selection.files, selection.profiles)
    }

    func read(_ file: ScenarioFile, _ profiles: ProfileSet) -> ScenarioReading {
        file.read(devices: profiles.names)
    }

    /// Says why nothing is selected.
    func nothing(_ selection: Selection) -> ExitCode {
        Output.error(selection.emptiness())
        return .nothingSelected
    }
}
