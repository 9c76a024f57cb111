import Core
import DeviceShell
import Foundation

/// One process of an adapter, in a process group of its own.
///
/// Guarantees
/// - Reads and writes never block; what the process does not read of its input is kept.
/// - ``end()`` ends the group and whatever has left it: descendants are known by their environment.
/// - Where this program dies first, a guard ends the group and removes its folder: a shell that waits for the
///   end of a pipe.
///
/// Errors: a program that can't be started (``StartFault``). Deliberately not here: the protocol.
package final class SubjectProcess {
    package let id: Int32
    /// Its standard output, for `poll`.
    package let output: Int32
    private let input: Int32
    private let guardID: Int32
    private var guardPipe: Int32
    /// `KEY=VALUE` that only this process and its descendants have.
    private let mark: String
    private var unwritten: [UInt8] = []
    private var hasEnded = false
    /// How the process ended by itself, as ``exit()`` found it.
    private var ending: ProcessEnding?

    package enum ProcessEnding: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)

        package var text: String {
            switch self {
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "signal \(signal)"
            }
        }
    }

    /// - Parameters:
    ///   - command: path of the program and its arguments.
    ///   - environment: added to that of this program; the value of `mark` must be this process's alone.
    ///   - tracer: a program and its arguments that start the command, and get its environment as
    ///     `-E KEY=VALUE`.
    ///   - errors: path of the file that takes its standard error, which is appended to.
    ///   - folder: removed by the guard; nil: nothing is.
    package init(
        _ command: [String], environment: [String: String], mark: String, tracer: [String] = [],
        errors: String, removing folder: String? = nil
    ) throws(StartFault) {
        Spawn.lock.lock()
        defer { Spawn.lock.unlock() }
        let toChild = try Pipe.make()
        let fromChild = try Pipe.make()
        let toGuard = try Pipe.make()
        let log = open(errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        defer {
            for descriptor in [toChild.read, fromChild.write, toGuard.read, log] {
                SocketCalls.close(descriptor)
            }
        }
        if log < 0 { throw StartFault.last }
        var variables = ProcessInfo.processInfo.environment
        var command = command
        if tracer.isEmpty {
            for (key, value) in environment { variables[key] = value }
        } else {
            command = tracer + environment.flatMap { ["-E", "\($0.key)=\($0.value)"] } + command
        }
        id = try Spawn.start(
            command, variables.map { "\($0.key)=\($0.value)" }, input: toChild.read, output: fromChild.write,
            errors: log)
        // `read` returns when the pipe's other end is closed, and so when this program has ended.
        guardID = try Spawn.start(
            [
                "/bin/sh", "-c", "read line; kill -KILL -\(id); [ -z \"$1\" ] || rm -rf -- \"$1\"", "guard",
                folder ?? "",
            ], ["PATH=/bin:/usr/bin"], input: toGuard.read, output: log,
            errors: log)
        input = toChild.write
        output = fromChild.read
        guardPipe = toGuard.write
        self.mark = "\(mark)=\(environment[mark] ?? "")"
        Pipe.neverBlock(input)
        Pipe.neverBlock(output)
        SocketCalls.ignoreBrokenPipes()
    }

    deinit { end() }

    // MARK: Input and output

    /// Queues bytes of its standard input.
    package func write(_ bytes: [UInt8]) {
        unwritten += bytes
        flush()
    }

    package func flush() {
        while !unwritten.isEmpty, !hasEnded {
            let count = unwritten.withUnsafeBytes { Foundation.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            unwritten.removeFirst(count)
        }
    }

    /// Bytes of its standard output that are there, up to 64 KiB; empty: none now, or none any more.
    package func read() -> [UInt8] {
        if hasEnded { return [] }
        return [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = max(0, Foundation.read(output, buffer.baseAddress, buffer.count))
        }
    }

    // MARK: Its life

    /// How the process has ended by itself; nil: it runs.
    package func exit() -> ProcessEnding? {
        if ending != nil || hasEnded { return ending }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        let signal = status & 0x7f
        ending = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        return ending
    }

    package func suspend() { kill(-id, SIGSTOP) }
    package func resume() { kill(-id, SIGCONT) }

    /// For tests: what the guard sees when this program has died.
    func closeGuard() {
        SocketCalls.close(guardPipe)
        guardPipe = -1
    }

    /// Ends the process and all its descendants, and returns when they are gone.
    package func end() {
        if hasEnded { return }
        kill(-id, SIGKILL)
        for escaped in ProcessTable.processes(with: mark) { kill(escaped, SIGKILL) }
        var status: Int32 = 0
        if ending == nil { waitpid(id, &status, 0) }
        hasEnded = true
        // First of all: what it is there for has been done.
        kill(guardID, SIGKILL)
        for descriptor in [input, output, guardPipe] where descriptor >= 0 { SocketCalls.close(descriptor) }
        waitpid(guardID, &status, 0)
    }

    /// Whether this process, or one that it has started, listens at a port.
    package func owner(of port: UInt16) -> PortOwner { PortOwner.of(port, mark: mark) }

    /// What the process and its descendants are doing, to tell whether they are at rest.
    package func activity() -> ProcessTable.Activity { ProcessTable.activity(ofGroup: id) }
}

/// Pipes that no child inherits: they are made while no other thread starts one (``Spawn/lock``).
private enum Pipe {
    static func make() throws(StartFault) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw StartFault.last }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    static func neverBlock(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
}
