import DeviceShell

/// Finds a loopback port that no process listens at.
package enum FreePort {
    /// A port that was free during the call; another process may bind it before the caller does. nil when the
    /// system has none.
    package static func find() -> UInt16? { bound(0) }

    /// A free port below those that systems choose themselves (Linux: from 32768 on), so that it stays free
    /// between two processes that listen at it one after the other.
    /// - Parameter taken: ports that it must not be.
    package static func lasting(besides taken: [UInt16] = []) -> UInt16? {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<32_000)
            if !taken.contains(port), let port = bound(port) { return port }
        }
        return nil
    }

    private static func bound(_ port: UInt16) -> UInt16? {
        do throws(SystemError) {
            let descriptor = try SocketCalls.listen(at: .version4, port: port)
            defer { SocketCalls.close(descriptor) }
            return try SocketCalls.port(of: descriptor)
        } catch {
            return nil
        }
    }
}
