import Core
import Testing

@testable import AppHost

@Suite("The port of the local server (S4)")
struct LocalPortTests {
    @Test(
        "A port that can't be bound is tried after 0.2, 0.5, 1, 2 and 5 s, then every 10 s; once bound, anew"
    )
    func attempts() {
        var port = LocalPort(12_308, isInForeground: true)
        let delays: [TimeSpan] = [
            .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10),
            .seconds(10),
        ]
        for _ in 0..<2 {
            #expect(delays.map { _ in port.failed(.portTaken) } == delays)
            #expect(!port.isListening && port.screen == .portTaken)
            port.bound()
            #expect(port.isListening && port.screen == nil)
        }
    }

    @Test("A fresh one listens on nothing and shows nothing; one whose attempt fails listens no more")
    func states() {
        for isInFront in [true, false] {
            var port = LocalPort(7, isInForeground: isInFront)
            #expect(port.number == 7 && !port.isListening && port.screen == nil)
            #expect(port.isInForeground == isInFront)
            port.bound()
            port.lost()
            #expect(!port.isListening && port.screen == nil)
            port.bound()
            #expect(port.failed(.portFailed(.noMemory)) == .milliseconds(200))
            #expect(!port.isListening && port.screen == .portFailed(.noMemory))
            port.enterBackground()
            #expect(!port.isInForeground)
            port.enterForeground()
            #expect(port.isInForeground)
        }
    }

    @Test("The default is 12000 and the app's hash, of three digits")
    func number() {
        #expect(LocalPort.defaultNumber(ofApp: "com.example.shop") == 12_308)
        // FNV-1a-32 of nothing is 2166136261.
        #expect(LocalPort.defaultNumber(ofApp: "") == 12_261)
    }
}
