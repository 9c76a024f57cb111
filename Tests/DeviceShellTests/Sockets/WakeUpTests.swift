import Foundation
import Testing

@testable import DeviceShell

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("What wakes a loop up")
struct WakeUpTests {
    @Test("Any number of signals is consumed at once, and none blocks")
    func drain() throws {
        let poller = try Poller()
        let wakeUp = try WakeUp()
        try poller.watch(wakeUp.readEnd, .reads)
        #expect(try poller.wait(.zero).isEmpty)
        // More than a pipe holds.
        for count in [1, 64, 65, 1_000, 100_000] {
            for _ in 0..<count { wakeUp.signal() }
            #expect(try poller.wait(.zero).count == 1)
            wakeUp.drain()
            #expect(try poller.wait(.zero).isEmpty, "\(count) signals")
        }
    }

    @Test("Its pipe is non-blocking, is not inherited, and is closed with it")
    func pipe() throws {
        var wakeUp: WakeUp? = try WakeUp()
        let end = try #require(wakeUp?.readEnd)
        #expect(fcntl(end, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
        #if os(Linux)
            let name = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(end)")
            #expect(try DescriptorFacts.targets().count { $0 == name } == 2)
            let inherited = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                .compactMap { Int32($0) }
                .filter {
                    let target = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)")
                    return target == name && fcntl($0, F_GETFD) & FD_CLOEXEC == 0
                }
            #expect(inherited.isEmpty)
            wakeUp = nil
            #expect(try DescriptorFacts.targets().allSatisfy { $0 != name })
        #else
            wakeUp = nil
        #endif
    }
}
