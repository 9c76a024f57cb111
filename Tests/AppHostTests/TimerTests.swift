import Core
import LocalServer
import Testing

@testable import AppHost

@Suite("Timers that wait in the host while an earlier event is handled")
struct TimerTests {
    @Test("A write time-out that was set again by an event before it closes nothing (S10)")
    func setAgain() throws {
        var fixture = try HostFixture()
        try fixture.launch()
        var host = fixture.host
        let id = ConnectionID(1_000)
        let request = Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        for event in [.opened, .received(request)] as [AppHost.ConnectionEvent] {
            _ = host.handle(.connection(id, event), at: fixture.now, disk: &fixture.disk)
        }
        let write = AppHost.TimerName.server(.write(id))
        host.partEvents.append(.server(.progressed(id)))
        let later = fixture.now + .seconds(34)
        let effects = host.handle(.timer(write), at: later, disk: &fixture.disk)
        #expect(effects.contains { if case .setTimer(write, _) = $0 { true } else { false } })
        #expect(!effects.contains(.close(id)))
        let last = host.handle(.timer(write), at: later + .seconds(30), disk: &fixture.disk)
        #expect(last.contains(.close(id)))
    }
}
