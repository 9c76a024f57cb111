import Core
import Testing
import World

@testable import Updater

@Suite("R1: the disk refuses a call of a launch")
struct OpeningErrorTests {
    /// v1 embedded, v2 good and running, v3 pending; the process has ended.
    private func device() throws -> Harness {
        var device = try Harness.stoppedWithPending()
        device.logged = []
        return device
    }

    private static let codes: [DiskError.Code] = [.inputOutput, .noSpace]
    private static let calls: [DiskCall] = [
        .open, .read, .status, .lock, .sync, .syncDirectory, .close, .write, .truncate, .rename,
    ]

    @Test(
        "Some version is shown whatever refuses, no version is blamed, and afterwards all continues as if nothing had happened",
        arguments: calls)
    func refused(call: DiskCall) throws {
        let device = try device()
        for code in Self.codes {
            for (nth, times) in [1, 2, 3, 5, 8].flatMap({ [($0, 1), ($0, nil)] }) as [(Int, Int?)] {
                let name = "\(code) at \(call) \(nth) \(times == nil ? "and later" : "once")"
                var device = device
                device.disk.add(DiskFault(call, nth: nth, code, times: times))
                try device.launch()
                device.wait(.seconds(3))
                let shown = device.show(.processStart)
                // Where nothing can be read for long, a native screen says so.
                let isScreen = times == nil && device.screens.last.map { $0 != .none } == true
                #expect(["v1", "v2", "v3"].contains(shown) || (shown == nil && isScreen), "\(name)")
                device.wait(.minutes(2))
                device.kill()
                device.disk.removeFaults()
                try device.launch()
                device.wait(.seconds(3))
                let token = device.load(.processStart)
                #expect(["v2", "v3"].contains(device.running(token)), "\(name)")
                device.send(.page(token, .confirmed))
                #expect(device.status.blacklist.isEmpty && device.status.parked.isEmpty, "\(name)")
                device.offered = Version("v4", serial: 4)
                device.check()
                device.kill()
                try device.start()
                #expect(device.status.current?.id == "v4" && device.status.good.contains { $0.id == "v4" })
            }
        }
    }
}
