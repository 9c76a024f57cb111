import Core

/// What this process derives from the entropy of its launch: the session key and the tokens of page loads.
///
/// **Invariants.** Equal entropy gives equal values, in the same order. A token is never given out twice in a
/// process.
struct LaunchSecrets: Sendable {
    private var key = KeyedHash.Key(low: 0, high: 0)
    /// 128 bits in hex (S6); empty before the launch.
    private(set) var sessionKey = ""
    private var tokens: UInt64 = 0

    init() {}

    /// - Parameter entropy: at least 16 random bytes, of which the last 16 are used.
    init(entropy: [UInt8]) {
        key = KeyedHash.Key(bytes: entropy.suffix(16)) ?? KeyedHash.Key(low: 0, high: 0)
        sessionKey = Hex.text(hash("session", 0)) + Hex.text(hash("session", 1))
    }

    mutating func newToken() -> PageLoadToken {
        tokens += 1
        return PageLoadToken(hash("load", tokens))
    }

    private func hash(_ purpose: String, _ number: UInt64) -> UInt64 {
        var hash = KeyedHash(key: key)
        hash.update(purpose)
        hash.update(number)
        return hash.finish()
    }
}
