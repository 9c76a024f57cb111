import Core

extension Updater {
    /// Everything that the updater can request. The effects of one step are performed in order.
    package enum Effect: Hashable, Sendable {
        /// There is work left: ``Event/again(_:)`` should be sent with this lane, the background's when
        /// nothing else waits (S9). At most one of each lane is outstanding.
        case again(WorkLane)
        /// Makes a file or directory durable; answered by ``Event/synced(_:_:)``.
        case sync(SyncTicket, SyncTarget, WorkLane)
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        indirect case fetch(TransferID, OriginRequest)
        case cancelFetch(TransferID)
        /// Verifies the signatures of the manifest that this transfer brought (U16); answered by
        /// ``Event/signaturesVerified(_:_:)``.
        indirect case verifySignatures(TransferID, SignatureRequest)
        /// The answer to ``Event/pageLoadRequested(_:_:)``; nil if no version can be shown now.
        case answerPageLoad(PageLoadToken, ServedVersion?)
        /// The store is open and the version chosen: the first web view may load the start URL.
        case ready
        /// The page in the first web view is to be loaded anew: recovery (R3), a push in background, a return
        /// after long absence.
        case reload(ReloadReason)
        /// The page of a web view other than the first is to be loaded again, because its web process died
        /// (R11).
        case reloadOtherWebView(PageLoadToken)
        case screen(Screen)
        /// A notice for the page, kept until one listens (T2).
        case notice(Notice)
        /// The answer to ``Event/switchRequested(_:)``.
        case switchAnswered(PageLoadToken, SwitchAnswer)
        indirect case status(UpdaterStatus)
        case log(LogEntry)
        /// What requests that belong to no page load are served from now on.
        case current(ServedVersion?)
        /// No page load needs this version any more: its files may be removed.
        case retired(VersionKey)
    }

    package enum ReloadReason: String, Hashable, Sendable, CaseIterable {
        case rescue
        case push
        case longAbsence
        /// An order of the origin (U6).
        case forced
        /// The web process died: the same version is loaded again (R11).
        case webProcessDied
    }

    /// What the native side shows over or instead of the page.
    package enum Screen: Hashable, Sendable {
        /// Nothing native: the page, or its cover until the page has content.
        case none
        case loading(DownloadProgress?)
        /// No content and no network, or the origin failed: offers retry and report.
        case offline
        /// No content, and no room for it on the device: offers retry and report.
        case noSpace
        /// R9: no version can be shown automatically; offers to try again, to report, and to look for an
        /// update.
        case recovery
        /// R13: R9's screen in place of the cover, because the page has shown nothing for the startup
        /// timeout. The page keeps loading, and its first content removes the screen.
        case recoveryUntilContent
    }

    package enum Notice: Hashable, Sendable {
        case newVersionReady(VersionKey)
        case progress(DownloadProgress)
        case error(LogCause, String)
        case recalled(VersionKey)
        case forced(VersionKey)
    }

    package enum SwitchAnswer: Hashable, Sendable {
        case switched(VersionKey)
        case nothingPending
        /// U5: three switches to the same version within 24 h.
        case tooOften
    }
}

/// A version with the path of every file, ready to be served. Copies share storage.
package struct ServedVersion: Hashable, Sendable {
    package var key: VersionKey
    /// Route in ``files`` that answers navigations.
    package var index: String
    /// The files, sorted by route.
    package var files: [ServedFile]

    package init(key: VersionKey, index: String, files: [ServedFile]) {
        self.key = key
        self.index = index
        self.files = files
    }
}
