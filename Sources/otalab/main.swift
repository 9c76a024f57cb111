import Foundation
import Laboratory

// Who stops reading our text (`otalab run | head`) does not stop the run.
signal(SIGPIPE, SIG_IGN)

// The program: reads the command line and the settings, does one verb, exits with the code of the convention.
var arguments: Arguments?
do {
    var call = try Arguments(Array(CommandLine.arguments.dropFirst()), environment: Output.variable)
    try call.enterFolder()
    let settings = call.verb.takesSettings ? try Settings.find(call, Output.variable) : nil
    if let settings { call.take(settings) }
    arguments = call
    exit(Int32(try await Program(call, settings: settings).code().rawValue))
} catch let error as UsageError {
    let origin = arguments?.origin(of: error).map { "  = note: \($0)\n" } ?? ""
    Output.error("error: \(error.message)\n\(origin)  = help: \(error.help)\n")
    exit(Int32(ExitCode.usage.rawValue))
} catch let error as SettingsError {
    Output.error(error.text)
    exit(Int32(ExitCode.usage.rawValue))
} catch {
    Output.error("internal error: \(error)\nPlease report this with the command line above.\n")
    exit(Int32(ExitCode.internalError.rawValue))
}
