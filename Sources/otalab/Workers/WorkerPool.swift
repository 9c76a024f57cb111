import Foundation
import Reporting
import Runner

/// Makes runs in processes, so that one that dies costs one result and no more.
///
/// VerificationSummary: a result is the same value as if this process had made the run, whatever the number
/// of workers; a run is given to a worker that has none; a worker that died, sent what is no result, or
/// needed longer than the wall limit is ended, collected and replaced, and its run has a result that says
/// so; no worker is left after ``stop()``, nor after this process has ended in whatever way (``Worker``).
///
/// One thread looks after all workers: it sleeps in `poll` until one of them, a new run or a limit wants
/// something. What it waits for never blocks it, so that a worker that does not read keeps up no other.
final class WorkerPool: @unchecked Sendable {
    /// A run that waits for its result.
    final class Job: @unchecked Sendable {
        let bytes: [UInt8]
        let reply: CheckedContinuation<Outcome, Never>
        /// Workers that it was given to and that never read it.
        var misses = 0

        init(_ bytes: [UInt8], _ reply: CheckedContinuation<Outcome, Never>) {
            self.bytes = bytes
            self.reply = reply
        }
    }

    enum Outcome: Sendable {
        case result(Frame)
        case died(WorkerEnd)
        case noFrame
        case overdue
        case notStarted(String)
        case stopped
    }

    private let executable: String
    private let greeting: [UInt8]
    private let most: Int
    private let wallLimit: TimeInterval?
    /// As the call says it: `60s`.
    private let shownLimit: String

    private let lock = NSLock()
    private var inbox: [Job] = []
    private var isStopped = false
    private let wake: (reading: Int32, writing: Int32)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - most: workers at once; they are started when there is something for them.
    ///   - wallLimit: for one run, with its text.
    init(
        _ options: Laboratory.Options, most: Int, wallLimit: (seconds: TimeInterval, text: String)?
    ) throws(UsageError) {
        // The same file also where another one has been built in its place since.
        executable =
            FileManager.default.fileExists(atPath: "/proc/self/exe")
            ? "/proc/self/exe" : Bundle.main.executablePath ?? CommandLine.arguments[0]
        greeting = WorkerMessage.options(options).bytes
        self.most = max(1, most)
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
        let thread = Thread { [self] in look() }
        thread.name = "workers"
        thread.start()
    }

    // MARK: - From outside

    func result(of run: PlannedRun) async -> ScenarioResult {
        let bytes = WorkerMessage.request(run.request).bytes
        let outcome = await withCheckedContinuation { reply in
            let isLate = lock.withLock {
                if !isStopped { inbox.append(Job(bytes, reply)) }
                return isStopped
            }
            if isLate { reply.resume(returning: .stopped) } else { ring() }
        }
        return result(outcome, run)
    }

    /// Ends all workers at once; runs that wait have no result. Returns when all are gone.
    func stop() {
        let isFirst = lock.withLock {
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        ring()
        ended.wait()
    }

    private func ring() {
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
                "The worker process sent what is no result", [], "please report it with the file")
        case .notStarted(let why):
            return died(
                "No worker process could be started: \(why)", [],
                "try fewer with --jobs, or --in-process")
        case .overdue:
            return run.result(
                endedBy: .wallLimit, ScenarioResult.tookTooLong(shownLimit), found: [],
                help: ScenarioResult.helpForLongRuns, flags: " --wall-limit \(shownLimit)")
        case .stopped:
            return died("The run was ended before", [], "run it again")
        }
    }

    // MARK: - The thread

    private var workers: [WorkerProcess] = []
    private var waiting: [Job] = []

    private func look() {
        while true {
            let (new, isStopped) = lock.withLock {
                defer { inbox = [] }
                return (inbox, self.isStopped)
            }
            waiting += new
            if isStopped { return close() }
            assign()
            sleep()
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

    /// Nil where there are enough, or no further one can be started. Without any worker, what waits has no
    /// chance, and ends.
    private func start() -> WorkerProcess? {
        guard workers.count < most else { return nil }
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

    /// Until something can be done, and does it.
    private func sleep() {
        var ends = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
        for worker in workers {
            ends.append(pollfd(fd: worker.results, events: Int16(POLLIN), revents: 0))
            ends.append(pollfd(fd: worker.canPrint ? worker.prints : -1, events: Int16(POLLIN), revents: 0))
            let out = worker.hasOutgoing ? worker.input : -1
            ends.append(pollfd(fd: out, events: Int16(POLLOUT), revents: 0))
        }
        let next = workers.compactMap(\.overdueAt).min()
        let rest = next.map { Int32(max(0, min(60, $0 - WorkerPool.now)) * 1_000) + 1 } ?? -1
        guard poll(&ends, nfds_t(ends.count), rest) >= 0 || errno == EINTR else { return }
        var byte = [UInt8](repeating: 0, count: 64)
        if ends[0].revents != 0 { while read(wake.reading, &byte, byte.count) > 0 {} }
        for (number, worker) in workers.enumerated() {
            // Before what ended it, so that its last words are there.
            if ends[2 + number * 3].revents != 0 { worker.keepPrinted() }
            if ends[3 + number * 3].revents != 0 { worker.flush() }
            if ends[1 + number * 3].revents != 0 { take(worker) }
        }
        for worker in workers where worker.overdueAt.map({ $0 <= WorkerPool.now }) ?? false {
            end(worker, .overdue)
        }
    }

    private func take(_ worker: WorkerProcess) {
        do throws(FrameFault) {
            let (frames, hasEnded) = try worker.receive()
            for frame in frames {
                worker.job?.reply.resume(returning: .result(frame))
                worker.job = nil
                worker.overdueAt = nil
            }
            if hasEnded { end(worker, nil) }
        } catch {
            end(worker, .noFrame)
        }
    }

    /// - Parameter outcome: of what it was making; nil: as the process ended.
    private func end(_ worker: WorkerProcess, _ outcome: Outcome?) {
        workers.removeAll { $0 === worker }
        let end = outcome == nil ? worker.end() : worker.stop()
        guard let job = worker.job else { return }
        if outcome == nil, worker.hasOutgoing, job.misses < 2 {
            // It had died before it was given this one.
            job.misses += 1
            waiting.insert(job, at: 0)
            return
        }
        job.reply.resume(returning: outcome ?? .died(end))
    }

    private func close() {
        for worker in workers { end(worker, .stopped) }
        for job in waiting { job.reply.resume(returning: .stopped) }
        waiting = []
        // The pipe that wakes stays open: a late call may still write to it.
        ended.signal()
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
