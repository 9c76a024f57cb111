import AppHost
import Backend
import Core
import Oracle
import Updater

/// Measures from trace events how long pages of one device waited for answers of the local server (S9): from
/// a request to the end of its answer, of a navigation from its first request over the redirect to the end of
/// the document.
///
/// An answer is one *during an update* if a download was under way at some moment between request and answer:
/// from its beginning to its end, which is the version's becoming pending if all goes well. All other answers
/// are *idle*, those at a launch too.
///
/// Not counted:
/// - answers of the remote root, and 502 and 504, which the proxy gives in its place: they time the network;
/// - requests without a complete answer: the connection was lost, the web view's process or the app's process
///   ended or was suspended;
/// - requests of a page that was left before their answer, and navigations that a later one replaced:
///   nothing waits for them;
/// - answers from the web view's cache without a request.
package struct AnswerTimesReader {
    /// Times of the answers while no update was under way.
    package private(set) var idle: [TimeSpan] = []
    package private(set) var duringUpdate: [TimeSpan] = []

    private struct Waiting {
        let request: PageRequest
        let since: Instant
        var meetsUpdate: Bool

        var isNavigation: Bool { request.destination == .document }
    }

    private var waiting: ArraySlice<Waiting> = []
    private var isUpdating = false

    package init() {}

    /// Forgets the answers so far, but not the requests that wait.
    package mutating func reset() {
        idle = []
        duringUpdate = []
    }

    package mutating func observe(_ event: TraceEvent) {
        switch event.kind {
        case .log(let entry) where entry.cause == .downloadStarted: updates(true)
        case .status(let status): updates(status.downloading != nil)
        case .processEnded, .powerCut:
            waiting = []
            isUpdating = false
        case .suspended: waiting = []
        case .webProcessDied(let view): waiting.removeAll { $0.request.webView == view }
        case .navigation(let view, _, _):
            waiting.removeAll { $0.isNavigation && $0.request.webView == view }
        case .pageClosed(let view, let load):
            waiting.removeAll { !$0.isNavigation && $0.request.webView == view && $0.request.load == load }
        case .pageRequested(let request): sent(request, at: event.at)
        case .answered(let entry) where entry.isRemote:
            if let index = waiting.firstIndex(where: { $0.request.target == entry.target }) {
                _ = waiting.removeOldest(at: index)
            }
        case .pageReceived(let request, let answer): received(request, answer, at: event.at)
        default: break
        }
    }

    private mutating func updates(_ isUnderWay: Bool) {
        isUpdating = isUnderWay
        guard isUnderWay else { return }
        for index in waiting.indices { waiting[index].meetsUpdate = true }
    }

    private mutating func sent(_ request: PageRequest, at now: Instant) {
        // The second request of a navigation follows its redirect.
        if request.destination == .document,
            waiting.contains(where: { $0.isNavigation && $0.request.webView == request.webView })
        {
            return
        }
        waiting.append(Waiting(request: request, since: now, meetsUpdate: isUpdating))
    }

    private mutating func received(_ request: PageRequest, _ answer: PageAnswer, at now: Instant) {
        // A navigation is sent before its document has a page load.
        let found = waiting.firstIndex {
            $0.isNavigation
                ? request.destination == .document && $0.request.webView == request.webView
                : $0.request == request
        }
        guard let found else { return }
        let waited = waiting.removeOldest(at: found)
        let isOfProxy = answer.status == 502 || answer.status == 504
        guard answer.isWhole, answer.status != 0, !isOfProxy else { return }
        let span = now - waited.since
        if answer.isCached, span == .zero { return }
        if waited.meetsUpdate { duringUpdate.append(span) } else { idle.append(span) }
    }
}
