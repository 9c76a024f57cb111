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

    @Test("A wait whose time is over leaves nothing behind that ends the next one")
    func waitsAgain() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.watch(wakeUp.readEnd, .reads)
        #expect(try poller.wait(.milliseconds(5)).isEmpty)
        Thread.detachNewThread {
            usleep(100_000)
            wakeUp.signal()
        }
        #expect(try poller.wait(nil).map(\.descriptor) == [wakeUp.readEnd])
    }

    @Test("A look without a wait takes no time")
    func zero() throws {
        let poller = try Poller()
        let begin = MonotonicClock().now
        // A millisecond each would be five seconds.
        for _ in 0..<5_000 { #expect(try poller.wait(.zero).isEmpty) }
        #expect(MonotonicClock().now - begin < .seconds(4))
    }

    @Test("A wait is no shorter than its time, to the microsecond")
    func length() throws {
        let poller = try Poller()
        let clock = MonotonicClock()
        for span in [TimeSpan.microseconds(999_000), .microseconds(1_999_999)] {
            let begin = clock.now
            #expect(try poller.wait(span).isEmpty)
            #expect(clock.now - begin >= span)
        }
    }

    private func ready(_ poller: Poller) throws -> [String] {
        try poller.wait(.zero).map { ($0.canRead ? "r" : "") + ($0.canWrite ? "w" : "") }
    }

    @Test("A descriptor is reported for what it is watched for, and for what it can do")
    func interests() throws {
        let pair = try SocketPair()
        defer { SocketCalls.close(pair.near) }
        let poller = try Poller()
        #expect(poller.count == 0)
        for (interest, silent, spoken) in [
            ([], [], []), (.reads, [], ["r"]), (.writes, ["w"], ["w"]), ([.reads, .writes], ["w"], ["rw"]),
        ] as [(Poller.Interest, [String], [String])] {
            try poller.watch(pair.near, interest)
            #expect(poller.count == 1)
            #expect(try ready(poller) == silent, "\(interest)")
            pair.say("x")
            #expect(try GatedSyncs.wait { try ready(poller) == spoken }, "\(interest)")
            var byte: [UInt8] = [0]
            #expect(try GatedSyncs.wait { try SocketCalls.receive(pair.near, into: &byte) == 1 })
        }
        // Watched for the same again, it stays as it was.
        try poller.watch(pair.near, [.reads, .writes])
        #expect(try ready(poller) == ["w"])
        try poller.watch(pair.near, [])
        pair.closeFar(isReset: true)
        #expect(
            try GatedSyncs.wait { try ready(poller) == ["rw"] }, "its failure is reported without interest")
    }

    @Test("A forgotten descriptor is not reported, and can be watched again")
    func forgotten() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        wakeUp.signal()
        for _ in 0..<2 {
            try poller.watch(wakeUp.readEnd, .reads)
            #expect(try ready(poller) == ["r"])
            poller.forget(wakeUp.readEnd)
            #expect(try ready(poller) == [])
            #expect(poller.count == 0)
        }
        poller.forget(12_345)
        #expect(throws: SystemError.self) { try poller.watch(-1, .reads) }
        #expect(poller.count == 0, "what can't be watched is not counted")
    }

    #if os(Linux)
        /// Descriptor of the timer that a poller watches itself (`/proc/PID/fdinfo`).
        private func alarm(of poller: Poller) throws -> Int32 {
            let info = try String(contentsOfFile: "/proc/self/fdinfo/\(poller.descriptor)", encoding: .utf8)
            let targets = info.split(separator: "\n").compactMap { line -> Int32? in
                let words = line.split(separator: " ", omittingEmptySubsequences: true)
                return words.first == "tfd:" && words.count > 1 ? Int32(words[1]) : nil
            }
            return try #require(
                targets.first {
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)")
                    return target?.contains("timerfd") == true
                })
        }

        @Test("The alarm of a long wait is set to its time")
        func longAlarm() throws {
            let poller = try Poller()
            let wakeUp = try WakeUp()
            try poller.watch(wakeUp.readEnd, .reads)
            // Something is ready, so that the wait ends, and its alarm stays.
            wakeUp.signal()
            for seconds: Int64 in [500, 10_000_000] {
                #expect(try poller.wait(.seconds(seconds)).count == 1)
                let info = try String(
                    contentsOfFile: "/proc/self/fdinfo/\(try alarm(of: poller))", encoding: .utf8)
                // it_value: (SECONDS, NANOSECONDS)
                let line = try #require(info.split(separator: "\n").first { $0.hasPrefix("it_value:") })
                let rest = try #require(
                    Int64(line.drop { $0 != "(" }.dropFirst().prefix { $0 != "," }.filter(\.isNumber)))
                #expect((seconds - 20..<seconds).contains(rest), "\(rest) of \(seconds)")
            }
        }

        @Test("A poller that ends gives its descriptors back")
        func ended() throws {
            let outer = try Poller()
            let wakeUp = try WakeUp()
            wakeUp.signal()
            do {
                let inner = try Poller()
                try inner.watch(wakeUp.readEnd, .reads)
                // Its alarm goes off unread.
                #expect(try inner.wait(.milliseconds(100)).count == 1)
                try outer.watch(inner.descriptor, .reads)
                try outer.watch(alarm(of: inner), .reads)
                #expect(try GatedSyncs.wait { try outer.wait(.zero).count == 2 })
                withExtendedLifetime(inner) {}
            }
            // A program that another test starts has them for a moment too.
            #expect(try GatedSyncs.wait { try outer.wait(.zero).isEmpty })
        }
    #endif
}
