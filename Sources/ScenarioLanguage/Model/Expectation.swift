import Core

/// An `expect` step: what, and for how long to look.
public struct ExpectStep: Hashable, Sendable {
    public var expectation: Expectation
    /// nil `within` and `throughout`: now.
    public var within: Spanned<TimeSpan>?
    public var throughout: Spanned<TimeSpan>?
    /// Limits `throughout` to the time in which it is true.
    public var during: Spanned<DuringCondition>?
    /// From where counters count; nil: the last action.
    public var since: Spanned<Since>?
}

public enum DuringCondition: String, CaseIterable, Hashable, Sendable {
    case pageInUse = "the page is in use"
    case appInFront = "the app is in front"
    case offline = "the device is offline"
}

public enum Since: Hashable, Sendable {
    case start
    /// The last step with this verb; counts what was *sent* from it on.
    case verb(Verb)
    case mark(String)
    /// A step named with `as`.
    case step(String)
}

/// What stands from its step to the end of the story, and in the rounds of use after it: what must hold at
/// every moment (`always`), or never all at once (`never`). Counters count from the step.
public struct StandingStep: Hashable, Sendable {
    public var expectation: Expectation
    /// Looks only while this is true.
    public var during: Spanned<DuringCondition>?
}

/// What must hold. nil: nothing is said about it.
public struct Expectation: Hashable, Sendable {
    /// The version in front; `.value` nil: none.
    public var running: Spanned<String?>?
    public var pending: Spanned<String?>?
    public var lastKnownGood: Spanned<String?>?
    public var page: Spanned<PageState>?
    /// Of named pages in any web view.
    public var pages: [PageExpectation] = []
    public var process: Spanned<ProcessState>?
    /// Whether the running version has confirmed.
    public var confirmed: Spanned<Bool>?
    public var blacklist: ListExpectation?
    public var blame: [BlameExpectation] = []
    public var parked: ListExpectation?
    public var starts: [StartsExpectation] = []
    /// Versions whose start began.
    public var started: ListExpectation?
    /// Downloaded versions that are on the device, complete.
    public var stored: ListExpectation?
    /// As "v2:/app.js".
    public var storedFiles: ListExpectation?
    public var fetched: FetchedExpectation?
    public var requests: RequestsExpectation?
    public var answers: [AnswersExpectation] = []
    /// Body bytes received from the origin.
    public var bytes: Bounds?
    public var reloads: Bounds?
    public var switches: Bounds?
    /// In microseconds.
    public var whiteTime: Bounds?
    /// In microseconds.
    public var time: Bounds?
    public var times: TimesExpectation?
    public var progress: ProgressExpectation?
    public var screen: Spanned<ScreenState>?
    /// Causes in the log (rule T1).
    public var log: ListExpectation?
    public var logOf: [LogExpectation] = []
    /// Names.
    public var cookies: ListExpectation?
    /// Keys under the origin that the pages are served from.
    public var storage: ListExpectation?
    public var port: Spanned<Int64?>?
    /// Outcomes that the origin was told (rule T3), as "taken v2".
    public var outcomes: ListExpectation?
    public var messages: MessagesExpectation?
    /// Answers to messages of pages (rule N5): "checkForUpdates true".
    public var replies: ListExpectation?
    public var span: SourceSpan

    public init(span: SourceSpan) { self.span = span }
}

/// The version that a named page came from; nil: that page is not shown.
public struct PageExpectation: Hashable, Sendable {
    public var page: Spanned<String>
    public var version: Spanned<String?>
}

public enum PageState: String, CaseIterable, Hashable, Sendable {
    /// Shows content.
    case ready
    /// Is being loaded, nothing shown yet.
    case loading
    /// None is there.
    case gone
    /// Native screens in its place: U7's offline state, R9's recovery screen.
    case offline
    case recoveryScreen = "recovery screen"
}

public enum ProcessState: String, CaseIterable, Hashable, Sendable {
    case alive, gone
}

/// The native surface that covers the page.
public enum ScreenState: String, CaseIterable, Hashable, Sendable {
    case none, cover, loading, offline
    case recovery = "recovery screen"
    case portTaken = "port taken"
}

/// Ends of a version's starts on this device (rule R3).
public struct StartsExpectation: Hashable, Sendable {
    public var version: Spanned<String>
    public var confirmed: Bounds?
    public var failed: Bounds?
    public var unclear: Bounds?
    public var uncounted: Bounds?
}

/// An entry of the blacklist, an ended one too.
public struct BlameExpectation: Hashable, Sendable {
    public var version: Spanned<String>
    public var cause: Spanned<String>?
    public var count: Bounds?
    public var ended: Spanned<Bool>?
    public var span: SourceSpan
}

/// The longest wait for content after each of these, in microseconds.
public struct TimesExpectation: Hashable, Sendable {
    public var launch: Bounds?
    public var switching: Bounds?
    public var rescue: Bounds?
    public var span: SourceSpan
}

/// Causes that the log tells of one version.
public struct LogExpectation: Hashable, Sendable {
    public var version: Spanned<String>
    public var causes: ListExpectation
}

/// Routes whose files were asked for and arrived.
public struct FetchedExpectation: Hashable, Sendable {
    public var files: Bounds?
    public var routes: ListExpectation?
    public var span: SourceSpan
}

public struct RequestsExpectation: Hashable, Sendable {
    public var manifest: Bounds?
    /// Requests for files of versions.
    public var files: Bounds?
    public var outcomes: Bounds?
    public var all: Bounds?
    /// For a part of a file.
    public var resumed: Bounds?
    /// Only if it has changed.
    public var conditional: Bounds?
    public var routes: [RouteRequests]
    public var span: SourceSpan
}

public struct RouteRequests: Hashable, Sendable {
    public var route: Spanned<String>
    public var count: Bounds
}

/// Answers of the local server to the page: how many there were of this make.
public struct AnswersExpectation: Hashable, Sendable {
    public var asked: Spanned<AskedThing>?
    public var type: Spanned<String>?
    public var status: Spanned<Int64>?
    public var count: Bounds
    public var span: SourceSpan
}

public enum AskedThing: Hashable, Sendable {
    case route(String)
    /// By what the page wanted it for.
    case kind(ResourceKind)
}

public enum ResourceKind: String, CaseIterable, Hashable, Sendable {
    case document, script, style, image, font, other
}

/// What pages were told without having asked (rule T2): a kind and the version or the cause that it is about.
public struct MessagesExpectation: Hashable, Sendable {
    public var texts: ListExpectation?
    /// All but those of progress.
    public var count: Bounds?
    public var progress: Bounds?
    public var span: SourceSpan
}

public struct ProgressExpectation: Hashable, Sendable {
    /// Never went back.
    public var onlyGrows: Spanned<Bool>?
    /// The percentage shown last.
    public var percent: Bounds?
    public var span: SourceSpan
}
