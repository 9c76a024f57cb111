import DeviceShell

/// Finds a loopback port that no process listens at.
package enum FreePort {
    /// A port that was free during the call; another process may bind it before the caller does. nil when the
    /// system has none.
    package static func find() -> UInt16? {
        do throws(SystemError) {
            let descriptor = try SocketCalls.listen(at: .version4, port: 0)
            defer { SocketCalls.close(descriptor) }
            return try SocketCalls.port(of: descriptor)
        } catch {
            return nil
        }
    }
}
