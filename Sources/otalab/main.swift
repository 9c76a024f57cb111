import Foundation
import Runner

// A reader that closes the pipe (`otalab run | head`) does not stop the run.
signal(SIGPIPE, SIG_IGN)

if CommandLine.arguments.dropFirst().elementsEqual([Worker.argument]) {
    var worker = Worker()
    worker.serve()
}

// The program: reads the command line and the settings, runs one verb, exits with its code.
do {
    var call = try Arguments(Array(CommandLine.arguments.dropFirst()), environment: Output.variable)
    try call.enterFolder()
    call.enterProject()
    let variables = ProcessInfo.processInfo.environment.keys.sorted()
    for warning in Arguments.warnings(aboutVariables: variables) { Output.error(warning) }
    let settings = call.verb.takesSettings ? try Settings.find(call, Output.variable) : nil
    if let settings { call.take(settings) }
    let program = Program(call, settings: settings)
    program.performOnMainThread()
    Task { await program.perform() }
    dispatchMain()
} catch {
    Program.end(error)
}
