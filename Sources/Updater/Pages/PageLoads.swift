import Core

/// Page loads of this process: those that wait for an answer, and those that have one and are not closed.
///
/// **Invariants**
/// - A page load has one token. It is a request until it is answered or given up, then an open page unless
///   no version could be shown or none was needed any more, and nothing after it is closed.
/// - The content of an open page's version is retained (S1, R7).
struct PageLoads: Sendable {
    /// Page loads that have been answered and not closed.
    private(set) var open: [OpenPage] = []
    /// Page loads that have not been answered.
    private var requests: [PageLoadRequest] = []
    /// Whether the first web view shows a document that no version answers.
    private var isElsewhere = false

    // MARK: Requests

    /// Requests whose version is not chosen.
    var undecided: [PageLoadRequest] { requests.filter { $0.chosen == nil } }

    func request(_ token: PageLoadToken) -> PageLoadRequest? { requests.first { $0.token == token } }

    mutating func add(_ request: PageLoadRequest) { requests.append(request) }

    /// The version is chosen, and the answer waits for the disk; nil: it has to be chosen again.
    mutating func choose(_ key: VersionKey?, for token: PageLoadToken) {
        guard let index = requests.firstIndex(where: { $0.token == token }) else { return }
        requests[index].chosen = key
    }

    /// The page load is answered.
    /// - Returns: its request, if it is not answered yet.
    mutating func takeRequest(_ token: PageLoadToken) -> PageLoadRequest? {
        defer { requests.removeAll { $0.token == token } }
        return requests.first { $0.token == token }
    }

    // MARK: Open pages

    func page(_ token: PageLoadToken) -> OpenPage? { open.first { $0.token == token } }

    func isShown(_ key: VersionKey) -> Bool { open.contains { $0.key == key } }

    /// Whether the first web view shows a page of another version or none of any, and no page of this start
    /// is left to show.
    func isHidden(_ run: StartRun) -> Bool {
        let isInFront = open.contains { !$0.isLeft && run.loads.contains($0.token) }
        let isOther = isElsewhere || open.contains { !$0.isLeft && !$0.isOtherWebView && $0.key != run.key }
        return !isInFront && isOther
    }

    /// The first web view shows a document that no version answers, until one of its page loads is in front.
    mutating func leaveForElsewhere() { isElsewhere = true }

    /// The request is answered with this version.
    mutating func answer(_ request: PageLoadRequest, with key: VersionKey) {
        open.append(OpenPage(token: request.token, key: key, isOtherWebView: request.isOtherWebView))
    }

    /// - Returns: the version of the page, if no other page shows it.
    mutating func close(_ token: PageLoadToken) -> VersionKey? {
        guard let index = open.firstIndex(where: { $0.token == token }) else { return nil }
        let key = open.remove(at: index).key
        return isShown(key) ? nil : key
    }

    mutating func loaded(_ token: PageLoadToken) { change(token) { $0.hasLoaded = true } }

    mutating func watch(_ token: PageLoadToken, _ isWatched: Bool) {
        change(token) { $0.isWatchedAfterLoad = isWatched }
    }

    /// The document is in front.
    mutating func show(_ token: PageLoadToken) {
        change(token) { $0.isLeft = false }
        if page(token)?.isOtherWebView == false { isElsewhere = false }
    }

    /// The document has gone to the background.
    mutating func leave(_ token: PageLoadToken) { change(token) { $0.isLeft = true } }

    private mutating func change(_ token: PageLoadToken, _ body: (inout OpenPage) -> Void) {
        guard let index = open.firstIndex(where: { $0.token == token }) else { return }
        body(&open[index])
    }
}
