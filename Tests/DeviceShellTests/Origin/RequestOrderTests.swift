import Core
import HTTP1
import Testing
import Updater
import World

@testable import Live

@Suite("Concurrent requests reach the world in the order in which the app sent them")
struct RequestOrderTests {
    private func arrived(_ path: String, on connection: Int) throws -> HTTPPort.Request {
        var parser = RequestParser()
        parser.append(Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)[...])
        guard case .head(let head)? = parser.next() else { throw Unexpected() }
        return HTTPPort.Request(connection: connection, head: head, body: [], peer: "127.0.0.1")
    }

    private struct Unexpected: Error {}

    /// The app sends `/1`, `/2` … in this order; the ids are the same numbers.
    private func order(sending count: UInt32) -> RequestOrder {
        var order = RequestOrder()
        for number in 1...count {
            order.send(TransferID(number), OriginRequest(kind: .file("/\(number)"), url: "/\(number)"))
        }
        return order
    }

    /// Ids of the requests that can be passed on; 0 for a request that the app did not send.
    private func passed(_ order: inout RequestOrder, overtaking: Bool = false) -> [UInt32] {
        var ids: [UInt32] = []
        while let next = order.next(overtakes: overtaking) { ids.append(next.known?.id.rawValue ?? 0) }
        return ids
    }

    @Test("A request waits for those that were sent before it")
    func waits() throws {
        var order = order(sending: 3)
        order.arrive(try arrived("/3", on: 1), url: "/3")
        order.arrive(try arrived("/2", on: 2), url: "/2")
        #expect(passed(&order) == [] && order.isWaiting(1) && order.isWaiting(2))
        order.arrive(try arrived("/1", on: 3), url: "/1")
        #expect(passed(&order) == [1, 2, 3] && !order.isWaiting(1))
    }

    @Test("It does not wait for one that the app has cancelled")
    func cancelled() throws {
        var order = order(sending: 2)
        order.arrive(try arrived("/2", on: 1), url: "/2")
        #expect(passed(&order) == [])
        order.cancel(TransferID(1))
        #expect(passed(&order) == [2])
    }

    @Test("Those that overtook others are in their order; later ones do not wait for the others either")
    func overtakes() throws {
        var order = order(sending: 5)
        order.arrive(try arrived("/4", on: 1), url: "/4")
        order.arrive(try arrived("/2", on: 2), url: "/2")
        #expect(passed(&order, overtaking: true) == [2, 4])
        order.arrive(try arrived("/5", on: 3), url: "/5")
        #expect(passed(&order) == [5])
        order.arrive(try arrived("/3", on: 4), url: "/3")
        #expect(passed(&order) == [3])
    }

    @Test("A request that the app did not send waits for none")
    func unknown() throws {
        var order = order(sending: 1)
        order.arrive(try arrived("/x", on: 1), url: "/x")
        #expect(passed(&order) == [0])
    }

    @Test("The same URL twice is two requests")
    func twice() throws {
        var order = order(sending: 1)
        order.send(TransferID(9), OriginRequest(kind: .file("/1"), url: "/1"))
        order.arrive(try arrived("/1", on: 1), url: "/1")
        order.arrive(try arrived("/1", on: 2), url: "/1")
        #expect(passed(&order) == [1, 9])
        order.arrive(try arrived("/1", on: 3), url: "/1")
        #expect(passed(&order) == [0])
    }
}
