import Foundation
import Runner

/// This program as a worker: makes the runs that standard input asks for, one after the other, and writes
/// their results to standard output. It ends when its input does.
///
/// VerificationSummary: nothing that is printed while a run is made gets among the results; it goes to
/// standard error. A worker does not outlive the process that started it, also where a run never ends. It
/// can't take the machine's memory: its address space is limited (``mostMemory``). Ctrl-C in a terminal
/// reaches the whole group of processes; a worker leaves it to the one that started it.
///
/// Ends with 70 for input that is none; everything else that ends it is a defect or a limit, and costs the
/// run that was being made.
struct Worker {
    /// The one argument of a worker's command line; no verb, and in no help.
    static let argument = "--worker-of-otalab"

    private let input: Int32
    private let output: Int32
    private var frames = FrameReader()

    /// Takes over both streams.
    init() {
        signal(SIGINT, SIG_IGN)
        input = Worker.own(STDIN_FILENO)
        output = Worker.own(STDOUT_FILENO)
        // What is printed by mistake is to be seen, and is no result.
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let null = open("/dev/null", O_RDONLY)
        if null >= 0 { dup2(null, STDIN_FILENO) }
        Worker.limitMemory()
    }

    private static func own(_ stream: Int32) -> Int32 { fcntl(stream, F_DUPFD_CLOEXEC, 3) }

    mutating func serve() -> Never {
        endWithStarter()
        guard let first = next() else { exit(0) }
        guard let options = WorkerMessage.options(first) else { Worker.end("no options") }
        var runner = RequestRunner(options)
        while let frame = next() {
            guard let request = WorkerMessage.request(frame) else { Worker.end("no request") }
            guard let result = runner.result(of: request) else {
                Worker.end("\(request.file.path) has no \(request.scenario), order \(request.order)")
            }
            guard write(WorkerMessage.result(result).bytes) else { exit(0) }
        }
        exit(0)
    }

    // MARK: - Frames

    /// Nil when the input has ended.
    private mutating func next() -> Frame? {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            do throws(FrameFault) {
                if let frame = try frames.next() { return frame }
            } catch {
                Worker.end("no frame")
            }
            let count = read(input, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            frames.add(piece[..<count])
        }
    }

    /// False: nobody reads any more.
    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func end(_ what: String) -> Never {
        Output.error("internal error: a worker was asked for what it can't do: \(what)\n")
        exit(Int32(ExitCode.internalError.rawValue))
    }

    // MARK: - Limits

    /// The other end of the input is held by the starter alone: when it is closed, so is this process.
    private func endWithStarter() {
        let input = input
        let thread = Thread {
            while true {
                var one = pollfd(fd: input, events: 0, revents: 0)
                let count = poll(&one, 1, -1)
                if count < 0, errno == EINTR { continue }
                _exit(0)
            }
        }
        thread.name = "starter"
        thread.start()
    }

    /// As much as the machine has, and room for the addresses that are reserved and not used.
    static var mostMemory: UInt64 { ProcessInfo.processInfo.physicalMemory + 4 << 30 }

    /// A lower limit that is there already stays.
    private static func limitMemory() {
        var limit = rlimit()
        guard getrlimit(Worker.addresses, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_cur, min(limit.rlim_max, rlim_t(mostMemory)))
        _ = setrlimit(Worker.addresses, &limit)
    }

    #if canImport(Glibc)
        private static let addresses = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
        private static let addresses = RLIMIT_AS
    #endif
}
