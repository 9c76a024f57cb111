import Core

/// An `expect` step: what, and for how long to look.
package struct ExpectStep: Hashable, Sendable {
    package var expectation: Expectation
    /// nil `within` and `throughout`: now.
    package var within: Spanned<TimeSpan>?
    package var throughout: Spanned<TimeSpan>?
    /// Limits `throughout` to the time in which it is true.
    package var during: Spanned<DuringCondition>?
    /// From where counters count; nil: the last action.
    package var since: Spanned<Since>?
}

package enum DuringCondition: String, CaseIterable, Hashable, Sendable {
    case pageInUse = "the page is in use"
    case appInFront = "the app is in front"
    case offline = "the device is offline"
}

package enum Since: Hashable, Sendable {
    case start
    /// The last step with this verb; counts what was *sent* from it on.
    case verb(Verb)
    case mark(String)
    /// A step named with `as`.
    case step(String)
}

/// What stands from its step to the end of the story, and in the rounds of use after it: what must hold at
/// every moment (`always`), or never all at once (`never`). Counters count from the step.
package struct InvariantStep: Hashable, Sendable {
    package var expectation: Expectation
    /// Looks only while this is true.
    package var during: Spanned<DuringCondition>?
}

/// What must hold. nil: nothing is said about it.
package struct Expectation: Hashable, Sendable {
    /// The version in front; `.value` nil: none.
    package var running: Spanned<String?>?
    package var pending: Spanned<String?>?
    package var lastKnownGood: Spanned<String?>?
    package var page: Spanned<PageState>?
    /// Of named pages in any web view.
    package var pages: [PageExpectation] = []
    package var process: Spanned<ProcessState>?
    /// Whether the running version has confirmed.
    package var confirmed: Spanned<Bool>?
    package var blacklist: ListExpectation?
    package var blame: [BlameExpectation] = []
    package var parked: ListExpectation?
    package var starts: [StartsExpectation] = []
    /// Versions whose start began.
    package var started: ListExpectation?
    /// Downloaded versions that are on the device, complete.
    package var stored: ListExpectation?
    /// As "v2:/app.js".
    package var storedFiles: ListExpectation?
    package var fetched: FetchedExpectation?
    package var requests: RequestsExpectation?
    package var answers: [AnswersExpectation] = []
    /// Body bytes received from the origin.
    package var bytes: Bounds?
    package var reloads: Bounds?
    package var switches: Bounds?
    /// In microseconds.
    package var whiteTime: Bounds?
    /// In microseconds.
    package var time: Bounds?
    package var times: TimesExpectation?
    package var progress: ProgressExpectation?
    package var screen: Spanned<ScreenState>?
    /// Causes in the log (rule T1).
    package var log: ListExpectation?
    package var logOf: [LogExpectation] = []
    /// Names.
    package var cookies: ListExpectation?
    /// Keys under the origin that the pages are served from.
    package var storage: ListExpectation?
    package var port: Spanned<Int?>?
    /// Outcomes that the origin was told (rule T3), as "taken v2".
    package var outcomes: ListExpectation?
    package var messages: MessagesExpectation?
    /// Answers to messages of pages (rule N5): "checkForUpdates true".
    package var replies: ListExpectation?
    package var span: SourceSpan

    package init(span: SourceSpan) { self.span = span }
}

/// The version that a named page came from; nil: that page is not shown.
package struct PageExpectation: Hashable, Sendable {
    package var page: Spanned<String>
    package var version: Spanned<String?>
}

package enum PageState: String, CaseIterable, Hashable, Sendable {
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

package enum ProcessState: String, CaseIterable, Hashable, Sendable {
    case alive, gone
}

/// The native surface that covers the page.
package enum ScreenState: String, CaseIterable, Hashable, Sendable {
    case none, cover, loading, offline
    case recovery = "recovery screen"
    case portTaken = "port taken"
}

/// Ends of a version's starts on this device (rule R3).
package struct StartsExpectation: Hashable, Sendable {
    package var version: Spanned<String>
    package var confirmed: Bounds?
    package var failed: Bounds?
    package var unclear: Bounds?
    package var uncounted: Bounds?
}

/// An entry of the blacklist, an ended one too.
package struct BlameExpectation: Hashable, Sendable {
    package var version: Spanned<String>
    package var cause: Spanned<String>?
    package var count: Bounds?
    package var ended: Spanned<Bool>?
    package var span: SourceSpan
}

/// The longest wait for content after each of these, in microseconds.
package struct TimesExpectation: Hashable, Sendable {
    package var launch: Bounds?
    package var switching: Bounds?
    package var rescue: Bounds?
    package var span: SourceSpan
}

/// Causes that the log tells of one version.
package struct LogExpectation: Hashable, Sendable {
    package var version: Spanned<String>
    package var causes: ListExpectation
}

/// Routes whose files were asked for and arrived.
package struct FetchedExpectation: Hashable, Sendable {
    package var files: Bounds?
    package var routes: ListExpectation?
    package var span: SourceSpan
}

package struct RequestsExpectation: Hashable, Sendable {
    package var manifest: Bounds?
    /// Requests for files of versions.
    package var files: Bounds?
    package var outcomes: Bounds?
    package var all: Bounds?
    /// For a part of a file.
    package var resumed: Bounds?
    /// Only if it has changed.
    package var conditional: Bounds?
    package var routes: [RouteRequests]
    package var span: SourceSpan
}

package struct RouteRequests: Hashable, Sendable {
    package var route: Spanned<String>
    package var count: Bounds
}

/// Answers of the local server to the page: how many there were of this make.
package struct AnswersExpectation: Hashable, Sendable {
    package var asked: Spanned<RequestedResource>?
    package var type: Spanned<String>?
    package var status: Spanned<Int>?
    package var count: Bounds
    package var span: SourceSpan
}

package enum RequestedResource: Hashable, Sendable {
    case route(String)
    /// By what the page wanted it for.
    case kind(ResourceKind)
}

package enum ResourceKind: String, CaseIterable, Hashable, Sendable {
    case document, script, style, image, font, other
}

/// What pages were told without having asked (rule T2): a kind and the version or the cause that it is about.
package struct MessagesExpectation: Hashable, Sendable {
    package var texts: ListExpectation?
    /// All but those of progress.
    package var count: Bounds?
    package var progress: Bounds?
    package var span: SourceSpan
}

package struct ProgressExpectation: Hashable, Sendable {
    /// Never went back.
    package var onlyGrows: Spanned<Bool>?
    /// The percentage shown last.
    package var percent: Bounds?
    package var span: SourceSpan
}
