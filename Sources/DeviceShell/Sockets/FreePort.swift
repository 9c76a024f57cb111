/// A port of the loopback that nobody listens at.
public enum FreePort {
    /// Free a moment ago; whoever binds it next has it. Nil: the system has none.
    public static func find() -> UInt16? {
        do throws(SystemError) {
            let descriptor = try SocketCalls.listen(at: .version4, port: 0)
            defer { SocketCalls.close(descriptor) }
            return try SocketCalls.port(of: descriptor)
        } catch {
            return nil
        }
    }
}
