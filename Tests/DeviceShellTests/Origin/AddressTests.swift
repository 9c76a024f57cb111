import Core
import Foundation
import LocalServer
import Testing
import Updater

@testable import DeviceShell

/// Hosts with several addresses, of which some don't answer (RFC 8305).
@Suite("A host with several addresses, on real sockets", .serialized)
struct AddressTests {
    /// Runs a client until it has delivered something, for at most three seconds.
    private func run(_ poller: Poller, until isDone: () -> Bool, _ step: (Poller.Ready?) -> Void) throws {
        let end = MonotonicClock().now + .seconds(3)
        while !isDone(), MonotonicClock().now < end {
            for ready in try poller.wait(.milliseconds(20)) { step(ready) }
            step(nil)
        }
    }

    @Test("An address that swallows packets delays a request by 250 ms, not by the connect time-out (U5)")
    func origin() throws {
        let hole = try BlackHole()
        let server = try ScriptedOrigin { _ in .ok(Array("here".utf8)) }
        let poller = try Poller()
        let client = OriginClient(poller, MonotonicClock())
        var events: [TransferEvent] = []
        client.deliver = { _, event in events.append(event) }
        client.resolve = { id, _ in client.resolved(id, [hole.address, .loopback4(port: server.port)]) }
        client.begin(TransferID(1), OriginRequest(kind: .manifest, url: "http://two.example/"))
        try run(poller, until: { events.last == .end }) { ready in
            if let ready, client.owns(ready.descriptor) { client.ready(ready, mayReceive: true) }
            client.timePassed()
        }
        #expect(events.contains(.bytes(Array("here".utf8))))
        #expect(events.last == .end)
        #expect(server.connections == 1)
    }

    @Test("A connection to the remote root tries the addresses side by side, and closes the others")
    func upstream() throws {
        let hole = try BlackHole()
        let server = try ThreadedPort()
        server.accepting { _ = ThreadedPort.say(Array("here".utf8), on: $0) }
        let poller = try Poller()
        let client = UpstreamClient(poller, MonotonicClock())
        var events: [UpstreamEvent] = []
        client.deliver = { _, event in events.append(event) }
        client.resolve = { id, _, _ in
            client.resolved(id, [hole.address, hole.address, .loopback4(port: server.port)])
        }
        client.call(UpstreamID(1), .open(try RemoteRoot("http://two.example")))
        try run(poller, until: { events == [.connected] }) { ready in
            if let ready, client.owns(ready.descriptor) { client.ready(ready) }
            client.timePassed()
        }
        #expect(events == [.connected])
        #expect(client.nextDeadline == nil)
        #expect(poller.count == 1, "the other sockets are closed")
    }

    @Test(
        "The addresses of a host that all refuse fail at once; those that swallow packets at the time limit")
    func none() throws {
        let hole = try BlackHole()
        let free = try RealApp.freePort()
        for (addresses, failure) in [
            ([.loopback4(port: free), .loopback6(port: free)], .refused), ([hole.address], .connectTimeout),
        ] as [([SocketAddress], TransferFailure)] {
            let poller = try Poller()
            let client = OriginClient(poller, MonotonicClock())
            client.connectTime = .milliseconds(600)
            var events: [TransferEvent] = []
            client.deliver = { _, event in events.append(event) }
            client.resolve = { id, _ in client.resolved(id, addresses) }
            let begin = MonotonicClock().now
            client.begin(TransferID(1), OriginRequest(kind: .manifest, url: "http://none.example/"))
            try run(poller, until: { !events.isEmpty }) { ready in
                if let ready, client.owns(ready.descriptor) { client.ready(ready, mayReceive: true) }
                client.timePassed()
            }
            #expect(events == [.failed(failure)])
            #expect((MonotonicClock().now - begin >= .milliseconds(600)) == (failure == .connectTimeout))
            #expect(poller.count == 0 && client.openCount == 0)
        }
    }
}
