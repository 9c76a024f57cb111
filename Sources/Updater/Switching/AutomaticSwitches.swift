import Core

/// What decides about switches that no page requests (U5, U6, N4).
///
/// **Invariants**
/// - A process switches at most once without a request, which also ends the consequence of a silent push.
/// - A page holds off switches for at most 24 h from its first request, however often it repeats it.
struct AutomaticSwitches: Sendable {
    /// Whether a silent push requested a check, and the app has not been in front since (N4).
    var isPushed = false
    /// Whether this process has switched without a request (U5).
    private(set) var hasSwitched = false
    /// Time since which the page holds off switches (U6).
    private var heldOffSince: Instant?
    /// The wait of this launch for a forced version (U6) or for a fix (R13).
    var launchWait: LaunchWait?
    /// Whether this launch has waited for a fix.
    var hasWaitedForFix = false

    mutating func switched() {
        hasSwitched = true
        isPushed = false
    }

    func isHeldOff(at now: Instant) -> Bool { heldOffSince.map { now - $0 < .hours(24) } ?? false }

    /// - Returns: whether the page did not hold off switches before.
    mutating func holdOff(at now: Instant) -> Bool {
        guard heldOffSince == nil else { return false }
        heldOffSince = now
        return true
    }

    mutating func endHoldOff() { heldOffSince = nil }
}
