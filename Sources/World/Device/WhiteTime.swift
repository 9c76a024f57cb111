import Core

/// Time in which the app is in front and the user sees neither cover, native screen nor content (rule T4).
struct WhiteTime: Hashable, Sendable {
    private var since: Instant?
    private var past = TimeSpan.zero

    func total(at now: Instant) -> TimeSpan { since.map { past + (now - $0) } ?? past }

    /// The beginning of white time, or its end with its duration.
    enum Change: Hashable, Sendable {
        case began
        case ended(TimeSpan)
    }

    mutating func update(isWhite: Bool, at now: Instant) -> Change? {
        switch (isWhite, since) {
        case (true, nil):
            since = now
            return .began
        case (false, let start?):
            since = nil
            past += now - start
            return .ended(now - start)
        case (true, .some), (false, nil): return nil
        }
    }
}
