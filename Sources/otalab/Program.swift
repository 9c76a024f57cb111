import Laboratory
import Reporting

/// One call of the program.
struct Program: Sendable {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    func code() async throws -> ExitCode { try await arguments.verb.run(self) }

    func paint() throws -> Paint {
        let text = arguments.text("--color") ?? "auto"
        guard let wish = Paint.Wish(rawValue: text) else {
            throw UsageError(message: "--color can't be '\(text)'", help: "write auto, always or never")
        }
        return Paint(wish, isTerminal: Output.isTerminal, environment: Output.variable)
    }
}
