import Core
import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

private struct WaitingThread: @unchecked Sendable { let id: pthread_t }

@Suite("The wait of a poller")
struct PollerTests {
    @Test("It ends at its time, and the time of one wait does not end the next")
    func waits() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.watch(wakeUp.readEnd, .reads)
        let clock = MonotonicClock()
        let begin = clock.now
        #expect(try poller.wait(.milliseconds(30)).isEmpty)
        #expect(clock.now - begin >= .milliseconds(30))
        wakeUp.signal()
        #expect(try poller.wait(.milliseconds(100)).map(\.descriptor) == [wakeUp.readEnd])
        wakeUp.drain()
        #expect(try poller.wait(.zero).isEmpty)
        Thread.detachNewThread {
            usleep(300_000)
            wakeUp.signal()
        }
        #expect(try poller.wait(nil).map(\.descriptor) == [wakeUp.readEnd])
        #expect(clock.now - begin >= .milliseconds(330))
    }

    @Test("A signal ends a wait, which is no failure")
    func interrupted() throws {
        // It stays for the process: a signal that comes late would end it otherwise.
        signal(SIGUSR2) { _ in }
        // Dispatch blocks signals on its threads.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(Int32(SIG_UNBLOCK), &signals, nil)
        defer { pthread_sigmask(Int32(SIG_BLOCK), &signals, nil) }
        let poller = try Poller()
        let waiting = WaitingThread(id: pthread_self())
        let (waits, hasEnded) = (TurnCounter(), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            while waits.count < 3 {
                pthread_kill(waiting.id, SIGUSR2)
                usleep(5_000)
            }
            hasEnded.signal()
        }
        let begin = MonotonicClock().now
        for _ in 0..<3 {
            do { #expect(try poller.wait(.seconds(20)).isEmpty) } catch { Issue.record(error) }
            waits.add()
        }
        hasEnded.wait()
        #expect(MonotonicClock().now - begin < .seconds(20))
    }

    @Test("A wait that the system refuses is a failure")
    func failed() throws {
        let poller = try Poller()
        // Something else than a poller has its number, which no other test gets meanwhile.
        let other = open("/dev/null", O_RDONLY | O_CLOEXEC)
        try #require(dup2(other, poller.descriptor) == poller.descriptor)
        close(other)
        #expect(throws: SystemError.self) { try poller.wait(.zero) }
    }
}
