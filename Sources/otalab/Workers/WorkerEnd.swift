import Foundation

/// How a worker ended, from `waitpid`.
struct WorkerEnd: Hashable, Sendable {
    /// The signal that ended it; nil if it exited.
    var signal: Int32?
    var code: Int32
    /// The last lines that it printed, without line ends.
    var printed: [String]

    /// - Parameter status: nil if unknown.
    init(status: Int32?, printed: [UInt8]) {
        let status = status ?? 0
        let signalNumber = status & 0x7f
        signal = signalNumber == 0 ? nil : signalNumber
        code = status >> 8 & 0xff
        // The addresses of a stack trace differ from run to run, and are useless without the program's
        // symbols.
        let lines = String(decoding: printed, as: UTF8.self).split(whereSeparator: \.isNewline)
            .filter { !$0.contains(#/^\d+ .* 0x[0-9a-f]+ |^Current stack trace/#) }
        self.printed = lines.suffix(WorkerEnd.maxLines).map { String($0.prefix(300)) }
    }

    static let maxLines = 5
    /// Bytes kept from the end of what a worker prints.
    static let maxPrinted = 1 << 16

    /// `SIGILL (Illegal instruction)`, `exit code 70`
    var text: String {
        guard let signal else { return "exit code \(code)" }
        let name = WorkerEnd.names.first { $0.number == signal }?.name ?? "signal \(signal)"
        return "\(name) (\(String(cString: strsignal(signal))))"
    }

    /// The probable cause of such an end, and what to do.
    var help: String {
        switch signal {
        case SIGKILL:
            "it was killed from outside: perhaps the machine had no memory left; run it alone, with --jobs 1"
        case SIGABRT, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE:
            "a defect of otalab, or not enough memory; for more: SWIFT_BACKTRACE=enable=yes before "
                + "the command and --in-process after it; please report it with the file"
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
