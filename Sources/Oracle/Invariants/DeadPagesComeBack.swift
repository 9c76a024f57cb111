import AppHost
import Backend
import Core
import Updater

/// R11: when the web process of a page dies in front, its web view loads a page again, or R9's screen is
/// shown; when it dies in background, nothing is loaded until the app comes to the front.
///
/// Silent about: which version is loaded (the reference model's part); pages that have no page load; web
/// views whose document went before the app could react; everything after a start failed, or a push or an
/// order of the origin came, since these load a page in background too; a web view beside the first one after
/// the limit, which stays as it is; a device that can't listen; a death while the app stands still.
struct DeadPagesComeBack: Checker {
    let rule = "R11"
    private var decided = (inFront: 0, inBackground: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("R11.same-version", decided.inFront),
            DecisionCount("R11.background", decided.inBackground),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0) }

    /// A page that died in front and has not been loaded again.
    private struct Due: Hashable {
        var view: WebViewID
        var at: Instant
    }

    /// A page that died in background.
    private struct Dead: Hashable {
        var view: WebViewID
        var version: VersionKey
        /// Whether its view has requested the document again since: one may have been on its way before.
        var isRequested = false
    }

    /// The document that a web view has requested last.
    private struct Document: Hashable {
        var view: WebViewID
        var path: String
    }

    private var due: [Due] = []
    private var dead: [Dead] = []
    private var documents: [Document] = []

    /// Time that a reload may take. It may wait for the verification of a version, or for an end to be
    /// written.
    private static let timeToReload = TimeSpan.seconds(30)

    /// Adds nothing: pages end with their process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if let violation = overdue(observed) { return violation }
        switch event.kind {
        case .webProcessDied(let view): died(view, observed)
        case .pageLoad(let view, _, let key):
            due.removeAll { $0.view == view }
            return loaded(key, in: view, observed)
        case .navigation(let view, let kind, _):
            due.removeAll { $0.view == view }
            // A link, or a way back, opens another document, in background too.
            if kind == .link || kind == .history { dead.removeAll { $0.view == view } }
        case .pageRequested(let request) where request.destination == .document:
            requested(String(request.path), in: request.webView)
        case .pageClosed(let view, _):
            due.removeAll { $0.view == view }
            dead.removeAll { $0.view == view }
        case .launched, .processEnded, .powerCut: (due, dead, documents) = ([], [], [])
        case .foregrounded: (due, dead) = ([], [])
        case .screen(.page), .screen(.cover): break
        case .suspended, .backgrounded, .deactivated, .screen, .listening(false), .userDid: due = []
        case .pushed, .deployed, .deployedFor, .recalled: dead = []
        case .log(let entry):
            if entry.cause == .webProcessGaveUp { due = [] }
            if StartTrace.End(entry.cause) == .failed { (due, dead) = ([], []) }
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    /// Another document than the one that died is loaded because a link opened it, in background too.
    private mutating func requested(_ path: String, in view: WebViewID) {
        let isOther = documents.contains { $0.view == view && $0.path != path }
        if isOther { dead.removeAll { $0.view == view } }
        for index in dead.indices where dead[index].view == view { dead[index].isRequested = true }
        documents.removeAll { $0.view == view }
        documents.append(Document(view: view, path: path))
    }

    private mutating func died(_ view: WebViewID, _ observed: ObservedState) {
        guard let load = observed.loads.last(where: { $0.view == view && !$0.isClosed }), load.isCommitted
        else { return }
        if observed.isInForeground {
            decided.inFront += 1
            guard observed.screen == .page || observed.screen == .cover, observed.isActive,
                !observed.isSuspended
            else { return }
            due.append(Due(view: view, at: observed.now + DeadPagesComeBack.timeToReload))
        } else {
            decided.inBackground += 1
            dead.append(Dead(view: view, version: load.version))
        }
    }

    private mutating func loaded(_ key: VersionKey, in view: WebViewID, _ observed: ObservedState)
        -> Violation?
    {
        let isAnew = dead.contains { $0.view == view && $0.version == key && $0.isRequested }
        // A switch in background was to load another one, whose start could not be recorded.
        guard !observed.isInForeground, isAnew, !observed.hasLoggedInProcess(.startNotMarked) else {
            return nil
        }
        dead.removeAll { $0.view == view }
        return Violation(
            "A page whose web process died in background was loaded again there",
            expected: "it is loaded when the app comes to the front",
            actual: "\(version: observed.name(key)) was loaded in background", clause: "R11.background")
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard let first = due.first, observed.now > first.at + observed.diskDelay + observed.timerDelay else {
            return nil
        }
        due = []
        return Violation(
            "A page whose web process died in front was not loaded again",
            expected: "a page load, or a screen that offers one", actual: "neither",
            clause: "R11.same-version")
    }
}
