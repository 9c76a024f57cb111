import DeviceShell

/// A port of the loopback that nobody listens at.
package enum FreePort {
    /// Free a moment ago; whoever binds it next has it. Nil: the system has none.
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
