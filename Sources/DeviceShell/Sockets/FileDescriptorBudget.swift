#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Bionic)
    import Bionic
#endif

/// Number of the process's file descriptors that clients of the local server may use, so that unauthenticated
/// clients never take those that files, downloads and the app need. A phone may allow 256 in total.
struct FileDescriptorBudget: Equatable {
    /// Most open connections.
    let connections: Int
    /// Most connections that linger at their end.
    let lingering: Int

    /// Descriptors reserved for everything else.
    static let reserved = 48

    /// - Parameter limit: the process's limit of descriptors.
    init(limit: Int) {
        let available = max(limit, FileDescriptorBudget.reserved) - FileDescriptorBudget.reserved
        connections = max(available / 3 * 2 + available % 3 * 2 / 3, 4)
        lingering = max(available / 3, 2)
    }

    /// The budget under the system's present limit.
    static func current() -> FileDescriptorBudget {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return FileDescriptorBudget(limit: limit > 0 ? limit : 1_024)
    }
}
