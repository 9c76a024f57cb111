import Foundation

/// Who listens at a loopback port, from `/proc/net/tcp` and the descriptors of the processes. On a system
/// without them nothing is known.
package enum PortOwner: Hashable, Sendable {
    /// Nobody listens.
    case nobody
    /// A process that is expected.
    case expected
    /// Another process.
    case other
    case unknown

    /// - Parameter mark: `KEY=VALUE` in the environment of the processes that are expected.
    package static func of(_ port: UInt16, mark: String) -> PortOwner {
        guard let inodes = listeningSockets(at: port) else { return .unknown }
        if inodes.isEmpty { return .nobody }
        let links = inodes.map { "socket:[\($0)]" }
        let isExpected = ProcessTable.processes(with: mark).contains { process in
            ProcessTable.descriptors(of: process).contains { links.contains($0) }
        }
        return isExpected ? .expected : .other
    }

    /// Inodes of the sockets that listen at the port (proc(5)): local address and port in hexadecimal, the
    /// state 0A, and the inode in the tenth field. nil: the system does not say.
    private static func listeningSockets(at port: UInt16) -> [Substring]? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap {
            FileManager.default.contents(atPath: $0).map { String(decoding: $0, as: UTF8.self) }
        }
        if tables.isEmpty { return nil }
        let suffix = String(format: ":%04X", port)
        return tables.flatMap { $0.split(separator: "\n").dropFirst() }.compactMap { line in
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == "0A" else { return nil }
            return fields[9]
        }
    }
}
