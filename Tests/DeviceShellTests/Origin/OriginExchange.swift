import Core
import Foundation
import HTTP1
import Testing
import Updater

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A client of origins, and a port that it connects to, where a test plays the origin.
final class OriginExchange {
    let poller: Poller
    let client: OriginClient
    let clock = EventRecord()
    let listener: Int32
    let port: UInt16
    private(set) var events: [TransferID: [TransferEvent]] = [:]
    /// Addresses that hosts have; nil: they are not resolved yet.
    var addresses: [SocketAddress]?
    private(set) var resolving: [String] = []
    private(set) var origins: [Int32] = []

    init() throws {
        poller = try Poller()
        client = OriginClient(poller, clock)
        listener = try SocketCalls.listen(at: .version4, port: 0)
        port = try SocketCalls.port(of: listener)
        addresses = [.loopback4(port: port)]
        client.deliver = { [unowned self] id, event in events[id, default: []].append(event) }
        client.resolve = { [unowned self] id, address in
            resolving.append("\(address.host):\(address.port)")
            if let addresses { client.resolved(id, addresses) }
        }
    }

    deinit { for descriptor in origins + [listener] { SocketCalls.close(descriptor) } }

    func events(_ id: UInt32) -> [TransferEvent] { events[TransferID(id)] ?? [] }

    func body(_ id: UInt32) -> [UInt8] {
        events(id).reduce([]) { body, event in
            if case .bytes(let bytes) = event { body + bytes } else { body }
        }
    }

    func begin(
        _ id: UInt32, _ url: String = "http://one.example/a", body: [UInt8] = [],
        fields: HeaderFields = HeaderFields()
    ) {
        client.begin(
            TransferID(id), OriginRequest(kind: .manifest, url: url, fields: fields, body: body))
    }

    func pass(_ milliseconds: Int64) {
        _ = clock.passing(.milliseconds(milliseconds))
        client.timePassed()
    }

    /// Until a condition holds, for at most 5 s.
    func run(until isMet: () throws -> Bool) throws -> Bool {
        try GatedSyncs.wait {
            for ready in try poller.wait(.milliseconds(1)) where client.owns(ready.descriptor) {
                client.ready(ready, mayReceive: true)
            }
            return try isMet()
        }
    }

    /// The next connection of the client.
    func accepted() throws -> Int32 {
        var accepted: Int32?
        _ = try run {
            accepted = try SocketCalls.accept(listener)
            return accepted != nil
        }
        guard let accepted else { throw RawClient.Failure(description: "no connection") }
        origins.append(accepted)
        return accepted
    }

    /// The bytes that a connection has brought, after at least this many.
    func heard(_ origin: Int32, _ count: Int) throws -> [UInt8] {
        var heard: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        _ = try run {
            while let count = try SocketCalls.receive(origin, into: &buffer), count > 0 {
                heard += buffer[..<count]
            }
            return heard.count >= count
        }
        return heard
    }

    func answer(_ origin: Int32, _ text: String) throws {
        let bytes = Array(text.utf8)
        #expect(try SocketCalls.send(origin, bytes[...], isFollowed: false) == bytes.count)
    }

    /// Closes the origin's end of a connection.
    func close(_ origin: Int32, isReset: Bool = false) {
        origins.removeAll { $0 == origin }
        if isReset { SocketCalls.reset(origin) } else { SocketCalls.close(origin) }
    }

    /// Whether the client has closed its end.
    func isClosed(_ origin: Int32) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return try run {
            do throws(SystemError) {
                while let count = try SocketCalls.receive(origin, into: &buffer) {
                    if count == 0 { return true }
                }
                return false
            } catch {
                return true
            }
        }
    }

    /// Performs one request to its end, over a connection that stays.
    func keepConnection(_ id: UInt32, _ url: String = "http://one.example/a") throws -> Int32 {
        begin(id, url)
        let origin = try accepted()
        _ = try heard(origin, 10)
        try answer(origin, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        #expect(try run { events(id).last == .end })
        #expect(client.openCount == 0 && poller.count == 1)
        return origin
    }
}
