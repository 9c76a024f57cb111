import Foundation

/// How a worker ended, as `waitpid` says.
struct WorkerEnd: Hashable, Sendable {
    /// That ended it; nil: it exited.
    var signal: Int32?
    var code: Int32
    /// The last that it printed, lines without their ends.
    var printed: [String]

    /// - Parameter status: nil where it is not known.
    init(status: Int32?, printed: [UInt8]) {
        let status = status ?? 0
        let number = status & 0x7f
        signal = number == 0 ? nil : number
        code = status >> 8 & 0xff
        // The addresses of a stack differ from run to run, and say nothing without the program's symbols.
        let lines = String(decoding: printed, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { !$0.contains(#/^\d+ .* 0x[0-9a-f]+ |^Current stack trace/#) }
        self.printed = lines.suffix(WorkerEnd.mostLines).map { String($0.prefix(300)) }
    }

    static let mostLines = 5
    /// Of what a worker prints the end is kept.
    static let mostPrinted = 1 << 16

    /// `SIGILL (Illegal instruction)`, `exit code 70`
    var text: String {
        guard let signal else { return "exit code \(code)" }
        let name = WorkerEnd.names.first { $0.number == signal }?.name ?? "signal \(signal)"
        return "\(name) (\(String(cString: strsignal(signal))))"
    }

    /// What such an end mostly means, and what to do.
    var help: String {
        switch signal {
        case SIGKILL:
            "it was killed from outside: perhaps the machine had no memory left; run it alone, with --jobs 1"
        case SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE:
            "a mistake of otalab, or more than memory holds; for more: SWIFT_BACKTRACE=enable=yes before "
                + "the command and --in-process behind it; please report it with the file"
        default:
            "for more add --in-process to the command; please report it with the file"
        }
    }

    private static let names: [(number: Int32, name: String)] = [
        (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"), (SIGABRT, "SIGABRT"), (SIGBUS, "SIGBUS"),
        (SIGFPE, "SIGFPE"), (SIGKILL, "SIGKILL"), (SIGSEGV, "SIGSEGV"), (SIGTERM, "SIGTERM"),
        (SIGQUIT, "SIGQUIT"), (SIGHUP, "SIGHUP"), (SIGPIPE, "SIGPIPE"), (SIGXCPU, "SIGXCPU"),
    ]
}
