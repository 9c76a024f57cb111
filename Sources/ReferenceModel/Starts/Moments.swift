import Core

/// What has happened since the last page load that lets the next one show another version (U6).
struct Moments: Hashable, Sendable {
    /// The last request of a web view for a document.
    var navigation: Navigation? { didSet { navigations += 1 } }
    /// Navigations whose page load may be still to come.
    private var navigations = 0
    /// Whether they were several: then it is not known whose page load is the next.
    private var hasSeveral = false
    /// Whether the next page load is that of the last navigation.
    var isNavigationKnown: Bool { navigations == 1 && !hasSeveral }
    /// Whether a page has reloaded since the last page load: what that decides holds for the next one, also
    /// if the user follows a link before it is granted.
    var hasReloaded = false
    /// Version that a switch call of a page activates.
    var called: Version?
    var wasCalled = false
    /// Whether a page has switched the app to another channel: what is offered there first is shown as soon
    /// as it is complete, because the page has asked for it.
    var takesUpEnvironment = false
    /// Whether a push arrived while the app was in background, and it has not been in front since.
    var isPushed = false
    /// When the app learned that it is in front again after a push: what it decided right before is logged
    /// after that.
    private var pushEndedAt: Instant?
    /// When a push arrived in front last.
    private var pushedInFrontAt: Instant?
    /// Whether a push arrived while no process ran: it launches one.
    private var launchesByPush = false
    /// Whether the app came back after 30 min in background.
    var isLongReturn = false
    /// Whether the user pressed a button of a native screen.
    var isUsersChoice = false
    /// Whether the app has refused a switch, because its limit is reached (U5).
    var isLimited = false
    /// Id of the version that became current at an allowed moment; its page load may come later.
    var switched: String?
    /// Whether a version has become pending in this process.
    var hasBecomePending = false
    /// Manifest answers in this process.
    var answers = 0
    /// Whether a file has been requested in this process.
    var hasDownloaded = false
    /// Id of the version that the app says it sets aside for this process: a proven one (R3), or the
    /// embedded one (R13).
    var setAside: String?
    var hasSetAside: Bool { setAside != nil }
    /// Whether a page holds off switches.
    var isHeldOff = false
    /// Whether the origin has ever forced a version.
    var mayBeForced = false
    /// The version that is shown after a start of another one ended in this process.
    var rescues: [Version] = []
    /// Id of the version whose start ended while its page is in use, until the app leaves the front.
    var postponedRescue: String?
    /// Version of the last page load in this process.
    var last: Version?
    /// Page loads that each web view shows.
    private var shown: [Shown] = []
    /// Whether the first web view has asked for a document of the remote root last.
    var isForwarding = false
    /// Whether the first web view shows a document without a page load, and which.
    private(set) var elsewhere = Elsewhere.no

    enum Elsewhere: Hashable, Sendable {
        case no
        /// It may be the app's own, about an error.
        case perhaps
        case remoteRoot
    }

    struct Navigation: Hashable, Sendable {
        /// `reload`, `link` …
        var kind: String
        var view: Int
    }

    /// The app's own web view; others are no moment to switch.
    static let firstView = 0

    private struct Shown: Hashable, Sendable {
        var view: Int
        var token: PageLoadToken
    }

    static let longAbsence = TimeSpan.minutes(30)

    /// - Parameter inFront: whether the process begins in front; one that a push launches does not.
    mutating func launch(inFront: Bool) {
        let before = self
        self = Moments()
        mayBeForced = before.mayBeForced
        isPushed = before.launchesByPush && !inFront
    }

    mutating func push(inFront: Bool, isAlive: Bool, at now: Instant) {
        if isAlive { isPushed = isPushed || !inFront } else { launchesByPush = true }
        if inFront { pushedInFrontAt = now }
    }

    mutating func comeToFront(at now: Instant, after absence: TimeSpan?) {
        if isPushed { pushEndedAt = now }
        isPushed = false
        if let absence, absence >= Moments.longAbsence { isLongReturn = true }
    }

    /// What a push has asked for before the app came to the front may still be on its way.
    /// So may a push that came in front: the app learns of it in background then.
    mutating func leaveFront(at now: Instant) {
        let isUnheard = pushedInFrontAt.map { now - $0 <= CheckReasons.delivery } ?? false
        if pushEndedAt != nil || isUnheard { isPushed = true }
    }

    /// The process goes on: it learns now of what has come since it was suspended.
    mutating func resume(at now: Instant, from suspension: Instant) {
        if let ended = pushEndedAt, ended >= suspension { pushEndedAt = now }
    }

    /// Whether a switch that is logged now may have been decided on before the app came to the front.
    func mayHaveBeenPushed(at now: Instant) -> Bool {
        isPushed || pushEndedAt.map { now - $0 <= CheckReasons.delivery } ?? false
    }

    /// - Parameter token: nil: the document has no page load.
    mutating func show(_ token: PageLoadToken?, in view: Int) {
        shown.removeAll { $0.view == view }
        if let token { shown.append(Shown(view: view, token: token)) }
        guard view == Moments.firstView else { return }
        elsewhere = token != nil ? .no : isForwarding ? .remoteRoot : .perhaps
    }

    /// The page of this load is gone.
    mutating func close(_ token: PageLoadToken) { shown.removeAll { $0.token == token } }

    /// Whether a view shows a page of one of these loads.
    func isShown(_ loads: [PageLoadToken]) -> Bool { shown.contains { loads.contains($0.token) } }

    func token(shownIn view: Int) -> PageLoadToken? { shown.first { $0.view == view }?.token }

    mutating func loaded(_ version: Version) {
        if last != version { takesUpEnvironment = false }
        last = version
        wasCalled = false
        called = nil
        isLongReturn = false
        isUsersChoice = false
        if navigations > 1 {
            // The page load of the last one may be still to come, as after a stop of the process.
            navigations -= 1
            hasSeveral = true
        } else {
            navigation = nil
            navigations = 0
            hasSeveral = false
            hasReloaded = false
        }
        if switched == version.id { switched = nil }
    }
}
