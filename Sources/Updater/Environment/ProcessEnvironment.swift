import Core

/// What the platform last reported about the process: whether the app is in front, whether the process is
/// suspended, and the network.
///
/// **Invariants**
/// - The app is in front, or it is known since when it is not.
/// - A suspension begins with the first notice and ends once, whatever is reported in between.
struct ProcessEnvironment: Sendable {
    var network = NetworkState.online
    /// Time at which the app left the front; nil while it is in front.
    private var backgroundSince: Instant?
    /// Time at which the suspension began; nil while the process runs.
    private var suspendedSince: Instant?

    var inForeground: Bool { backgroundSince == nil }

    var isSuspended: Bool { suspendedSince != nil }

    init() {}

    init(inForeground: Bool, _ network: NetworkState, at now: Instant) {
        self.network = network
        backgroundSince = inForeground ? nil : now
    }

    /// - Returns: the time for which the app was not in front.
    mutating func enterForeground(at now: Instant) -> TimeSpan {
        defer { backgroundSince = nil }
        return backgroundSince.map { now - $0 } ?? .zero
    }

    mutating func enterBackground(at now: Instant) { backgroundSince = now }

    mutating func suspend(at now: Instant) { suspendedSince = suspendedSince ?? now }

    /// - Returns: the length of the suspension; nil if there was none.
    mutating func resume(at now: Instant) -> TimeSpan? {
        defer { suspendedSince = nil }
        return suspendedSince.map { now - $0 }
    }
}
