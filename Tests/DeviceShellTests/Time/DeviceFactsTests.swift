import AppHost
import Core
import Foundation
import LocalServer
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("What the device says of itself")
struct DeviceFactsTests {
    @Test("The clock that counts sleep is read in microseconds")
    func monotonicClock() {
        func system() -> Int64 {
            var time = timespec()
            #if canImport(Darwin)
                clock_gettime(CLOCK_MONOTONIC, &time)
            #else
                clock_gettime(CLOCK_BOOTTIME, &time)
            #endif
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        }
        for _ in 0..<1_000 {
            let before = system()
            let now = MonotonicClock().now.microseconds
            #expect((before...system()).contains(now))
        }
    }

    @Test("The wall clock is read in seconds since 1970, with the instant at which it was read")
    func wallClock() throws {
        let before = Int64(time(nil))
        let clock = try #require(WallClock.read(at: .zero + .seconds(3)))
        // The two may be a tick of the kernel's timer apart.
        #expect((before...Int64(time(nil)) + 1).contains(clock.seconds))
        #expect(clock.at == .zero + .seconds(3))
    }

    #if os(Linux)
        /// Descriptors of this process into `/proc` whose name ends like this.
        private func open(_ end: String) throws -> Int {
            try DescriptorFacts.targets().count { $0.hasPrefix("/proc/") && $0.hasSuffix(end) }
        }

        @Test("The boot has the kernel's name for it; reading it leaves nothing open")
        func bootID() throws {
            let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
            for _ in 0..<50 { #expect(BootID.read() == text.trimmingCharacters(in: .whitespacesAndNewlines)) }
            // Other tests may read it at this moment.
            #expect(try open("/boot_id") < 10)
        }

        @Test("A debugger is attached if the kernel names a tracer; reading it leaves nothing open (R2)")
        func debugger() throws {
            let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("TracerPid:") })
            for _ in 0..<50 {
                #expect(Debugger.isAttached == !line.hasSuffix("\t0"))
            }
            #expect(try open("/status") < 10)
        }

        @Test(
            "A tracer is read of the text that the kernel gives",
            arguments: [
                ("Name:\ta\nPid:\t77\nTracerPid:\t0\nUid:\t1\n", false), ("TracerPid:\t123\nUid:\t0\n", true),
                ("Name:\tTracerPid\nPid:\t9\nTracerPid:\t7", true), ("TracerPid:\t10\n", true),
                ("TracerPid:\n", false), ("TracerPid\t0", false), ("Pid:\t9\n", false), ("", false),
                ("XTracerPid:\t9\nTracerPidX:\t9\nTracerPid:\t0", false), ("\n\n:\t\nTracerPid:\t4", true),
            ])
        func tracer(text: String, isTraced: Bool) {
            #expect(Debugger.isTraced(Array(text.utf8)[...]) == isTraced)
        }
    #endif

    @Test("A thread runs its work once, beside the caller")
    func thread() {
        let isDone = DispatchSemaphore(value: 0)
        let counter = TurnCounter()
        #expect(counter.count == 0)
        #expect(
            DetachedThread.start {
                counter.add()
                isDone.signal()
            })
        #expect(isDone.wait(timeout: .now() + 10) == .success)
        #expect(counter.count == 1)
    }
}

@Suite("The timers of a device, by name")
struct TimerTableTests {
    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    private func name(_ number: UInt64) -> AppHost.TimerName { .wrapper(number) }

    @Test("What is due is known to the microsecond, once, in the order of time and name")
    func due() {
        var table = TimerTable()
        #expect(table.next == nil && !table.isDue(at: at(9)))
        for (number, second) in [(4, 2), (1, 3), (3, 2), (2, 1)] as [(UInt64, Int64)] {
            table.set(name(number), at: at(second))
        }
        #expect(table.next == at(1))
        #expect(table.due(at: at(1) - .microseconds(1)).isEmpty)
        let first = table.due(at: at(1))
        #expect(first.map(\.name) == [name(2)] && table.next == at(2))
        let others = table.due(at: at(3))
        // The first is due until it is taken.
        #expect(others.map(\.name) == [2, 3, 4, 1].map(name) && table.next == nil)
        #expect(table.take(others[0]) == true)
        for ticket in first { #expect(table.take(ticket) == false, "it was taken") }
        #expect(others.dropFirst().map { table.take($0) } == [true, true, true])
        #expect(table.due(at: at(99)).isEmpty)
    }

    @Test("A timer that is set again or cancelled voids its ticket, at the same time too")
    func void() {
        var table = TimerTable()
        table.set(name(1), at: at(1))
        table.set(name(2), at: at(1))
        table.set(name(3), at: at(1))
        let tickets = table.due(at: at(1))
        table.set(name(1), at: at(1))
        table.cancel(name(2))
        #expect(tickets.map { table.take($0) } == [false, false, true])
        let again = table.due(at: at(1))
        #expect(again.map(\.name) == [name(1)])
        #expect(again.map { table.take($0) } == [true])
        table.set(name(5), at: at(7))
        table.set(name(4), at: at(8))
        #expect(table.next == at(7))
        table.cancel(name(5))
        // Known too early, which costs a look.
        #expect(table.due(at: at(7)).isEmpty && table.next == at(8))
    }
}
