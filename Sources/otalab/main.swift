import Foundation
import Runner

// Who stops reading our text (`otalab run | head`) does not stop the run.
signal(SIGPIPE, SIG_IGN)

if CommandLine.arguments.dropFirst().elementsEqual([Worker.argument]) {
    var worker = Worker()
    worker.serve()
}

// The program: reads the command line and the settings, does one verb, exits with the code of the convention.
do {
    var call = try Arguments(Array(CommandLine.arguments.dropFirst()), environment: Output.variable)
    try call.enterFolder()
    for name in Arguments.strangers(ProcessInfo.processInfo.environment.keys.sorted()) { Output.error(name) }
    let settings = call.verb.takesSettings ? try Settings.find(call, Output.variable) : nil
    if let settings { call.take(settings) }
    let program = Program(call, settings: settings)
    program.performAlone()
    Task { await program.perform() }
    dispatchMain()
} catch {
    Program.end(error)
}
