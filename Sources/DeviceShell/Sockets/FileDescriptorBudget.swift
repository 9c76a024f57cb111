#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// How many of a process's descriptors the local server's peers may have, so that strangers at its port never
/// take those that files, downloads and the app's own work need. A phone may allow 256 in all.
struct FileDescriptorBudget: Equatable {
    /// Open connections at once, at most.
    let connections: Int
    /// Connections that linger at their end.
    let leaving: Int

    /// Left to everything else.
    static let kept = 48

    /// - Parameter limit: of the process, in all.
    init(limit: Int) {
        let room = max(limit - FileDescriptorBudget.kept, 0)
        connections = max(room * 2 / 3, 4)
        leaving = max(room / 3, 2)
    }

    /// By the system's limit of this moment.
    static func read() -> FileDescriptorBudget {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return FileDescriptorBudget(limit: limit > 0 ? limit : 1_024)
    }
}
