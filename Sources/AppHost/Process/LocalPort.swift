import Core

/// The port of the local server, and whether it is bound (S4, S8).
///
/// **Invariants.** The port never changes after the launch, because pages keep their storage by it. `screen`
/// is set from a failed attempt to the next successful one. While the app is in background, a lost socket is
/// not bound again.
struct LocalPort: Sendable {
    /// 0 before the launch.
    let number: UInt16
    private(set) var isListening = false
    /// The screen that says why the port can't be bound; nil: the last attempt succeeded, or there was none.
    private(set) var screen: AppHost.Screen?
    private(set) var isInForeground: Bool
    private var backoff = PortBackoff()

    init(_ number: UInt16, isInForeground: Bool) {
        self.number = number
        self.isInForeground = isInForeground
    }

    mutating func bound() {
        isListening = true
        screen = nil
        backoff.reset()
    }

    /// - Returns: when to try again.
    mutating func failed(_ screen: AppHost.Screen) -> TimeSpan {
        isListening = false
        self.screen = screen
        return backoff.next()
    }

    /// The socket is gone.
    mutating func lost() { isListening = false }

    mutating func enterForeground() { isInForeground = true }

    mutating func enterBackground() { isInForeground = false }

    /// S4: 12000 + FNV-1a-32(app id) mod 1000.
    static func defaultNumber(ofApp id: String) -> UInt16 { UInt16(12_000 + FNV1a32.hash(of: id) % 1_000) }
}

/// When a port that can't be bound is tried again (S4): after 0.2, 0.5, 1, 2, 5 s, then every 10 s.
struct PortBackoff: Sendable {
    private var attempts = 0
    private static let delays: [TimeSpan] = [
        .milliseconds(200), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5),
    ]

    mutating func next() -> TimeSpan {
        defer { attempts += 1 }
        return attempts < PortBackoff.delays.count ? PortBackoff.delays[attempts] : .seconds(10)
    }

    mutating func reset() { attempts = 0 }
}
