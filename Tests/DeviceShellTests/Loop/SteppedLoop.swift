import AppHost
import Core
import Foundation
import LocalServer

@testable import DeviceShell

/// A loop that a test steps by hand, with a port that is open and a host that answers as the test says.
final class SteppedLoop {
    let record = EventRecord()
    let loop: AppLoop
    let port: UInt16

    init(_ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect] = { _ in [] }) throws {
        loop = try AppLoop.scripted(record, script)
        port = try RealApp.freePort()
        loop.listen(port)
        try turn(2)
    }

    deinit { loop.closeAll() }

    func turn(_ count: Int = 1) throws { for _ in 0..<count { try loop.turn(waiting: .zero) } }

    /// Turns until a condition holds, for at most 5 s.
    func turns(until isMet: () throws -> Bool) throws -> Bool {
        try GatedSyncs.wait {
            try loop.turn(waiting: .milliseconds(1))
            return try isMet()
        }
    }

    /// What the host got of its connections, in order.
    var connections: [(id: ConnectionID, event: AppHost.ConnectionEvent)] {
        record.all.compactMap { if case .connection(let id, let event) = $0 { (id, event) } else { nil } }
    }

    func events(_ id: UInt32) -> [AppHost.ConnectionEvent] {
        connections.filter { $0.id == ConnectionID(id) }.map { $0.event }
    }

    /// The bytes of each `received` of a connection.
    func received(_ id: UInt32) -> [[UInt8]] {
        events(id).compactMap { if case .received(let bytes) = $0 { bytes } else { nil } }
    }

    /// Waits until the host has the first byte of a client.
    /// - Parameter connected: a client that has said nothing; without it a new one.
    /// - Returns: the client, and the descriptor that the loop has accepted.
    func client(_ id: UInt32, _ connected: RawClient? = nil) throws -> (client: RawClient, descriptor: Int32)
    {
        let client = try connected ?? RawClient(port: port)
        client.say("c")
        guard try turns(until: { !received(id).isEmpty }), let descriptor = loop.descriptors[ConnectionID(id)]
        else { throw RawClient.Failure(description: "the connection has not come") }
        return (client, descriptor)
    }

    static func output(_ text: String) -> LocalServer.Output {
        LocalServer.Output(head: Array(text.utf8), body: .none)
    }

    /// An answer that no socket takes at once.
    static let huge = LocalServer.Output(
        head: [], body: .bytes([UInt8](repeating: UInt8(ascii: "h"), count: 40_000_000)))
}
