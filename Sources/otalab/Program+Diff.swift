import Foundation
import Reporting
import Runner
import ScenarioLanguage

extension Verb {
    static let diff = Verb(
        name: "diff", arguments: "A B | PATH[:LINE]",
        summary: "compare two runs: where they part, what was known then, what differs in the end",
        options: [
            Option(
                "--seed", value: "N", repeats: true,
                "the seed (default 1); twice: compares the runs of two seeds"),
            Option(
                "--program", value: "FILE", offer: .files,
                "another otalab: compares its run with the one of this program"),
            Option(
                "--record", value: "FILE", offer: .files,
                "write a recording to compare later: the results and the content of every event"),
            Option("--scenario", value: "NAME", "only this scenario or case of the two sides"),
            Option("--json", "print the comparison as JSON"),
            Option("--quiet", short: "-q", "print only the runs that differ, each on one line"),
            .color, .ascii,
        ]
    ) { program in try program.diff() }
}

extension Program {
    /// `otalab diff`: 0: equal; 1: different; 2: a wrong call; 3: a file that is no scenario or no results.
    func diff() throws -> ExitCode {
        let call = try DiffCall(arguments)
        let output = TextOutput(stream: STDOUT_FILENO, isASCII: arguments.has("--ascii"))
        do throws(DiffCall.Fault) {
            if let path = call.recording {
                try call.record(path)
                output.write("\(path)\n")
                return .passed
            }
            let comparison = try call.comparison()
            let text = ComparisonText(
                sides: call.labels, paint: try paintOfDiff(), width: Output.columns(STDOUT_FILENO))
            if arguments.has("--json") {
                output.write(String(decoding: ComparisonJSON.bytes(comparison, call.labels), as: UTF8.self))
            } else {
                output.write(text.text(comparison, isQuiet: arguments.has("--quiet")))
            }
            return comparison.isEqual ? .passed : .failed
        } catch {
            switch error {
            case .usage(let error): throw error
            case .file(let text):
                Output.error(text)
                return .invalid
            case .failed(let text, let code):
                Output.error(text)
                return code
            }
        }
    }

    private func paintOfDiff() throws(DiffCall.Fault) -> Paint {
        do {
            return try paint()
        } catch {
            throw .usage(
                error as? UsageError ?? UsageError(message: "\(error)", help: "write --color auto"))
        }
    }
}
