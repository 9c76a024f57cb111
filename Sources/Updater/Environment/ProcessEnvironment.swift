import Core

/// What the platform last reported about the process: whether the app is in front and active, whether the
/// process is suspended, and the network.
///
/// **Invariants**
/// - The app is in front, or it is known since when it is not.
/// - In background it is not active; in front it is, unless the platform says otherwise.
/// - A suspension begins with the first notice and ends once, whatever is reported in between.
struct ProcessEnvironment: Sendable {
    var network = NetworkState.online
    /// Time at which the app left the front; nil while it is in front.
    private var backgroundSince: Instant?
    /// Whether the user's input goes to the app: false under a call, a permission prompt, the app switcher.
    private(set) var isActive = true
    /// Time at which the suspension began; nil while the process runs.
    private var suspendedSince: Instant?

    var inForeground: Bool { backgroundSince == nil }

    var isSuspended: Bool { suspendedSince != nil }

    init() {}

    init(inForeground: Bool, _ network: NetworkState, at now: Instant) {
        self.network = network
        backgroundSince = inForeground ? nil : now
        isActive = inForeground
    }

    /// - Returns: the time for which the app was not in front.
    mutating func enterForeground(at now: Instant) -> TimeSpan {
        defer { backgroundSince = nil }
        isActive = true
        return backgroundSince.map { now - $0 } ?? .zero
    }

    mutating func enterBackground(at now: Instant) {
        backgroundSince = now
        isActive = false
    }

    mutating func setActive(_ isActive: Bool) { self.isActive = isActive && inForeground }

    mutating func suspend(at now: Instant) { suspendedSince = suspendedSince ?? now }

    /// - Returns: the length of the suspension; nil if there was none.
    mutating func resume(at now: Instant) -> TimeSpan? {
        defer { suspendedSince = nil }
        return suspendedSince.map { now - $0 }
    }
}
