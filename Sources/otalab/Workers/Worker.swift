import Foundation
import Runner
import Search
import Synchronization

/// This program as a worker process: executes the run requests on standard input one after the other and
/// writes the results to standard output. It exits when its input ends.
///
/// Guarantees: text that is printed during a run goes to standard error, never between the results. A worker
/// does not outlive the process that started it, even if a run never ends. It can't use up the machine's
/// memory, because its address space is limited (``memoryLimit``). It ignores SIGINT and SIGTERM, because
/// Ctrl-C in a terminal and `timeout` reach the whole process group, and the parent process handles them.
///
/// Exits with 70 for invalid input. Any other early exit is a defect or a limit, and the current run is lost.
struct Worker {
    /// The only argument of a worker's command line; it is no verb and does not appear in the help.
    static let argument = "--worker-of-otalab"

    private let input: Int32
    private let output: Int32
    private var frames = FrameReader()

    /// Takes over both streams.
    init() {
        signal(SIGINT, SIG_IGN)
        signal(SIGTERM, SIG_IGN)
        input = Worker.own(STDIN_FILENO)
        output = Worker.own(STDOUT_FILENO)
        // Text that is printed by mistake must be visible, and must not be taken for a result.
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let null = open("/dev/null", O_RDONLY)
        if null >= 0 { dup2(null, STDIN_FILENO) }
        Worker.limitMemory()
        // A thread of the parent process started it, and Dispatch may have given that thread another priority
        // than the one that the user gave the program (`nice`).
        errno = 0
        let priority = getpriority(Worker.ofProcess, id_t(getppid()))
        if errno == 0 { _ = setpriority(Worker.ofProcess, 0, priority) }
    }

    private static func own(_ stream: Int32) -> Int32 { fcntl(stream, F_DUPFD_CLOEXEC, 3) }

    mutating func serve() -> Never {
        exitWithParent()
        guard let first = next() else { exit(0) }
        guard let options = WorkerMessage.options(first) else { Worker.end("no options") }
        var runner = RequestRunner(options)
        var trial = WorldTrial(options.profiles)
        while let frame = next() {
            if let (recipe, basis) = WorkerMessage.world(frame, profiles: options.profiles.names) {
                let outcome = trial.outcome(of: recipe, basis: basis)
                guard write(WorkerMessage.outcome(outcome).bytes) else { exit(0) }
                continue
            }
            if let request = WorkerMessage.sweep(frame) {
                guard write(WorkerMessage.swept(sweep(request, options, &runner)).bytes) else { exit(0) }
                continue
            }
            if let wanted = WorkerMessage.cellsWanted(frame) {
                var sweep = SweepRun()
                sweep.profiles = options.profiles.profiles
                let cells = sweep.cells(ofFile: plans(of: wanted, &runner))
                guard write(WorkerMessage.cells(cells).bytes) else { exit(0) }
                continue
            }
            guard let request = WorkerMessage.request(frame) else { Worker.end("no request") }
            guard let result = runner.result(of: request) else {
                Worker.end("\(request.file.path) has no \(request.scenario), order \(request.order)")
            }
            guard write(WorkerMessage.result(result).bytes) else { exit(0) }
        }
        exit(0)
    }

    /// Sweeps the scenarios of a file. Each world is named on standard error before it begins
    /// (``SweepMark``).
    private func sweep(
        _ request: SweepRequest, _ options: ScenarioSuite.Options, _ runner: inout RequestRunner
    ) -> [SweepReport] {
        let plans = plans(of: request.plans, &runner)
        var sweep = SweepRun()
        (sweep.level, sweep.pairs, sweep.jobs) = (request.level, request.pairs, request.jobs)
        sweep.onlyCells = request.onlyCells
        sweep.profiles = options.profiles.profiles
        if request.isMetamorphic {
            sweep.metamorphic = MetamorphicCheck(ScenarioRunner(profiles: sweep.profiles))
        }
        let skipped = Set(request.skipped)
        sweep.willTry = { run, sites in
            let mark = SweepMark(run, sites)
            Output.error(mark.text + "\n")
            return !skipped.contains(mark)
        }
        let reports = Mutex<[SweepReport]>([])
        let ended = DispatchSemaphore(value: 0)
        Task.detached { [sweep] in
            let found = await sweep.run(plans)
            reports.withLock { $0 = found }
            ended.signal()
        }
        ended.wait()
        return reports.withLock { $0 }
    }

    private func plans(of requests: [RunRequest], _ runner: inout RequestRunner) -> [RunPlan] {
        let plans = requests.compactMap { runner.plan(of: $0) }
        guard plans.count == requests.count else { Worker.end("a scenario that its file does not have") }
        return plans
    }

    // MARK: - Frames

    /// The next frame; nil at the end of the input.
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

    /// - Returns: false if the parent process has closed the pipe.
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
        Output.error("internal error: a worker got an invalid request: \(what)\n")
        exit(Int32(ExitCode.internalError.rawValue))
    }

    // MARK: - Limits

    /// Exits when the other end of the input is closed, because only the parent process has it open.
    private func exitWithParent() {
        let input = input
        let thread = Thread {
            while true {
                var one = pollfd(fd: input, events: 0, revents: 0)
                let count = poll(&one, 1, -1)
                if count < 0, errno == EINTR { continue }
                _exit(0)
            }
        }
        thread.name = "parent"
        thread.start()
    }

    /// The limit of the address space: the machine's memory, plus 4 GiB for addresses that are reserved and
    /// not used.
    static var memoryLimit: UInt64 { ProcessInfo.processInfo.physicalMemory + 4 << 30 }

    /// Lowers the limit of the address space; a lower existing limit stays.
    private static func limitMemory() {
        var limit = rlimit()
        guard getrlimit(Worker.addresses, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_cur, min(limit.rlim_max, rlim_t(memoryLimit)))
        _ = setrlimit(Worker.addresses, &limit)
    }

    #if canImport(Glibc)
        private static let addresses = __rlimit_resource_t(RLIMIT_AS.rawValue)
        private static let ofProcess = __priority_which_t(PRIO_PROCESS.rawValue)
    #else
        private static let addresses = RLIMIT_AS
        private static let ofProcess = PRIO_PROCESS
    #endif
}
