import Core

/// The port of the local server, and whether it is bound (S4, S8).
///
/// **Invariants.** The port never changes after the launch, because pages keep their storage by it. `screen`
/// is set from a failed attempt to the next successful one. While the app is in background, a lost socket is
/// not bound again. The answer to an attempt that the host has stopped since says nothing: it may have waited
/// behind the suspension that stopped it (S8).
struct LocalPort: Sendable {
    /// 0 before the launch.
    let number: UInt16
    private(set) var isListening = false
    /// The screen that says why the port can't be bound; nil: the last attempt succeeded, or there was none.
    private(set) var screen: AppHost.Screen?
    private(set) var isInForeground: Bool
    private var backoff = PortBackoff()
    /// Number of attempts that wait for their answers, and how many of them, the oldest, have been stopped.
    private var attempts = (waiting: 0, stopped: 0)

    init(_ number: UInt16, isInForeground: Bool) {
        self.number = number
        self.isInForeground = isInForeground
    }

    mutating func attempt() { attempts.waiting += 1 }

    /// The oldest attempt is answered.
    /// - Returns: whether the answer counts.
    mutating func takeAnswer() -> Bool {
        attempts.waiting = max(attempts.waiting - 1, 0)
        guard attempts.stopped > 0 else { return true }
        attempts.stopped -= 1
        return false
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

    /// The socket is gone, and with it every attempt to bind it.
    mutating func lost() {
        isListening = false
        attempts.stopped = attempts.waiting
    }

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
