import Core
import Testing

@testable import Updater

@Suite("Time in which the process did not run speaks for and against nothing (R3, R4, R6, U5)")
struct FrozenProcessTests {
    /// The process does not run for this time; then the shell reports it before anything else.
    private func freeze(_ device: inout Harness, _ span: TimeSpan) {
        device.now = device.now + span
        device.send(.frozen(span))
    }

    private func starting(_ confirmation: ConfirmationPolicy = .called) throws -> (Harness, PageLoadToken) {
        var device = try Harness(embedded: Version("v1", serial: 1))
        device.settings.confirmation = confirmation
        try device.start()
        device.offered = Version("v2", serial: 2)
        device.check()
        device.kill()
        try device.launch()
        device.check()
        let token = device.load(.processStart)
        return (device, token)
    }

    @Test("R3: the clock of a start stands still, and goes on where it was")
    func clock() throws {
        var (device, _) = try starting()
        device.wait(.seconds(9))
        freeze(&device, .minutes(1))
        device.wait(.seconds(6))
        freeze(&device, .hours(8))
        device.wait(.seconds(4))
        #expect(device.causes(.startFailedByClock) == 0)
        device.wait(.seconds(2))
        #expect(device.causes(.startFailedByClock) + device.causes(.startUnclearByClock) == 1)
    }

    @Test("R3: the time in front does not count either: an end in background after it is uncounted")
    func timeInFront() throws {
        for (seconds, cause) in [(3, LogCause.startUncounted), (6, .startUnclear)] as [(Int64, LogCause)] {
            var (device, _) = try starting()
            device.wait(.seconds(seconds))
            freeze(&device, .minutes(1))
            device.send(.background)
            device.kill()
            try device.launch()
            #expect(device.causes(cause) == 1, "\(seconds) s in front")
        }
    }

    @Test("R6: a page must be alive for five seconds in which the process runs")
    func alive() throws {
        for diesMeanwhile in [false, true] {
            var (device, token) = try starting(.loaded)
            device.send(.page(token, .loaded))
            device.wait(.seconds(3))
            let before = device.causes(.startConfirmed)
            freeze(&device, .seconds(34))
            if diesMeanwhile { device.send(.page(token, .webProcessDied)) }
            device.wait(.seconds(4))
            #expect(device.causes(.startConfirmed) == before)
            device.wait(.seconds(2))
            #expect(device.causes(.startConfirmed) == before + (diesMeanwhile ? 0 : 1))
            freeze(&device, .minutes(1))
            device.wait(.minutes(1))
            #expect(device.causes(.startConfirmed) == before + (diesMeanwhile ? 0 : 1))
        }
    }

    @Test("U5: an origin that the process could not hear was not silent")
    func silence() throws {
        var device = try Harness.started()
        device.isSilent = true
        device.check()
        device.wait(.seconds(10))
        freeze(&device, .hours(1))
        device.wait(.seconds(4))
        #expect(device.updater.checks.run != nil)
        device.wait(.seconds(2))
        #expect(device.updater.checks.run == nil)
    }

    @Test("A suspension that was announced is discounted once, at its end")
    func announced() throws {
        var (device, _) = try starting()
        device.wait(.seconds(15))
        device.send(.suspended)
        freeze(&device, .hours(8))
        device.send(.resumed)
        device.wait(.seconds(4))
        #expect(device.causes(.startFailedByClock) == 0)
        device.wait(.seconds(2))
        #expect(device.causes(.startFailedByClock) + device.causes(.startUnclearByClock) == 1)
    }
}
