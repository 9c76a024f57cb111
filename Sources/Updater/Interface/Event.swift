import Core

extension Updater {
    /// Everything that can be sent to the updater. One event is one bounded step.
    package enum Event: Hashable, Sendable {
        /// First event of a process, sent once.
        indirect case launched(Launch)
        /// Continues work that an earlier step left; answers ``Effect/again(_:)``.
        case again(WorkLane)
        /// Answers ``Effect/sync(_:_:_:)``: nil if everything that it covers is durable.
        case synced(SyncTicket, DiskError?)
        case timer(TimerName)
        case check(CheckReason)
        case transfer(TransferID, TransferEvent)
        /// Answers ``Effect/verifySignatures(_:_:)``.
        case signaturesVerified(TransferID, SignatureAnswer)
        case network(NetworkState)
        case foreground
        case background
        /// The app in front is active again: it gets what the user does. Only noted (R2).
        case active
        /// The app is no longer active, although it may still be visible. Only noted (R2).
        case inactive
        case suspended
        case resumed
        /// The process did not run for this time, without a notice; sent before what came in it.
        case frozen(TimeSpan)
        /// A web view requests an index. ``Effect/answerPageLoad(_:_:)`` follows, after the start record is
        /// on disk if the start needs one (R2).
        case pageLoadRequested(PageLoadToken, Moment)
        case page(PageLoadToken, PageEvent)
        /// The bridge's switch call: makes the pending version current; the page then reloads itself.
        case switchRequested(PageLoadToken)
        /// The server met a read error in a stored file of this version (R10).
        case readFailed(VersionKey, DiskPath)
        /// The page begins (true) or ends (false) a period in which no automatic switch happens (U6: at most
        /// 24 h).
        case heldOff(Bool)
        /// R9's screen: the user requests a start of the version that could not be shown automatically.
        case userTriesAgain
        indirect case settings(UpdaterSettings)
    }

    /// Why a check is requested.
    package enum CheckReason: String, Hashable, Sendable, CaseIterable {
        case launch
        case foreground
        case push
        case page
        case user
        /// The native app's code.
        case app
        /// R9's screen, before the only version is started (R13).
        case recovery
        /// The updater itself, by timer (U8's second check, retries).
        case own
    }

    /// The kind of a page load, which decides whether it may switch versions (U6).
    package enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The first page load of this process in its first web view.
        case processStart
        /// `location.reload()`.
        case reload
        /// After the bridge's switch call, or a load that the updater requested.
        case commanded
        /// The page navigated by `location.replace`, back, a link, a form or the history: never switches.
        case navigation
        /// A page load of a web view other than the first.
        case otherWebView
        /// The host loads the page again after its web process died: never switches.
        case webProcessRestart
    }

    /// What happens to a page load. Each event names its page load (R6).
    package enum PageEvent: Hashable, Sendable {
        /// The head of the index has been passed to the connection.
        case indexServed
        /// The web view now shows this document, for the first time or again.
        case committed
        /// The web view now shows another document, and may keep this one standing still, to show it again
        /// (HTML §7.4.6, page cache); or it has given this one up before it was in front.
        case left
        /// The document that was to replace this one does not come, and this one has not shown content yet.
        case stays
        /// The document that the first web view shows, or that the host has opened for it, is another
        /// server's or of no version: there is no page load, and no start goes on behind it (R3).
        /// - Parameter isDue: whether the user waits for its content, under a cover (R13).
        case elsewhere(isDue: Bool)
        /// Files of this load are being sent (true), or all responses are complete (false).
        case sending(Bool)
        case contentShown
        /// Index and all resources that it refers to have been answered.
        case loaded
        /// The user typed or followed a link after content was shown.
        case touched
        /// The page called `startupDidComplete`.
        case confirmed
        /// The page reported that its start failed.
        case failed(String)
        /// The page did not handle an error.
        case reportedError(String)
        case webProcessDied
        /// No further request of this load is possible.
        case closed
    }

    /// Names of the updater's timers. Setting a timer again replaces it, because timers are identified by
    /// name.
    public enum TimerName: Hashable, Comparable, Sendable {
        case startup
        case sendingAllowance
        case aliveAfterLoad(PageLoadToken)
        case idle(TransferID)
        case retry
        case recheck
        case collectGarbage
        /// A launch waits for a forced version (U6) or for a fix (R13).
        case forced
        /// The page has not shown content for the startup timeout (R13).
        case cover
        /// The disk is tried again.
        case disk
    }
}
