import Foundation
import Reporting
import Runner

/// Executes runs in worker processes, so that a process that dies costs a single result.
///
/// Guarantees: a result equals that of a run in this process, whatever the number of workers. A worker has
/// one run at a time. A worker that died, sent an invalid result or exceeded the wall limit is killed, reaped
/// and replaced, and its run gets a result that says so. No worker is left after ``stop()``, nor after this
/// process has ended in any way (``Worker``).
///
/// One thread serves all workers: it sleeps in `poll` until a worker, a new run or a limit needs attention.
/// All of its reads and writes are non-blocking, so that a worker that does not read delays no other.
final class WorkerPool: @unchecked Sendable {
    /// A run that is waiting for its result.
    final class Job: @unchecked Sendable {
        let bytes: [UInt8]
        /// Called when the worker prints. Its wall limit begins anew then, because its run has many parts.
        let printed: (@Sendable () -> Void)?
        let reply: CheckedContinuation<Outcome, Never>
        /// Number of workers that died before they read the request.
        var misses = 0

        init(
            _ bytes: [UInt8], _ printed: (@Sendable () -> Void)?,
            _ reply: CheckedContinuation<Outcome, Never>
        ) {
            self.bytes = bytes
            self.printed = printed
            self.reply = reply
        }
    }

    enum Outcome: Sendable {
        case result(Frame)
        case died(WorkerEnd)
        case noFrame
        /// - Parameter end: what it had printed.
        case overdue(WorkerEnd)
        case notStarted(String)
        case stopped
    }

    private let executable: String
    private let greeting: [UInt8]
    private let limit: Int
    private let wallLimit: TimeInterval?
    /// The wall limit as the call gives it: `60s`.
    private let shownLimit: String

    private let lock = NSLock()
    private var inbox: [Job] = []
    private var isStopped = false
    private let wake: (reading: Int32, writing: Int32)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - limit: maximum number of workers; they are started on demand.
    ///   - wallLimit: the limit for one run, with its text.
    init(
        _ options: ScenarioSuite.Options, limit: Int, wallLimit: (seconds: TimeInterval, text: String)?
    ) throws(UsageError) {
        executable = WorkerPool.thisExecutable
        greeting = WorkerMessage.options(options).bytes
        self.limit = max(1, limit)
        self.wallLimit = wallLimit?.seconds
        shownLimit = wallLimit?.text ?? ""
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw UsageError(
                message: "no worker can be started: \(String(cString: strerror(errno)))",
                help: "run everything in this process with --in-process")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wake = (ends[0], ends[1])
        let thread = Thread { [self] in serve() }
        thread.name = "workers"
        thread.start()
    }

    /// Path of the running executable, also if another one has replaced it since.
    static var thisExecutable: String {
        FileManager.default.fileExists(atPath: "/proc/self/exe")
            ? "/proc/self/exe" : Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    // MARK: - API

    func result(of run: PlannedRun) async -> ScenarioResult {
        result(await reply(to: WorkerMessage.request(run.request)), run)
    }

    /// The reply of a worker to a message, or how the worker ended.
    /// - Parameter printed: for a run of many parts, each of which the worker names on its standard error:
    ///   called for them. The wall limit is for a part then.
    func reply(to message: Frame, printed: (@Sendable () -> Void)? = nil) async -> Outcome {
        let bytes = message.bytes
        return await withCheckedContinuation { reply in
            let isLate = lock.withLock {
                if !isStopped { inbox.append(Job(bytes, printed, reply)) }
                return isStopped
            }
            if isLate { reply.resume(returning: .stopped) } else { wakeThread() }
        }
    }

    /// Kills all workers; waiting runs end without a result. Returns when all workers are gone.
    func stop() {
        let isFirst = lock.withLock {
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        wakeThread()
        ended.wait()
    }

    private func wakeThread() {
        var byte: UInt8 = 1
        _ = write(wake.writing, &byte, 1)
    }

    private func result(_ outcome: Outcome, _ run: PlannedRun) -> ScenarioResult {
        func died(_ headline: String, _ found: [String], _ help: String) -> ScenarioResult {
            run.result(endedBy: .workerDied, headline, found: found, help: help)
        }
        switch outcome {
        case .result(let frame):
            do throws(ResultsFault) {
                return try WorkerMessage.result(frame)
            } catch {
                return died(
                    "The worker process sent a result that can't be read", ["\(error.member) \(error.why)"],
                    "please report it with the file")
            }
        case .died(let end):
            return died(
                "The worker process died: \(end.text)", end.printed.map { "it printed: \($0)" }, end.help)
        case .noFrame:
            return died(
                "The worker process sent something that is not a result", [],
                "please report it with the file")
        case .notStarted(let why):
            return died(
                "No worker process could be started: \(why)", [],
                "try fewer with --jobs, or --in-process")
        case .overdue:
            return run.result(
                endedBy: .wallLimit, ScenarioResult.tookTooLong(shownLimit), found: [],
                help: ScenarioResult.helpForLongRuns, flags: " --wall-limit \(shownLimit)")
        case .stopped:
            return died("The run was stopped before it ended", [], "run it again")
        }
    }

    // MARK: - The thread

    private var workers: [WorkerProcess] = []
    private var waiting: [Job] = []

    private func serve() {
        while true {
            let (new, isStopped) = lock.withLock {
                defer { inbox = [] }
                return (inbox, self.isStopped)
            }
            waiting += new
            if isStopped { return close() }
            assign()
            waitForEvents()
        }
    }

    private func assign() {
        while !waiting.isEmpty {
            guard let worker = workers.first(where: { $0.job == nil }) ?? start() else { return }
            let job = waiting.removeFirst()
            worker.job = job
            worker.overdueAt = wallLimit.map { WorkerPool.now + $0 }
            worker.send(job.bytes)
        }
    }

    /// A new worker; nil if the limit is reached or none can be started. If there is no worker at all then,
    /// the waiting runs end.
    private func start() -> WorkerProcess? {
        guard workers.count < limit else { return nil }
        do throws(WorkerProcess.StartFault) {
            let worker = try WorkerProcess(executable: executable, greeting: greeting)
            workers.append(worker)
            return worker
        } catch {
            guard workers.isEmpty else { return nil }
            for job in waiting { job.reply.resume(returning: .notStarted(error.why)) }
            waiting = []
            return nil
        }
    }

    /// Waits until a worker, the inbox or a limit needs attention, and handles it.
    private func waitForEvents() {
        var ends = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
        for worker in workers {
            ends.append(pollfd(fd: worker.results, events: Int16(POLLIN), revents: 0))
            ends.append(pollfd(fd: worker.canPrint ? worker.prints : -1, events: Int16(POLLIN), revents: 0))
            let out = worker.hasOutgoing ? worker.input : -1
            ends.append(pollfd(fd: out, events: Int16(POLLOUT), revents: 0))
        }
        let next = workers.compactMap(\.overdueAt).min()
        let timeout = next.map { Int32(max(0, min(60, $0 - WorkerPool.now)) * 1_000) + 1 } ?? -1
        guard poll(&ends, nfds_t(ends.count), timeout) >= 0 || errno == EINTR else { return }
        var byte = [UInt8](repeating: 0, count: 64)
        if ends[0].revents != 0 { while read(wake.reading, &byte, byte.count) > 0 {} }
        for (index, worker) in workers.enumerated() {
            // Before its end is handled, so that the last lines it printed are kept.
            if ends[2 + index * 3].revents != 0 { keepPrinted(of: worker) }
            if ends[3 + index * 3].revents != 0 { worker.flush() }
            if ends[1 + index * 3].revents != 0 { receive(from: worker) }
        }
        for worker in workers where worker.overdueAt.map({ $0 <= WorkerPool.now }) ?? false {
            end(worker) { .overdue($0) }
        }
    }

    private func keepPrinted(of worker: WorkerProcess) {
        worker.keepPrinted()
        guard let printed = worker.job?.printed else { return }
        worker.overdueAt = wallLimit.map { WorkerPool.now + $0 }
        printed()
    }

    private func receive(from worker: WorkerProcess) {
        do throws(FrameFault) {
            let (frames, hasEnded) = try worker.receive()
            for frame in frames {
                worker.job?.reply.resume(returning: .result(frame))
                worker.job = nil
                worker.overdueAt = nil
            }
            if hasEnded { end(worker, nil) }
        } catch {
            end(worker) { _ in .noFrame }
        }
    }

    /// - Parameter outcome: the outcome of its run; nil for the end of the process.
    private func end(_ worker: WorkerProcess, _ outcome: ((WorkerEnd) -> Outcome)?) {
        workers.removeAll { $0 === worker }
        let end = outcome == nil ? worker.end() : worker.stop()
        guard let job = worker.job else { return }
        if outcome == nil, worker.hasOutgoing, job.misses < 2 {
            // The worker died before it read the request.
            job.misses += 1
            waiting.insert(job, at: 0)
            return
        }
        job.reply.resume(returning: outcome?(end) ?? .died(end))
    }

    private func close() {
        for worker in workers { end(worker) { _ in .stopped } }
        for job in waiting { job.reply.resume(returning: .stopped) }
        waiting = []
        // The wake pipe stays open, because a late call may still write to it.
        ended.signal()
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
