import Core

extension Updater {
    /// Everything the updater can be told. One event is one bounded step.
    public enum Event: Hashable, Sendable {
        /// The first event of a process, and only that.
        indirect case launched(Launch)
        /// Goes on with work that a former step left; answers ``Effect/again``.
        case again
        case timer(TimerName)
        case check(CheckReason)
        case transfer(TransferID, TransferEvent)
        case network(NetworkState)
        case foreground
        case background
        case suspended
        case resumed
        /// A web view asks for an index: which version answers? ``Effect/answerPageLoad(_:_:)`` follows,
        /// after the mark of the start is on disk where the start needs one (R2).
        case pageLoadAsked(PageLoadToken, Moment)
        case page(PageLoadToken, PageEvent)
        /// The bridge's switch call: what is pending becomes current, the page reloads itself then.
        case switchAsked(PageLoadToken)
        /// The server met a read error in a stored file of this version (R10).
        case readFailed(VersionKey, DiskPath)
        /// R9's screen: the user asked to start what stands behind it.
        case userTriesAgain
        indirect case settings(UpdaterSettings)
    }

    /// Why a check is wished for.
    public enum CheckReason: String, Hashable, Sendable, CaseIterable {
        case launch
        case foreground
        case push
        case page
        case user
        /// The native app's own code.
        case app
        /// The updater itself, by timer (U8's second check, retries).
        case own
    }

    /// What a page load is, as far as U6 cares.
    public enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The first page load of this process in its first web view.
        case processStart
        /// `location.reload()`.
        case reload
        /// After the bridge's switch call, or a load that the updater asked for.
        case commanded
        /// The page moved from `location.replace` or back, a link, a form, history: never switches.
        case navigation
        /// A web view beside the first.
        case otherWebView
        /// The host reloads after its web process died: never switches.
        case webProcessRestart
    }

    /// What becomes of a page load. Each names the load that it comes from (R6).
    public enum PageEvent: Hashable, Sendable {
        /// The head of the index has been handed to the connection.
        case indexServed
        /// The web view shows this document now; the one before it in the same view is gone.
        case committed
        /// Files of this load are being sent (true) or all answers are out (false).
        case sending(Bool)
        case contentShown
        /// Index and all it refers to are answered.
        case loaded
        /// Typed, or a link followed, after content was shown.
        case touched
        /// `startupDidComplete`.
        case confirmed
        /// The page says that its start failed.
        case failed(String)
        case webProcessDied
        /// No request of this load can come any more.
        case closed
    }

    /// Timers have names, so that setting one again replaces it.
    public enum TimerName: Hashable, Comparable, Sendable {
        case startup
        case sendingAllowance
        case aliveAfterLoad(PageLoadToken)
        case idle(TransferID)
        case retry
        case recheck
        case sweep
    }
}
