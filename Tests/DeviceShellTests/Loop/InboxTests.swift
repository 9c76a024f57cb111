import AppHost
import Core
import Foundation
import Synchronization
import Testing
import Updater

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("The inbox of a loop")
struct InboxTests {
    /// A thread that enqueues a number of bytes, and whether it has gone on.
    private final class Sender: Sendable {
        private let isOver = DispatchSemaphore(value: 0)
        private let processorTime = ProcessorTime()

        /// Microseconds for which the thread used a processor.
        private final class ProcessorTime: Sendable {
            let used = Atomic<Int>(0)
        }

        init(_ inbox: Inbox, _ part: UInt8, bytes: Int) {
            Thread.detachNewThread { [isOver, processorTime] in
                let begin = Sender.threadTime
                inbox.enqueueBlocking(.part(part), bytes: bytes)
                processorTime.used.store(Sender.threadTime - begin, ordering: .releasing)
                isOver.signal()
            }
        }

        private static var threadTime: Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
        }

        var used: Int { processorTime.used.load(ordering: .acquiring) }

        /// Whether it continues within ten seconds.
        func goesOn() -> Bool { isOver.wait(timeout: .now() + 10) == .success }

        /// Whether it is still waiting after a moment.
        func waits() -> Bool { isOver.wait(timeout: .now() + .milliseconds(100)) == .timedOut }
    }

    private func drained(_ inbox: Inbox, takesBackground: Bool = true) -> [AppHost.Event] {
        inbox.drain(takesBackground: takesBackground).compactMap {
            if case .event(let event) = $0 { event } else { nil }
        }
    }

    private func isSignalled(_ inbox: Inbox) throws -> Bool {
        let poller = try Poller()
        try poller.watch(inbox.wakeUp.readEnd, .reads)
        return try !poller.wait(.zero).isEmpty
    }

    @Test("A mebibyte fits, and one byte more waits until the loop has taken some")
    func limit() throws {
        let inbox = Inbox(try WakeUp())
        #expect(Sender(inbox, 1, bytes: (1 << 20) - 1).goesOn())
        #expect(Sender(inbox, 2, bytes: 1).goesOn())
        let sender = Sender(inbox, 3, bytes: 1)
        #expect(sender.waits())
        #expect(drained(inbox) == [.part(1), .part(2)])
        #expect(sender.goesOn())
        #expect(drained(inbox) == [.part(3)])
    }

    @Test("A thread that waits for space uses no processor meanwhile")
    func idle() throws {
        let inbox = Inbox(try WakeUp())
        #expect(Sender(inbox, 1, bytes: 1 << 20).goesOn())
        let sender = Sender(inbox, 2, bytes: 1)
        for _ in 0..<4 { #expect(sender.waits()) }
        #expect(drained(inbox) == [.part(1)])
        #expect(sender.goesOn())
        #expect(sender.used < 10_000, "\(sender.used) µs")
    }

    @Test("A larger event than that is taken when nothing else is there, also after others without a size")
    func huge() throws {
        let inbox = Inbox(try WakeUp())
        #expect(Sender(inbox, 1, bytes: 3 << 20).goesOn())
        #expect(drained(inbox) == [.part(1)])
        for _ in 0..<3 { inbox.enqueue(.push) }
        #expect(drained(inbox).count == 3)
        #expect(Sender(inbox, 2, bytes: 3 << 20).goesOn())
        let sender = Sender(inbox, 3, bytes: 3 << 20)
        #expect(sender.waits())
        #expect(drained(inbox) == [.part(2)])
        #expect(sender.goesOn())
        #expect(drained(inbox) == [.part(3)])
    }

    @Test("Several that wait all go on, in time")
    func several() throws {
        let inbox = Inbox(try WakeUp())
        #expect(Sender(inbox, 0, bytes: 1 << 20).goesOn())
        let senders = (1...5).map { Sender(inbox, $0, bytes: 1 << 19) }
        #expect(senders.allSatisfy { $0.waits() })
        var parts: [AppHost.Event] = []
        #expect(
            GatedSyncs.wait {
                parts += drained(inbox)
                return parts.count == 6
            })
        #expect(senders.allSatisfy { $0.goesOn() })
        #expect(parts.first == .part(0) && Set(parts) == Set((0...5).map { .part($0) }))
    }

    @Test("Parts that are not taken stay, signalled; other events pass them")
    func untaken() throws {
        let inbox = Inbox(try WakeUp())
        #expect(try !isSignalled(inbox))
        inbox.enqueue(.part(1))
        inbox.enqueue(.push)
        #expect(try isSignalled(inbox))
        #expect(drained(inbox, takesBackground: false) == [.push])
        #expect(try isSignalled(inbox))
        #expect(drained(inbox, takesBackground: false).isEmpty)
        #expect(try isSignalled(inbox))
        inbox.enqueue(.check)
        #expect(drained(inbox) == [.part(1), .check])
        #expect(try !isSignalled(inbox))
    }

    @Test("A closed inbox drops what is in it and what comes, and holds no thread up")
    func closed() throws {
        let inbox = Inbox(try WakeUp())
        #expect(Sender(inbox, 1, bytes: 1 << 20).goesOn())
        let waiting = Sender(inbox, 2, bytes: 1)
        #expect(waiting.waits())
        inbox.close()
        #expect(waiting.goesOn())
        inbox.enqueue(.push)
        inbox.stop()
        #expect(Sender(inbox, 3, bytes: 5 << 20).goesOn())
        #expect(Sender(inbox, 4, bytes: 5 << 20).goesOn())
        #expect(inbox.drain(takesBackground: true).isEmpty)
    }
}
