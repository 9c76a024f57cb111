import Foundation
import Laboratory
import Reporting
import ScenarioLanguage

/// One call of the program.
struct Program: Sendable {
    let arguments: Arguments
    /// Of the project; their values are among the arguments.
    let settings: Settings?

    init(_ arguments: Arguments, settings: Settings? = nil) {
        self.arguments = arguments
        self.settings = settings
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
