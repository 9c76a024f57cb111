import Foundation

/// Why a program could not be started.
package struct StartFault: Error, Hashable, Sendable {
    package var why: String

    init(_ code: Int32) { why = String(cString: strerror(code)) }

    static var last: StartFault { StartFault(errno) }
}

/// Starts a program as the leader of a new process group, with no descriptor but the three standard ones.
enum Spawn {
    /// Held while pipes are made and programs are started, so that none inherits the pipes of another one.
    static let lock = NSLock()

    /// - Parameters:
    ///   - command: path of the program and its arguments.
    ///   - variables: `KEY=VALUE`.
    /// - Returns: id of the process, which is also that of its group.
    static func start(
        _ command: [String], _ variables: [String], input: Int32, output: Int32, errors: Int32
    ) throws(StartFault) -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (from, to) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, from, to)
        }
        // This program may ignore signals (SIGINT, SIGPIPE) that a child expects with their default meaning.
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Threads of Dispatch block signals, and a child inherits that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var id: pid_t = 0
        let arguments = command.map { strdup($0) } + [nil]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        let code = posix_spawn(&id, command[0], &actions, &attributes, arguments, environment)
        if code != 0 { throw StartFault(code) }
        return id
    }
}
