import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What a peer may still send and read after its last answer; ``UnauthenticatedClientTests`` shows for how
/// long.
@Suite("Connections at their end", .serialized)
struct LingeringTests {
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    /// Drains the socket until a condition holds, for at most 5 s.
    private func drain(
        _ lingering: LingeringSockets, _ pair: SocketPair, until isMet: () -> Bool
    ) -> Bool {
        GatedSyncs.wait {
            lingering.drain(pair.near)
            return isMet()
        }
    }

    /// Whether the near end was closed by a reset: a far end that has read the end gets an error.
    private func wasReset(_ pair: SocketPair) -> Bool {
        GatedSyncs.wait { DescriptorFacts.option(pair.far, SOL_SOCKET, SO_ERROR) == EPIPE }
    }

    @Test("The end of the sending side arrives at once; the socket is closed after a second")
    func second() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller)
        let pair = try SocketPair()
        #expect(lingering.nextDeadline == nil)
        lingering.add(pair.near, at: at(100))
        #expect(lingering.owns(pair.near) && poller.count == 1)
        #expect(pair.end() == "closed")
        #expect(lingering.nextDeadline == at(1_100))
        #expect(GatedSyncs.wait { SocketCalls.unacknowledged(pair.near) == 0 })
        lingering.timePassed(at(1_099))
        #expect(lingering.owns(pair.near))
        lingering.timePassed(at(1_100))
        #expect(!lingering.owns(pair.near) && poller.count == 0 && lingering.nextDeadline == nil)
        // In an orderly way: what the far end sends now is answered by a reset, and not before.
        #expect(DescriptorFacts.option(pair.far, SOL_SOCKET, SO_ERROR) == 0)
        pair.say("x")
        #expect(wasReset(pair))
    }

    @Test("What the peer still sends is dropped, up to the limit, and then the socket is closed")
    func readLimit() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller, readLimit: 300_000)
        let pair = try SocketPair()
        lingering.add(pair.near, at: at(0))
        lingering.drain(pair.near)
        #expect(lingering.owns(pair.near), "nothing has come")
        for part in 0..<30 {
            pair.say([UInt8](repeating: 1, count: part < 29 ? 10_000 : 9_999))
            #expect(drain(lingering, pair) { DescriptorFacts.unread(pair.near) == 0 })
        }
        #expect(lingering.owns(pair.near))
        pair.say("x")
        #expect(drain(lingering, pair) { !lingering.owns(pair.near) })
        #expect(poller.count == 0)
        lingering.drain(pair.near)
    }

    @Test("A peer that has closed is closed at once; one that still has to read, at the deadline")
    func closedByPeer() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller)
        for hasRead in [true, false] {
            let pair = try SocketPair()
            if !hasRead { try pair.fillFar() }
            lingering.add(pair.near, at: at(0))
            pair.endSaying()
            if hasRead {
                #expect(drain(lingering, pair) { !lingering.owns(pair.near) })
            } else {
                #expect(drain(lingering, pair) { poller.count == 0 }, "it would be reported again and again")
                #expect(lingering.owns(pair.near))
                lingering.timePassed(at(1_000))
                #expect(lingering.owns(pair.near) && lingering.nextDeadline == at(2_000))
            }
        }
        lingering.closeAll()
    }

    @Test("A peer that has broken off is forgotten")
    func broken() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller)
        let pair = try SocketPair()
        lingering.add(pair.near, at: at(0))
        pair.closeFar(isReset: true)
        #expect(drain(lingering, pair) { !lingering.owns(pair.near) })
        #expect(poller.count == 0)
    }

    @Test("Beyond the limit the oldest without the key goes, then the oldest")
    func limit() throws {
        let poller = try Poller()
        let lingering = LingeringSockets(poller, limit: 3)
        var pairs: [SocketPair] = []
        func add(_ time: Int64, isEvictedFirst: Bool = false) throws {
            pairs.append(try SocketPair())
            lingering.add(pairs[pairs.count - 1].near, at: at(time), isEvictedFirst: isEvictedFirst)
        }
        var owned: [Int] { pairs.indices.filter { lingering.owns(pairs[$0].near) } }
        try add(5)
        try add(1)
        try add(4, isEvictedFirst: true)
        #expect(owned == [0, 1, 2])
        try add(3, isEvictedFirst: true)
        // A new socket may have the number of the one that is closed.
        #expect(poller.count == 3)
        #expect(lingering.nextDeadline == at(1_001))
        try add(2)
        #expect(poller.count == 3 && lingering.nextDeadline == at(1_001), "the page's are kept")
        try add(6)
        #expect(poller.count == 3 && lingering.nextDeadline == at(1_002))
        lingering.closeAll()
        #expect(poller.count == 0 && lingering.nextDeadline == nil)
        #expect(owned.isEmpty)
    }

    @Test("One that makes room is reset only if it has no key and has not taken its answer")
    func eviction() throws {
        for (isEvictedFirst, isFull, end) in [
            (true, true, "reset"), (true, false, "closed"), (false, true, "closed"),
        ] {
            let poller = try Poller()
            let lingering = LingeringSockets(poller, limit: 1)
            let (first, second) = (try SocketPair(), try SocketPair())
            if isFull { try first.fillFar() }
            lingering.add(first.near, at: at(0), isEvictedFirst: isEvictedFirst)
            if !isFull { #expect(GatedSyncs.wait { SocketCalls.unacknowledged(first.near) == 0 }) }
            lingering.add(second.near, at: at(1), isEvictedFirst: isEvictedFirst)
            #expect(first.end() == end, "\(isEvictedFirst) \(isFull)")
            if !isFull { #expect(DescriptorFacts.option(first.far, SOL_SOCKET, SO_ERROR) == 0) }
            lingering.closeAll()
        }
    }

    @Test("A socket that can't be watched is closed at once; all are when the value ends")
    func ends() throws {
        let poller = try Poller()
        var lingering: LingeringSockets? = LingeringSockets(poller)
        let (kept, unwatched) = (try SocketPair(), try SocketPair())
        lingering?.add(kept.near, at: at(0))
        try DescriptorFacts.disable(poller)
        lingering?.add(unwatched.near, at: at(0))
        #expect(lingering?.owns(unwatched.near) == false)
        unwatched.say("x")
        #expect(wasReset(unwatched), "it is closed")
        #expect(lingering?.owns(kept.near) == true)
        lingering = nil
        kept.say("x")
        #expect(wasReset(kept), "it is closed")
    }
}
