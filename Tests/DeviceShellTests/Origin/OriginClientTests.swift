import Core
import Foundation
import Testing
import Updater

@testable import DeviceShell

/// The connections of requests: which one is kept, used again or closed, and when a request is sent once more.
@Suite("The connections of a client of origins", .serialized)
struct OriginClientTests {
    /// A client that requests one URL after the other, and what each request came to.
    private final class Requests {
        let poller: Poller
        let client: OriginClient
        private(set) var events: [TransferID: [TransferEvent]] = [:]
        private var last: UInt32 = 0

        init(_ addresses: [SocketAddress], clock: any DeviceClock = MonotonicClock()) throws {
            poller = try Poller()
            client = OriginClient(poller, clock)
            client.deliver = { [unowned self] id, event in events[id, default: []].append(event) }
            client.resolve = { [unowned client] id, _ in client.resolved(id, addresses) }
        }

        func begin(_ path: String, body: [UInt8] = []) -> TransferID {
            last += 1
            let id = TransferID(last)
            client.begin(id, OriginRequest(kind: .manifest, url: "http://one.example\(path)", body: body))
            return id
        }

        /// Until the condition holds, for at most 10 s.
        func run(until isMet: () -> Bool) throws -> Bool {
            let end = MonotonicClock().now + .seconds(10)
            while !isMet() {
                guard MonotonicClock().now < end else { return false }
                for ready in try poller.wait(.milliseconds(10)) where client.owns(ready.descriptor) {
                    client.ready(ready, mayReceive: true)
                }
                client.timePassed()
            }
            return true
        }

        /// How the request ended; nil where it did not.
        func fetch(_ path: String, body: [UInt8] = []) throws -> TransferEvent? {
            let id = begin(path, body: body)
            _ = try run { isOver(id) }
            return isOver(id) ? events[id]?.last : nil
        }

        private func isOver(_ id: TransferID) -> Bool {
            switch events[id]?.last {
            case .end, .failed: true
            case .head, .bytes, nil: false
            }
        }
    }

    private static let silence = ScriptedOrigin.Answer(bytes: [], closes: true)

    private func requests(_ origin: ScriptedOrigin, clock: any DeviceClock = MonotonicClock()) throws
        -> Requests
    {
        try Requests([.loopback4(port: origin.port)], clock: clock)
    }

    @Test("After a response that permits it the next request uses the connection, for 30 s (RFC 9112 §9.3)")
    func kept() throws {
        let origin = try ScriptedOrigin { _ in .ok([1]) }
        let record = EventRecord()
        let requests = try requests(origin, clock: record)
        for path in ["/a", "/b"] { #expect(try requests.fetch(path) == .end) }
        #expect(origin.asked == ["/a", "/b"] && origin.connections == 1)
        #expect(requests.client.nextDeadline == record.now + .seconds(30))
        _ = record.passing(.milliseconds(29_999))
        #expect(try requests.fetch("/c") == .end)
        #expect(origin.connections == 1)
        _ = record.passing(.seconds(30))
        #expect(try requests.run { origin.open == 0 })
        #expect(requests.poller.count == 0 && requests.client.nextDeadline == nil)
        #expect(try requests.fetch("/d") == .end)
        #expect(origin.connections == 2)
    }

    @Test("A connection that can carry no other request is closed after its response")
    func closed() throws {
        // The origin itself leaves its side open.
        let origin = try ScriptedOrigin { _ in .ok([1], "Connection: close\r\n") }
        let requests = try requests(origin)
        #expect(try requests.fetch("/a") == .end)
        #expect(requests.poller.count == 0)
        #expect(GatedSyncs.wait { origin.open == 0 })
        #expect(try requests.fetch("/b") == .end)
        #expect(origin.connections == 2)
    }

    @Test("A kept connection that the origin closes is forgotten: the next request has a new one")
    func closedByOrigin() throws {
        let origin = try ScriptedOrigin { _ in
            var answer = ScriptedOrigin.Answer.ok([1])
            answer.closes = true
            return answer
        }
        let requests = try requests(origin)
        #expect(try requests.fetch("/a") == .end)
        #expect(try requests.run { requests.poller.count == 0 })
        #expect(requests.client.nextDeadline == nil)
        #expect(try requests.fetch("/b") == .end)
        #expect(origin.asked == ["/a", "/b"] && origin.connections == 2)
    }

    @Test("On a new connection that is lost before the response nothing is sent once more")
    func lostNew() throws {
        let origin = try ScriptedOrigin { _ in OriginClientTests.silence }
        let requests = try requests(origin)
        #expect(try requests.fetch("/a") == .failed(.reset))
        #expect(origin.asked == ["/a"] && requests.poller.count == 0)
    }

    @Test(
        "On a used one a GET is sent once more, and not twice; a POST never is (RFC 9112 §9.3.1)",
        arguments: [
            (answersAgain: true, body: [], end: TransferEvent.end, asked: ["/a", "/b", "/b"]),
            (false, [], .failed(.reset), ["/a", "/b", "/b"]), (true, [1], .failed(.reset), ["/a", "/b"]),
        ] as [(Bool, [UInt8], TransferEvent, [String])])
    func lostUsed(answersAgain: Bool, body: [UInt8], end: TransferEvent, asked: [String]) throws {
        let counter = TurnCounter()
        let origin = try ScriptedOrigin { target in
            counter.add()
            let isAnswered = target == "/a" || (answersAgain && counter.count > 2)
            return isAnswered ? .ok([1]) : OriginClientTests.silence
        }
        let requests = try requests(origin)
        #expect(try requests.fetch("/a") == .end)
        #expect(try requests.fetch("/b", body: body) == end)
        #expect(origin.asked == asked)
        #expect(origin.connections == asked.count - 1)
    }

    @Test("A request that is cancelled while its connection opens leaves none, and hears nothing more")
    func cancelled() throws {
        let hole = try BlackHole()
        let requests = try Requests([hole.address, hole.address])
        let id = requests.begin("/a")
        #expect(requests.poller.count == 1 && requests.client.isConnecting)
        requests.client.cancel(id)
        #expect(requests.poller.count == 0 && requests.client.openCount == 0)
        #expect(requests.client.nextDeadline == nil && !requests.client.isConnecting)
        #expect(requests.events.isEmpty)
    }

    @Test(
        "A client that ends closes its connections: of a response in progress, and of the next request",
        arguments: [
            ScriptedOrigin.Answer.ok([1]),
            ScriptedOrigin.Answer(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\u{1}".utf8)),
        ])
    func ended(answer: ScriptedOrigin.Answer) throws {
        let origin = try ScriptedOrigin { _ in answer }
        do {
            let requests = try requests(origin)
            let id = requests.begin("/a")
            #expect(try requests.run { requests.events[id]?.contains(.bytes([1])) == true })
            #expect(origin.open == 1)
        }
        #expect(GatedSyncs.wait { origin.open == 0 })
    }
}
