import Core
import DeviceShell
import LocalServer

/// The client sockets of the simulated page. Its requests are sent to the app's server over the loopback, and
/// the server's bytes are returned in the order of their arrival.
typealias PageSockets = PolledSockets<ConnectionID>

extension PolledSockets where ID == ConnectionID {
    mutating func open(_ id: ConnectionID, port: UInt16) {
        do throws(SystemError) {
            try add(try SocketCalls.connect(to: .loopback4(port: port)), for: id)
        } catch {
            connectionLost(id)
        }
    }

    /// Events since the last call; does not wait.
    mutating func take() throws(PortError) -> [Event] {
        _ = try poll()
        return takeEvents()
    }
}
