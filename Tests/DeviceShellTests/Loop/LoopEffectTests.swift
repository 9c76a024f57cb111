import AppHost
import Core
import Foundation
import LocalServer
import Synchronization
import Testing
import Updater

@testable import DeviceShell

/// What a host requests of what is not the loop's own.
@Suite("The effects that a loop performs", .serialized)
struct LoopEffectTests {
    /// Records what a loop asks of it.
    private final class Recorder: AppLoop.OriginTransport, AppLoop.UpstreamTransport {
        var calls: [String] = []

        func fetch(_ id: TransferID, _ request: OriginRequest, _ inbox: Inbox) {
            calls.append("fetch \(id.rawValue) \(request.url)")
            inbox.enqueue(.transfer(id, .bytes([1])))
        }

        func cancel(_ id: TransferID) { calls.append("cancel \(id.rawValue)") }

        func call(_ id: UpstreamID, _ call: UpstreamCommand, _ inbox: Inbox) {
            switch call {
            case .open(let root): calls.append("open \(id.rawValue) \(root.host)")
            case .send(let bytes): calls.append("send \(id.rawValue) \(bytes)")
            case .receive: calls.append("receive \(id.rawValue)")
            case .finish: calls.append("finish \(id.rawValue)")
            case .close: calls.append("close \(id.rawValue)")
            }
            inbox.enqueue(.upstream(id, .sent))
        }
    }

    /// Accepts every signature of one byte.
    private struct Verifier: SignatureVerifier {
        func isValid(_ signature: [UInt8], of message: [UInt8], by key: PublicKey) -> Bool {
            signature == [UInt8(message.count)]
        }
    }

    private func loop(
        _ record: EventRecord, origin: (any AppLoop.OriginTransport)? = nil,
        upstream: (any AppLoop.UpstreamTransport)? = nil, verifier: (any SignatureVerifier)? = nil,
        onEffect: @escaping (AppHost.Effect) -> Void = { _ in },
        _ script: @escaping @Sendable (AppHost.Event) -> [AppHost.Effect] = { _ in [] }
    ) throws -> AppLoop {
        let folder = try SyncFolder()
        return try AppLoop(
            folder.disk, ScriptedHost(record: record, script: script), clock: record, secureOrigin: origin,
            secureUpstream: upstream, verifier: verifier, onEffect: onEffect)
    }

    private func request(_ url: String) -> OriginRequest { OriginRequest(kind: .manifest, url: url) }

    private func fetch(_ id: UInt32, _ url: String) -> AppHost.Effect {
        .fetch(TransferID(id), request(url))
    }

    @Test("Requests to https go to the app's transport, others to the loop's own; both can be cancelled")
    func origins() throws {
        let (record, recorder) = (EventRecord(), Recorder())
        let loop = try loop(record, origin: recorder)
        var resolved: [UInt32] = []
        loop.origin.resolve = { id, _ in resolved.append(id.rawValue) }
        loop.perform(fetch(1, "https://one.example/a"))
        loop.perform(fetch(2, "http://one.example/b"))
        loop.perform(fetch(3, "no URL"))
        #expect(recorder.calls == ["fetch 1 https://one.example/a"])
        #expect(resolved == [2] && loop.origin.openCount == 1)
        loop.perform(.cancelFetch(TransferID(2)))
        #expect(loop.origin.openCount == 0)
        #expect(recorder.calls.dropFirst() == ["cancel 2"])
    }

    @Test("Without a transport for https such a request fails as insecure")
    func insecure() throws {
        let record = EventRecord()
        let loop = try loop(record)
        loop.perform(fetch(1, "https://one.example/a"))
        try loop.turn(waiting: .zero)
        #expect(record.all == [.transfer(TransferID(1), .failed(.insecure))])
    }

    @Test("After a cancellation nothing more of the response comes, and everything of the others")
    func cancelled() throws {
        let record = EventRecord()
        let loop = try loop(record)
        let events: [AppHost.Event] = [
            .transfer(TransferID(1), .bytes([1])), .transfer(TransferID(2), .bytes([2])),
            .signaturesVerified(TransferID(1), .invalid), .transfer(TransferID(1), .end),
        ]
        for event in events { loop.take(event) }
        loop.perform(.cancelFetch(TransferID(1)))
        for _ in 0..<4 { try loop.turn(waiting: .zero) }
        #expect(record.all == [events[1], events[2]])
    }

    @Test("Signatures are verified by the app's verifier; without one none is (U16)")
    func signatures() throws {
        let key = PublicKey(id: "k", algorithm: .ed25519, bytes: [])
        let request = SignatureRequest(
            message: [7, 7, 7], claims: [[1], [3]].map { SignatureRequest.Claim(key: key, signature: $0) })
        for (verifier, answer) in [(nil, .unavailable), (Verifier(), .valid(1))]
            as [(Verifier?, SignatureAnswer)]
        {
            let record = EventRecord()
            let loop = try loop(record, verifier: verifier)
            loop.perform(.verifySignatures(TransferID(5), request))
            try loop.turn(waiting: .zero)
            #expect(record.all == [.signaturesVerified(TransferID(5), answer)])
        }
    }

    @Test("A remote root of https is reached by the app's transport, another by the loop's own sockets")
    func upstreams() throws {
        let (record, recorder) = (EventRecord(), Recorder())
        let loop = try loop(record, upstream: recorder)
        var resolved: [UInt32] = []
        loop.upstream.resolve = { id, _, _ in resolved.append(id.rawValue) }
        loop.perform(.upstream(UpstreamID(1), .open(try RemoteRoot("https://one.example"))))
        loop.perform(.upstream(UpstreamID(2), .open(try RemoteRoot("http://two.example"))))
        #expect(recorder.calls == ["open 1 one.example"] && resolved == [2])
        for call in [UpstreamCommand.send([9]), .receive, .finish, .close] {
            loop.perform(.upstream(UpstreamID(1), call))
        }
        #expect(recorder.calls.dropFirst() == ["send 1 [9]", "receive 1", "finish 1", "close 1"])
        // The loop's own ends too.
        loop.perform(.upstream(UpstreamID(2), .close))
        loop.upstream.resolved(UpstreamID(2), [])
        try loop.turn(waiting: .zero)
        try loop.turn(waiting: .zero)
        #expect(record.all == (1...6).map { .upstream(UpstreamID($0 < 6 ? 1 : 2), .sent) })
    }

    @Test("Without a transport for https such a root can't be reached (S7)")
    func noTransport() throws {
        let record = EventRecord()
        let loop = try loop(record)
        loop.perform(.upstream(UpstreamID(1), .open(try RemoteRoot("https://one.example"))))
        try loop.turn(waiting: .zero)
        #expect(record.all == [.upstream(UpstreamID(1), .failed(.tlsNotAvailable))])
    }

    @Test("A name is resolved beside the loop, which gets the addresses as an event")
    func resolved() throws {
        let record = EventRecord()
        let loop = try loop(record)
        loop.perform(.upstream(UpstreamID(1), .open(try RemoteRoot("http://no-such-host.invalid"))))
        loop.perform(fetch(1, "http://no-such-host.invalid/"))
        #expect(record.all.isEmpty && loop.isBusy)
        let end = MonotonicClock().now + .seconds(60)
        while record.all.count < 2, MonotonicClock().now < end { try loop.turn(waiting: .milliseconds(10)) }
        #expect(record.all.contains(.upstream(UpstreamID(1), .failed(.nameNotResolved))))
        #expect(record.all.contains(.transfer(TransferID(1), .failed(.nameNotResolved))))
        #expect(!loop.isBusy)
    }

    @Test("What only the app can do is passed to it, in order; the rest is not")
    func passedOn() throws {
        let record = EventRecord()
        var passed: [AppHost.Effect] = []
        let effects: [AppHost.Effect] = [
            .load(.first, url: "http://localhost/"), .report("r"), .openLink(.first, url: "l"),
            .pageReturned(AppHost.CallID(1), result: nil),
        ]
        let loop = try loop(record, onEffect: { passed.append($0) }) { event in
            event == .check ? [.again(.urgent)] + effects + [.cancelTimer(.wrapper(1))] : []
        }
        loop.take(.check)
        try loop.turn(waiting: .zero)
        #expect(passed == effects)
        #expect(record.all == [.check, .again(.urgent)])
    }

    @Test("A timer of the background lane that is cancelled or set again before it is due keeps no old time")
    func backgroundTimers() throws {
        let record = EventRecord()
        let loop = try loop(record)
        let start = record.now
        let (retry, recheck) = (AppHost.TimerName.updater(.retry), AppHost.TimerName.updater(.recheck))
        loop.perform(.setTimer(retry, after: .seconds(5)))
        loop.perform(.setTimer(recheck, after: .seconds(5)))
        loop.perform(.setTimer(.wrapper(1), after: .seconds(5)))
        loop.perform(.cancelTimer(retry))
        loop.perform(.cancelTimer(.wrapper(1)))
        loop.perform(.setTimer(recheck, after: .seconds(9)))
        _ = record.passing(.seconds(8))
        for _ in 0..<4 { try loop.turn(waiting: .zero) }
        #expect(record.all.isEmpty && loop.nextDeadline == start + .seconds(9))
        _ = record.passing(.seconds(1))
        for _ in 0..<4 { try loop.turn(waiting: .zero) }
        #expect(record.all == [.timer(recheck)] && loop.nextDeadline == nil)
    }

    @Test("Settings that change apply to the loop's own connections at once")
    func settings() throws {
        let record = EventRecord()
        let loop = try loop(record)
        #expect(loop.origin.connectTime == .seconds(15))
        var launch = try RealApp(embeds: []).launchValue()
        launch.updater.settings.connectTimeout = .seconds(7)
        loop.begin(launch)
        #expect(loop.origin.connectTime == .seconds(7))
        launch.updater.settings.connectTimeout = .seconds(8)
        loop.eventInbox.enqueue(.settings(launch.updater.settings))
        for _ in 0..<2 { try loop.turn(waiting: .milliseconds(10)) }
        #expect(loop.origin.connectTime == .seconds(8))
        #expect(record.all.last == .settings(launch.updater.settings))
    }
}
