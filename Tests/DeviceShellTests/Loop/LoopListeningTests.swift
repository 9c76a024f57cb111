import AppHost
import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("The listening sockets of a loop", .serialized)
struct LoopListeningTests {
    private func opened(_ record: EventRecord) -> Int {
        record.all.count { if case .connection(_, .opened) = $0 { true } else { false } }
    }

    /// Turns until a connection is opened, for at most 5 s.
    private func accepts(_ count: Int, _ record: EventRecord, _ loop: AppLoop) throws -> Bool {
        try GatedSyncs.wait {
            try loop.turn(waiting: .milliseconds(1))
            return opened(record) >= count
        }
    }

    @Test("Without a descriptor nothing is accepted for a tenth of a second, and then all that waits")
    func paused() throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { _ in [] }
        let port = try RealApp.freePort()
        loop.listen(port)
        let first = try RawClient(port: port)
        first.say("G")
        #expect(try accepts(1, record, loop))
        loop.listening.failed(SystemError(errorNumber: EMFILE), at: record.now)
        #expect(loop.nextDeadline == record.now + .milliseconds(100))
        let others = try [RawClient(port: port), RawClient(port: port)]
        for other in others { other.say("G") }
        _ = record.passing(.milliseconds(99))
        for _ in 0..<20 { try loop.turn(waiting: .milliseconds(1)) }
        #expect(opened(record) == 1)
        _ = record.passing(.milliseconds(1))
        #expect(try accepts(3, record, loop))
        #expect(loop.nextDeadline == nil)
    }

    @Test("A client that was gone before it was accepted holds up nobody", arguments: [ECONNABORTED, EPROTO])
    func goneBefore(number: Int32) throws {
        let record = EventRecord()
        let loop = try AppLoop.scripted(record) { _ in [] }
        let port = try RealApp.freePort()
        loop.listen(port)
        loop.listening.failed(SystemError(errorNumber: number), at: record.now)
        #expect(loop.nextDeadline == nil)
        let client = try RawClient(port: port)
        client.say("G")
        #expect(try accepts(1, record, loop))
    }
}
