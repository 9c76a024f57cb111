import Backend
import Core
import Updater

/// S4: scheme, host and port of the page stay the same over restarts, updates, suspension and store updates.
///
/// Whenever the server begins to listen, its port must be the one that the build configures, or 12000 +
/// FNV-1a-32(app id) mod 1000. Scenarios configure no alternative ports, so only this port is correct.
///
/// Silent about: scheme and host, which the server checks in the `Host` field of each request (S6).
struct SameOrigin: RuleChecker {
    let rule = "S4"
    var decided = 0

    /// Adds nothing: this checker has no memory.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .listening(true) = event.kind, let port = observed.port else { return nil }
        decided += 1
        let expected = observed.app.port ?? SameOrigin.port(of: observed.app.id)
        if port == expected { return nil }
        return Violation(
            "The local server listens on another port than the build has",
            expected: "port \(expected)", actual: "port \(port)")
    }

    /// Port of an app that configures none.
    static func port(of app: String) -> UInt16 { 12_000 + UInt16(FNV1a32.hash(of: app) % 1_000) }
}
