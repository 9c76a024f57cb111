import Backend
import Core
import Updater

/// S4: scheme, host and port of the page stay the same over restarts, updates, suspension and store
/// updates. The port is the build's, or 12000 + FNV-1a-32(app id) mod 1000.
///
/// Looked at whenever the server begins to listen. No configured list of other ports exists here, so the
/// one port is right. Scheme and host are the server's own answer to `Host` (S6), not looked at here.
struct SameOrigin: Checker {
    let rule = "S4"

    /// Nothing: it has no memory.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard case .listening(true) = fact.kind, let port = observed.port else { return nil }
        let expected = observed.app.port ?? SameOrigin.port(of: observed.app.id)
        if port == expected { return nil }
        return Violation(
            "The local server listens on another port than the build has",
            expected: "port \(expected)", actual: "port \(port)")
    }

    /// The port of an app that configures none.
    static func port(of app: String) -> UInt16 { 12_000 + UInt16(FNV1a32.hash(of: app) % 1_000) }
}
