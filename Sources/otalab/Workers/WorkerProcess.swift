import Foundation

/// A worker as its parent sees it: a process, its pipes, and the bytes in transit.
///
/// All calls come from the thread of ``WorkerPool``; none blocks, except ``end()`` and ``stop()``. The
/// parent's descriptors are close-on-exec, because a worker that inherits another one's input would keep it
/// open. ``end()`` reaps the process, so that no zombie is left.
final class WorkerProcess {
    private let process: pid_t
    let input: Int32
    let results: Int32
    let prints: Int32
    /// Bytes not yet written to the pipe.
    private var outgoing: ArraySlice<UInt8> = []
    private var incoming = FrameReader()
    private var printed: [UInt8] = []
    /// Whether its standard error is open.
    private(set) var canPrint = true
    /// The run that the worker is executing.
    var job: WorkerPool.Job?
    /// When the run exceeds the wall limit, in seconds of the monotonic clock.
    var overdueAt: Double?

    struct StartFault: Error { var why: String }

    /// - Parameter greeting: the first frame.
    init(executable: String, greeting: [UInt8]) throws(StartFault) {
        var ends: [Int32] = []
        func fail(_ code: Int32) -> StartFault {
            for end in ends { close(end) }
            return StartFault(why: String(cString: strerror(code)))
        }
        for _ in 0..<3 {
            var pair: [Int32] = [-1, -1]
            guard pipe(&pair) == 0 else { throw fail(errno) }
            for end in pair {
                // Above the standard streams, which may have been closed when this program was started.
                let high = fcntl(end, F_DUPFD_CLOEXEC, 10)
                let code = errno
                close(end)
                guard high >= 0 else { throw fail(code) }
                ends.append(high)
            }
        }
        let code = WorkerProcess.start(executable, [ends[0], ends[3], ends[5]])
        guard case .success(let process) = code else {
            guard case .failure(let fault) = code else { throw fail(0) }
            for end in ends { close(end) }
            throw fault
        }
        for end in [ends[0], ends[3], ends[5]] { close(end) }
        self.process = process
        (input, results, prints) = (ends[1], ends[2], ends[4])
        for end in [input, results, prints] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        outgoing = greeting[...]
    }

    /// - Parameter streams: the child's standard input, output and error.
    private static func start(_ executable: String, _ streams: [Int32]) -> Result<pid_t, StartFault> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (descriptor, stream) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, stream, Int32(descriptor))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Dispatch threads have signals blocked, and the child would inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let command = [CommandLine.arguments.first ?? "otalab", Worker.argument]
        var arguments = command.map { strdup($0) } + [nil]
        var environment = WorkerProcess.environment.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, executable, &actions, &attributes, &arguments, &environment)
        if code == 0 { return .success(process) }
        return .failure(StartFault(why: "\(executable): \(String(cString: strerror(code)))"))
    }

    /// This process's environment, without backtraces unless they are requested, because they take seconds.
    private static var environment: [String] {
        var variables = ProcessInfo.processInfo.environment
        if variables["SWIFT_BACKTRACE"] == nil { variables["SWIFT_BACKTRACE"] = "enable=no" }
        return variables.map { "\($0.key)=\($0.value)" }
    }

    // MARK: - Input and output

    var hasOutgoing: Bool { !outgoing.isEmpty }

    func send(_ bytes: [UInt8]) {
        outgoing += bytes
        flush()
    }

    /// Writes as much as the pipe takes. Errors are ignored, because the end of the worker is noticed when
    /// its results are read.
    func flush() {
        while !outgoing.isEmpty {
            let count = outgoing.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            outgoing = outgoing.dropFirst(count)
        }
    }

    /// - Returns: complete frames, and whether the worker has closed its end.
    func receive() throws(FrameFault) -> (frames: [Frame], hasEnded: Bool) {
        let (bytes, hasEnded) = WorkerProcess.bytes(results)
        incoming.add(bytes)
        var frames: [Frame] = []
        while let frame = try incoming.next() { frames.append(frame) }
        return (frames, hasEnded)
    }

    /// Reads what it has printed and keeps the end of it.
    func keepPrinted() {
        let (bytes, hasEnded) = WorkerProcess.bytes(prints)
        printed = Array((printed + bytes).suffix(WorkerEnd.maxPrinted))
        if hasEnded { canPrint = false }
    }

    /// Reads everything that is available without blocking.
    private static func bytes(_ end: Int32) -> (bytes: [UInt8], hasEnded: Bool) {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(end, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return (all, errno != EAGAIN) }
            if count == 0 { return (all, true) }
            all += piece[..<count]
            if count < piece.count { return (all, false) }
        }
    }

    // MARK: - The end

    /// Reaps the process after its pipes were closed; kills it if it does not exit within 100 ms.
    func end() -> WorkerEnd {
        var status: Int32 = 0
        var found = waitpid(process, &status, WNOHANG)
        // The kernel closes its pipes shortly before it can be reaped.
        for _ in 0..<100 where found == 0 {
            usleep(1_000)
            found = waitpid(process, &status, WNOHANG)
        }
        if found == 0 { found = kill(status: &status) }
        return finish(found == process ? status : nil)
    }

    /// Kills and reaps the process.
    @discardableResult
    func stop() -> WorkerEnd {
        var status: Int32 = 0
        return finish(kill(status: &status) == process ? status : nil)
    }

    private func kill(status: inout Int32) -> pid_t {
        _ = Foundation.kill(process, SIGKILL)
        while true {
            let found = waitpid(process, &status, 0)
            if found < 0, errno == EINTR { continue }
            return found
        }
    }

    private func finish(_ status: Int32?) -> WorkerEnd {
        keepPrinted()
        for end in [input, results, prints] { close(end) }
        return WorkerEnd(status: status, printed: printed)
    }
}
