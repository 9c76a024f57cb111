import Core

extension Updater {
    /// Everything the updater can ask for. Effects of one step are carried out in order.
    public enum Effect: Hashable, Sendable {
        /// There is work left: send ``Event/again`` soon.
        case again
        case setTimer(TimerName, after: TimeSpan)
        case cancelTimer(TimerName)
        indirect case fetch(TransferID, OriginRequest)
        case cancelFetch(TransferID)
        /// The answer to ``Event/pageLoadAsked(_:_:)``; nil where no version can be shown now.
        case answerPageLoad(PageLoadToken, ServedVersion?)
        /// The store is open and the choice made: the first web view may load the start URL.
        case ready
        /// The page in front is to be replaced by a fresh load: recovery (R3), a push in background,
        /// a return after long absence.
        case reload(ReloadReason)
        /// The page of a web view beside the first is to be loaded again: its web process died (R11).
        case reloadBeside(PageLoadToken)
        case screen(Screen)
        /// For the page: kept until one listens (T2).
        case notice(Notice)
        /// The answer to ``Event/switchAsked(_:)``.
        case switchAnswered(PageLoadToken, SwitchAnswer)
        indirect case status(Status)
        case log(LogEntry)
        /// What requests that belong to no page load get from now on.
        case current(ServedVersion?)
        /// No page load needs this version any more: its files may go.
        case retired(VersionKey)
    }

    public enum ReloadReason: String, Hashable, Sendable, CaseIterable {
        case rescue
        case push
        case longAbsence
        case recall
        /// The origin orders it (U6).
        case forced
        /// The web process died: the same version again (R11).
        case webProcessDied
        /// The first version arrived behind the loading screen (U7).
        case firstVersion
    }

    /// What the native side shows in front of or instead of the page.
    public enum Screen: Hashable, Sendable {
        /// Nothing native: the page, or its cover until first content.
        case none
        case loading(Progress?)
        /// No content and no network, or the origin failed: retry, report.
        case offline
        /// R9: nothing that can be shown by itself; try again, report, look for update.
        case recovery
    }

    public enum Notice: Hashable, Sendable {
        case newVersionReady(VersionKey)
        case progress(Progress)
        case error(LogCause, String)
        case recalled(VersionKey)
        case forced(VersionKey)
    }

    public enum SwitchAnswer: Hashable, Sendable {
        case switched(VersionKey)
        case nothingPending
        /// U5: three switches to the same version in 24 h.
        case tooOften
    }
}

/// A version with the place of every file, ready to be served. Shares its storage when copied.
public struct ServedVersion: Hashable, Sendable {
    public var key: VersionKey
    /// The route of ``files`` that answers navigations.
    public var index: String
    /// Sorted by route.
    public var files: [ServedFile]

    public init(key: VersionKey, index: String, files: [ServedFile]) {
        self.key = key
        self.index = index
        self.files = files
    }
}

public struct ServedFile: Hashable, Sendable {
    public var route: String
    public var path: DiskPath
    public var size: Int
    /// SHA-256 of the content where known, else the manifest's own hash in hex: the strong entity tag.
    public var tag: String
    public var type: String?
    public var isImmutable: Bool
    public var sourceMap: String?

    public init(
        route: String, path: DiskPath, size: Int, tag: String, type: String? = nil, isImmutable: Bool = false,
        sourceMap: String? = nil
    ) {
        self.route = route
        self.path = path
        self.size = size
        self.tag = tag
        self.type = type
        self.isImmutable = isImmutable
        self.sourceMap = sourceMap
    }
}
