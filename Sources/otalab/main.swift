import Foundation
import Laboratory

// Who stops reading our text (`otalab run | head`) does not stop the run.
signal(SIGPIPE, SIG_IGN)

// The program: reads the command line, does one verb, exits with the code of the convention.
do {
    let arguments = try Arguments(
        Array(CommandLine.arguments.dropFirst()), environment: Output.variable)
    try arguments.enterFolder()
    exit(Int32(try await Program(arguments).code().rawValue))
} catch let error as UsageError {
    Output.error("error: \(error.message)\n  = help: \(error.help)\n")
    exit(Int32(ExitCode.usage.rawValue))
} catch {
    Output.error("internal error: \(error)\nPlease report this with the command line above.\n")
    exit(Int32(ExitCode.internalError.rawValue))
}
