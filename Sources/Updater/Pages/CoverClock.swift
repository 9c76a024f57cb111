import Core

/// The cover clock (R13): how long the page of the first web view has been loading in front without any
/// content; and whether R9's screen is shown, by this clock or because no version can be shown.
///
/// **Invariants**
/// - At most one page load is clocked: the last one that was answered, or that came back to the front since;
///   or the document elsewhere that has come instead; or one that waits for files that can't be read.
///   Its first content, its end and the death of its web process end the clock.
/// - The clock runs only in front, and while the process is not suspended.
struct CoverClock: Hashable, Sendable {
    struct Run: Hashable, Sendable {
        let token: PageLoadToken
        var timer: CountdownTimer
    }

    private(set) var run: Run?
    /// The screen that is shown.
    private(set) var screen = Updater.Screen.none
    /// The document elsewhere that came last, if no page load has been clocked since.
    private(set) var elsewhere: PageLoadToken?

    mutating func begin(_ token: PageLoadToken, limit: TimeSpan) {
        run = Run(token: token, timer: CountdownTimer(remaining: limit))
        elsewhere = nil
    }

    /// The first web view shows a document that no version answers.
    /// - Parameter limit: how long its first content may take; nil: that of the document before is there.
    mutating func shows(elsewhere token: PageLoadToken, limit: TimeSpan?) {
        if let limit { begin(token, limit: limit) }
        elsewhere = token
    }

    /// The page has content, or will never have any.
    mutating func end(_ token: PageLoadToken) { if run?.token == token { run = nil } }

    /// - Returns: whether there is a clock.
    mutating func update(isCounting: Bool, at now: Instant) -> Bool {
        run?.timer.run(isCounting, at: now)
        return run != nil
    }

    /// - Returns: the page load, if its time is over.
    mutating func takeExpired(at now: Instant) -> PageLoadToken? {
        guard let run, run.timer.isExpired(at: now) else { return nil }
        self.run = nil
        return run.token
    }

    /// The process did not run for this time, which does not count.
    mutating func discount(_ span: TimeSpan) { run?.timer.discount(span) }

    /// Whether R9's screen is shown.
    var isRecoveryShown: Bool {
        switch screen {
        case .recovery, .recoveryUntilContent: true
        case .none, .loading, .offline, .noSpace: false
        }
    }

    /// Whether a screen is shown that says that there is no content.
    var isMissingContentShown: Bool {
        switch screen {
        case .loading, .offline, .noSpace: true
        case .none, .recovery, .recoveryUntilContent: false
        }
    }

    mutating func shows(_ screen: Updater.Screen) { self.screen = screen }

    /// The page in the first web view has content.
    mutating func contentShown() { if screen == .recoveryUntilContent { screen = .none } }
}

extension Updater {
    mutating func show(_ screen: Screen) {
        cover.shows(screen)
        effects.append(.screen(screen))
    }

    /// A page load is answered: its first content is due. The index need not be served, because it can't be
    /// read for example.
    mutating func beginCoverClock(_ token: PageLoadToken) {
        guard let page = pages.page(token), !page.isOtherWebView else { return }
        cover.begin(token, limit: settings.effectiveStartupTimeout)
        updateClock()
    }

    /// A page load waits for a version whose files can't be read, which may last: its user is under the cover
    /// already. When it is answered its clock begins anew.
    mutating func beginCoverClockOfWaiting() {
        guard cover.run == nil, !cover.isRecoveryShown,
            let request = pages.undecided.last(where: { !$0.isOtherWebView })
        else { return }
        cover.begin(request.token, limit: settings.effectiveStartupTimeout)
        updateClock()
    }

    /// The first web view shows a document that no version answers.
    mutating func showsElsewhere(_ token: PageLoadToken, isDue: Bool) {
        cover.shows(elsewhere: token, limit: isDue ? settings.effectiveStartupTimeout : nil)
        updateClock()
    }

    mutating func endCoverClock(_ token: PageLoadToken) {
        guard cover.run?.token == token else { return }
        cover.end(token)
        effects.append(.cancelTimer(.cover))
    }

    mutating func contentShown(_ token: PageLoadToken) {
        endCoverClock(token)
        let isFirst = pages.page(token).map { !$0.isOtherWebView } ?? (cover.elsewhere == token)
        if isFirst { cover.contentShown() }
    }

    /// The user gets something to press, whatever the page does. No version is blamed: what becomes of a
    /// start is decided by its own clock (R3).
    mutating func coverTimerFired() {
        guard let token = cover.takeExpired(at: now) else { return updateClock() }
        // The start has failed, so that another page comes, or R9's screen.
        if let run = starts.run, run.hasEnded, !starts.isRescuePostponed, run.loads.contains(token) { return }
        log(.noContentShown, pages.page(token)?.key)
        show(.recoveryUntilContent)
    }
}
