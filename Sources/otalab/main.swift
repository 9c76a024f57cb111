import Foundation
import Laboratory

// Who stops reading our text (`otalab run | head`) does not stop the run.
signal(SIGPIPE, SIG_IGN)

// The program: reads the command line, does one verb, exits with the code of the convention.
do {
    let arguments = try Arguments(
        Array(CommandLine.arguments.dropFirst()), environment: Output.variable)
    try arguments.enterFolder()
    let program = Program(arguments)
    if let runAlone = arguments.verb.runsAlone { exit(Int32(try runAlone(program).rawValue)) }
    Task {
        do {
            exit(Int32(try await program.code().rawValue))
        } catch {
            Program.end(error)
        }
    }
    dispatchMain()
} catch {
    Program.end(error)
}
