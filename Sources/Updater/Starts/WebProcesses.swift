import Core

/// Pages whose web process died while the app was in background.
struct DeadPages: Hashable, Sendable {
    /// Whether the page of the first web view is one of them.
    var first = false
    /// Pages of other web views.
    var otherWebViews: [PageLoadToken] = []
}

/// Deaths of web processes (R11).
///
/// **Invariants**
/// - Pages are loaded again for a death at most three times in ten minutes; all web views share the limit.
/// - A page whose web process died in background is loaded once when the app comes to the front, unless it
///   was loaded in between.
struct WebProcesses: Sendable {
    /// Times of the last deaths that led to a reload.
    private var deaths: [Instant] = []
    /// Pages that are loaded again when the app comes to the front.
    private var dead = DeadPages()

    /// A page is to be loaded again because its web process died.
    /// - Returns: false if that happens too often.
    mutating func countReload(at now: Instant) -> Bool {
        deaths.removeAll { now - $0 > .minutes(10) }
        guard deaths.count < 3 else { return false }
        deaths.append(now)
        return true
    }

    /// A web process died in background.
    /// - Parameter token: its page, if it is not that of the first web view.
    mutating func diedInBackground(otherWebView token: PageLoadToken?) {
        if let token { dead.otherWebViews.append(token) } else { dead.first = true }
    }

    /// The first web view loads a page.
    mutating func firstPageLoads() { dead.first = false }

    mutating func takeDead() -> DeadPages {
        defer { dead = DeadPages() }
        return dead
    }
}
