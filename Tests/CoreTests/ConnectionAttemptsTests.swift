import Testing

@testable import Core

@Suite("Which address of a host is tried when (RFC 8305)")
struct ConnectionAttemptsTests {
    private typealias Attempts = ConnectionAttempts<String, Int>

    /// An address is "6a", "4b" and so on: its family and a name.
    private func attempts(_ addresses: String...) -> Attempts {
        Attempts(addresses) { $0.hasPrefix("6") ? 6 : 4 }
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    private func texts(_ effects: [Attempts.Effect]) -> [String] {
        effects.map { effect in
            switch effect {
            case .connect(let index, let address): "connect \(index) \(address)"
            case .abandon(let index): "abandon \(index)"
            case .won(let index): "won \(index)"
            case .failed(let code): "failed \(code)"
            }
        }
    }

    @Test("Families take turns, beginning with that of the first address (§4)")
    func order() {
        #expect(attempts("6a", "6b", "6c", "4a", "4b").addresses == ["6a", "4a", "6b", "4b", "6c"])
        #expect(attempts("4a", "6a", "6b").addresses == ["4a", "6a", "6b"])
        #expect(attempts("4a", "4b").addresses == ["4a", "4b"])
        #expect(attempts("6a").addresses == ["6a"])
    }

    @Test("An address that does not answer delays the next by 250 ms; the first connection wins (§5)")
    func silent() {
        var attempts = attempts("6a", "4a", "4b")
        #expect(texts(attempts.handle(.begin, at: at(0))) == ["connect 0 6a"])
        #expect(attempts.nextAttempt == at(250))
        #expect(texts(attempts.handle(.timePassed, at: at(249))).isEmpty)
        #expect(texts(attempts.handle(.timePassed, at: at(250))) == ["connect 1 4a"])
        #expect(attempts.nextAttempt == at(500))
        #expect(texts(attempts.handle(.connected(1), at: at(300))) == ["abandon 0", "won 1"])
        #expect(attempts.nextAttempt == nil)
        #expect(texts(attempts.handle(.timePassed, at: at(900))).isEmpty)
        #expect(texts(attempts.handle(.connected(0), at: at(900))).isEmpty)
    }

    @Test("The first address may still win after others were begun")
    func late() {
        var attempts = attempts("6a", "4a")
        _ = attempts.handle(.begin, at: at(0))
        _ = attempts.handle(.timePassed, at: at(250))
        #expect(attempts.nextAttempt == nil)
        #expect(texts(attempts.handle(.connected(0), at: at(260))) == ["abandon 1", "won 0"])
    }

    @Test("A failed attempt begins the next at once; the last failure is that of all")
    func refused() {
        var attempts = attempts("6a", "4a", "4b")
        _ = attempts.handle(.begin, at: at(0))
        #expect(texts(attempts.handle(.failed(0, 111), at: at(1))) == ["connect 1 4a"])
        #expect(attempts.nextAttempt == at(251))
        #expect(texts(attempts.handle(.timePassed, at: at(251))) == ["connect 2 4b"])
        #expect(texts(attempts.handle(.failed(2, 113), at: at(252))).isEmpty)
        #expect(texts(attempts.handle(.failed(2, 113), at: at(252))).isEmpty, "it has ended")
        #expect(texts(attempts.handle(.failed(1, 110), at: at(300))) == ["failed 110"])
    }
}
