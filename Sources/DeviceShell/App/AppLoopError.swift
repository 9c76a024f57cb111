/// The system's poller failed, or the system has no descriptors or memory left for the loop.
public struct AppLoopError: Error, CustomStringConvertible {
    /// `errno` of the system call that failed.
    public let errorNumber: Int32

    package init(_ error: SystemError) { errorNumber = error.errorNumber }

    public var description: String { "the system's poller failed (errno \(errorNumber))" }
}
