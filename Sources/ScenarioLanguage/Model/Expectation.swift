import Core

/// An `expect` step: the expectation, and when it is checked.
package struct ExpectStep: Hashable, Sendable {
    package var expectation: Expectation
    /// Time limit; with neither `within` nor `throughout`, the expectation is checked now.
    package var within: Spanned<TimeSpan>?
    /// Time during which the expectation must hold.
    package var throughout: Spanned<TimeSpan>?
    /// Condition: `throughout` checks only while it is true.
    package var during: Spanned<DuringCondition>?
    /// From where counters count; nil for the last action.
    package var since: Spanned<Since>?
}

/// A condition during which an expectation is checked.
package enum DuringCondition: String, CaseIterable, Hashable, Sendable {
    case pageInUse = "the page is in use"
    case appInFront = "the app is in front"
    case offline = "the device is offline"
}

/// From where counters count.
package enum Since: Hashable, Sendable {
    case start
    /// From the last step with this verb; counts requests *sent* from then on.
    case verb(Verb)
    case mark(String)
    /// From a step named with `as`.
    case step(String)
}

/// An `always` or `never` step: checked from this step to the end of the scenario, and in the rounds of use
/// after it. The expectation must hold at every moment (`always`), or never completely (`never`). Counters
/// count from the step.
package struct InvariantStep: Hashable, Sendable {
    package var expectation: Expectation
    /// Condition: checked only while it is true.
    package var during: Spanned<DuringCondition>?
}

/// What must hold. A property that is nil is not checked.
package struct Expectation: Hashable, Sendable {
    /// Version of the page in front; `.value` is nil for none.
    package var running: Spanned<String?>?
    package var pending: Spanned<String?>?
    package var lastKnownGood: Spanned<String?>?
    package var page: Spanned<PageState>?
    /// Versions of named pages in any web view.
    package var pages: [PageExpectation] = []
    /// Path, query and fragment of the page in front; `.value` is nil for none.
    package var route: Spanned<String?>?
    package var process: Spanned<ProcessState>?
    /// Whether the running version has confirmed.
    package var confirmed: Spanned<Bool>?
    package var blacklist: ListExpectation?
    package var blame: [BlameExpectation] = []
    package var parked: ListExpectation?
    package var starts: [StartsExpectation] = []
    /// Versions that began a start.
    package var started: ListExpectation?
    /// Downloaded versions that are complete on the device.
    package var stored: ListExpectation?
    /// Downloaded files that are complete on the device, as "v2:/app.js".
    package var storedFiles: ListExpectation?
    package var fetched: FetchedExpectation?
    package var requests: RequestsExpectation?
    package var answers: [AnswersExpectation] = []
    /// Answers to clients that are no pages of the app.
    package var clientAnswers: [AnswersExpectation] = []
    package var forwarded: [ForwardedExpectation] = []
    /// Body bytes received from the origin.
    package var bytes: Bounds?
    package var reloads: Bounds?
    package var switches: Bounds?
    /// Time with neither cover nor content, in microseconds.
    package var whiteTime: Bounds?
    /// Virtual time that has passed, in microseconds.
    package var time: Bounds?
    package var times: TimesExpectation?
    package var progress: ProgressExpectation?
    package var screen: Spanned<ScreenState>?
    /// Causes in the log (rule T1).
    package var log: ListExpectation?
    /// Causes in the log for each version.
    package var logOf: [LogExpectation] = []
    /// Names of cookies.
    package var cookies: ListExpectation?
    /// Keys in the storage of the origin that the pages are served from.
    package var storage: ListExpectation?
    package var port: Spanned<Int?>?
    /// Outcomes that the origin accepted (rule T3), as "taken v2".
    package var outcomes: ListExpectation?
    package var messages: MessagesExpectation?
    /// Answers to messages of pages (rule N5): "checkForUpdates true".
    package var replies: ListExpectation?
    /// Links that native code took over (rule N5).
    package var links: ListExpectation?
    /// What native code got from pages (rule N5): "cart 7".
    package var nativeAnswers: ListExpectation?
    /// Texts in the newest error report (rule T1).
    package var report: ListExpectation?
    package var span: SourceSpan

    package init(span: SourceSpan) { self.span = span }
}

/// The version that a named page was loaded from; nil when the page is not shown.
package struct PageExpectation: Hashable, Sendable {
    package var page: Spanned<String>
    package var version: Spanned<String?>
}

/// State of the page in front.
package enum PageState: String, CaseIterable, Hashable, Sendable {
    /// Shows content.
    case ready
    /// Is loading; shows nothing yet.
    case loading
    /// There is no page.
    case gone
    /// Native screens instead of the page: the offline state (rule U7), the recovery screen (rule R9).
    case offline
    case recoveryScreen = "recovery screen"
}

/// Whether the app's process is alive.
package enum ProcessState: String, CaseIterable, Hashable, Sendable {
    case alive, gone
}

/// The native surface that covers the page.
package enum ScreenState: String, CaseIterable, Hashable, Sendable {
    case none, cover, loading, offline
    case noSpace = "no space"
    case recovery = "recovery screen"
    case portTaken = "port taken"
}

/// How many starts of a version on this device ended in each way (rule R3).
package struct StartsExpectation: Hashable, Sendable {
    package var version: Spanned<String>
    package var confirmed: Bounds?
    package var failed: Bounds?
    package var unclear: Bounds?
    package var uncounted: Bounds?
}

/// An entry of the blacklist; it may have ended.
package struct BlameExpectation: Hashable, Sendable {
    package var version: Spanned<String>
    package var cause: Spanned<String>?
    package var count: Bounds?
    package var ended: Spanned<Bool>?
    package var span: SourceSpan
}

/// Longest times that were waited, in microseconds.
package struct TimesExpectation: Hashable, Sendable {
    /// From each of these events to content.
    package var launch: Bounds?
    package var switching: Bounds?
    package var rescue: Bounds?
    /// From a page's request to the whole answer of the local server (rule S9).
    package var answerIdle: Bounds?
    package var answerDuringUpdate: Bounds?
    package var span: SourceSpan
}

/// Causes that the log has for one version.
package struct LogExpectation: Hashable, Sendable {
    package var version: Spanned<String>
    package var causes: ListExpectation
}

/// Files that were downloaded: their number and their routes.
package struct FetchedExpectation: Hashable, Sendable {
    package var files: Bounds?
    package var routes: ListExpectation?
    package var span: SourceSpan
}

/// Requests that the origin received.
package struct RequestsExpectation: Hashable, Sendable {
    package var manifest: Bounds?
    /// Number of requests for the file that answers navigations.
    package var index: Bounds?
    /// Number of requests for files of versions.
    package var files: Bounds?
    package var outcomes: Bounds?
    package var all: Bounds?
    /// Number of requests for a part of a file (`Range`).
    package var resumed: Bounds?
    /// Number of conditional requests (`If-None-Match`).
    package var conditional: Bounds?
    package var routes: [RouteRequests]
    package var span: SourceSpan
}

/// Number of requests for one route.
package struct RouteRequests: Hashable, Sendable {
    package var route: Spanned<String>
    package var count: Bounds
}

/// Number of answers of the local server with these properties.
package struct AnswersExpectation: Hashable, Sendable {
    package var asked: Spanned<RequestedResource>?
    package var type: Spanned<String>?
    package var status: Spanned<Int>?
    /// Header fields, as "location" or "location: /v1/x".
    package var headers: ListExpectation?
    /// Texts in the body.
    package var body: ListExpectation?
    package var count: Bounds
    package var span: SourceSpan
}

/// Number of requests with these properties that the remote root received.
package struct ForwardedExpectation: Hashable, Sendable {
    /// Path, and query if it is to be equal too.
    package var asked: Spanned<String>?
    package var method: Spanned<SentMethod>?
    /// Fields that it has: names, or names with values (`X-Cart: 7`).
    package var has: [Spanned<String>] = []
    /// Fields that it does not have.
    package var hasNot: [Spanned<String>] = []
    package var body: Spanned<String>?
    package var count: Bounds
    package var span: SourceSpan

    package init(count: Bounds, span: SourceSpan) {
        self.count = count
        self.span = span
    }
}

/// What an answer was requested for.
package enum RequestedResource: Hashable, Sendable {
    case route(String)
    /// By the kind of resource.
    case kind(ResourceKind)
}

package enum ResourceKind: String, CaseIterable, Hashable, Sendable {
    case document, script, style, image, font, other
}

/// Messages that pages got without a request (rule T2): a kind, and the version or the cause.
package struct MessagesExpectation: Hashable, Sendable {
    package var texts: ListExpectation?
    /// Number of messages except those about progress.
    package var count: Bounds?
    /// Number of messages about progress.
    package var progress: Bounds?
    package var span: SourceSpan
}

/// The progress shown.
package struct ProgressExpectation: Hashable, Sendable {
    /// Whether the progress never decreased.
    package var onlyGrows: Spanned<Bool>?
    /// Percentage shown last.
    package var percent: Bounds?
    package var span: SourceSpan
}
