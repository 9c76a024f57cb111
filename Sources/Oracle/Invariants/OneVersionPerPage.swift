import AppHost
import Backend
import Core
import Updater

/// S1: a page load uses one version, from its index to its last byte.
///
/// Every complete response to a request of a document consists of bytes of the version that the host
/// announced for this page load. A request that names no page load, or one that was closed before the request
/// was sent, receives bytes of a version that was current while it was open, or of the version that the hash
/// in its URL determines. The files of a version are available as long as a page load needs them.
///
/// Silent about: files of `www`, which belong to no version; errors that damage since the launch explains
/// (what is gone before a process begins is found by it: R10); whether the bytes are correct at all (S2).
/// Without hashes in the manifest, a version's bytes are those that the origin sent for it.
struct OneVersionPerPage: Checker {
    let rule = "S1"
    private var decided = (pinned: 0, unattributed: 0)

    var decisions: [DecisionCount] {
        [
            DecisionCount("S1.pinned", decided.pinned),
            DecisionCount("S1.by-hash", decided.unattributed),
        ]
    }

    mutating func forgetDecisions() { decided = (0, 0) }

    private struct OpenRequest: Hashable {
        var request: PageRequest
        /// Current version when the request began.
        var current: VersionKey?
        /// Whether its page load was closed before: no document receives the answer any more.
        var isOfClosedLoad: Bool
    }

    /// Versions that the host announced for the page loads of this process.
    private var pinned: [PageLoadToken: VersionKey] = [:]
    private var open: ArraySlice<OpenRequest> = []

    /// Whether the scenario has damaged anything stored since this process began.
    private var isDamagedSinceLaunch = false

    /// Adds nothing: page loads end with their process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched:
            pinned.removeAll()
            open.removeAll()
            isDamagedSinceLaunch = false
        case .damaged: isDamagedSinceLaunch = true
        case .pageLoad(_, let token, let key): return pin(token, to: key, observed)
        case .pageRequested(let request):
            let isOfClosedLoad = request.load.flatMap { observed.load($0)?.isClosed } ?? false
            open.append(
                OpenRequest(
                    request: request, current: observed.status?.current, isOfClosedLoad: isOfClosedLoad))
        // A redirected request is sent again, and answered once.
        case .answered(let entry) where entry.status == 307:
            let path = entry.target.prefix { $0 != "?" }
            if let index = open.firstIndex(where: { $0.request.path == path }) {
                _ = open.removeOldest(at: index)
            }
        case .pageReceived(let request, let answer): return evaluate(request, answer, observed, store)
        case .committed(_, let load?, let mask): return evaluate(load, mask, observed)
        default: break
        }
        return nil
    }

    private mutating func pin(_ token: PageLoadToken, to key: VersionKey, _ observed: ObservedState)
        -> Violation?
    {
        guard let known = pinned.updateValue(key, forKey: token) else { return nil }
        decided.pinned += 1
        if known != key {
            return Violation(
                "Page load \(token.text) was given two versions",
                expected: "it stays with \(version: observed.name(known))",
                actual: "\(version: observed.name(key)) as well"
            )
        }
        return nil
    }

    private func version(of token: PageLoadToken) -> VersionKey? { pinned[token] }

    private mutating func evaluate(_ load: PageLoadToken, _ mask: VersionMask, _ observed: ObservedState)
        -> Violation?
    {
        guard let key = version(of: load), let index = observed.index(of: key), !mask.isEmpty else {
            return nil
        }
        decided.pinned += 1
        if mask.contains(index) { return nil }
        return Violation(
            "A document was shown that is not of the version of its page load",
            expected: "the index of \(version: observed.name(key))",
            actual: "the index of \(versions: names(mask, observed))")
    }

    private mutating func evaluate(
        _ request: PageRequest, _ answer: PageAnswer, _ observed: ObservedState, _ store: StoreView
    ) -> Violation? {
        // A document learns its load between its request and the answer.
        let index = open.firstIndex {
            $0.request.target == request.target && $0.request.destination == request.destination
                && $0.request.webView == request.webView
        }
        let answered = index.map { open.removeOldest(at: $0) }
        guard !isOutsideVersions(request, observed) else { return nil }
        guard let load = request.load, let key = version(of: load), answered?.isOfClosedLoad != true else {
            return evaluateUnattributed(request, answer, answered?.current, observed)
        }
        guard let version = observed.index(of: key) else { return nil }
        if request.destination == .document { return nil }
        if answer.isWhole, answer.status == 200, !answer.contentOf.isEmpty {
            decided.pinned += 1
            if answer.contentOf.contains(version) || wasAccepted(answer, request, for: key, observed) {
                return nil
            }
            // Its document was replaced after it had sent the request, and before the server read it.
            if observed.load(load)?.isClosed ?? false {
                return evaluateUnattributed(request, answer, answered?.current, observed)
            }
            return Violation(
                "A page of \(version: observed.name(key)) got \(request.target) of another version",
                expected: "\(request.target) of \(version: observed.name(key))",
                actual: "\(request.target) of \(versions: names(answer.contentOf, observed))")
        }
        // 503 says that there is no room for an answer now, and nothing of the file.
        let isGone =
            answer.status == 404 || answer.status == 410 || (answer.status >= 500 && answer.status != 503)
        let hasReadError = answer.status >= 500 && observed.hasLoggedInProcess(.diskFailed)
        if isGone, isReferredTo(request), isNeeded(request, key, observed, store), !hasReadError,
            !isDamagedSinceLaunch,
            !isOptional(request, version, observed)
        {
            decided.pinned += 1
            return Violation(
                "A file of \(version: observed.name(key)) was gone while its page needed it",
                expected: "\(request.target) with status 200", actual: "status \(answer.status)")
        }
        return nil
    }

    /// Whether these bytes are what the origin sent for the version, although they are another one's: a
    /// manifest without hashes can't tell. A file that has not changed by its entity tag is that of an
    /// earlier answer.
    private func wasAccepted(
        _ answer: PageAnswer, _ request: PageRequest, for key: VersionKey, _ observed: ObservedState
    ) -> Bool {
        if observed.app.hasHashes { return false }
        let path = request.path
        // A 304 has no body: it is complete with its head, however the transfer ends.
        let fetched = observed.transfers.filter {
            ($0.state == .ended || $0.status == 304) && $0.route.map { path == $0 } ?? false
        }
        let own = fetched.filter { $0.request.version == key }
        let isUnchanged = own.contains { $0.status == 304 }
        return (isUnchanged ? fetched : own).contains { !$0.contentOf.intersection(answer.contentOf).isEmpty }
    }

    private mutating func evaluateUnattributed(
        _ request: PageRequest, _ answer: PageAnswer, _ current: VersionKey?, _ observed: ObservedState
    ) -> Violation? {
        guard request.destination != .document, answer.isWhole, answer.status == 200,
            !answer.contentOf.isEmpty, !isFixedByHash(request, observed)
        else { return nil }
        let allowed = [current, observed.status?.current, observed.previousStatus?.current]
            .compactMap { $0.flatMap { observed.index(of: $0) } }
        if allowed.isEmpty { return nil }
        decided.unattributed += 1
        if allowed.contains(where: { answer.contentOf.contains($0) }) { return nil }
        return Violation(
            "A request that names no page load got a file of a version that is not current",
            expected: "\(request.target) of \(version: observed.name(observed.status?.current))",
            actual: "\(request.target) of \(versions: names(answer.contentOf, observed))")
    }

    /// Whether a document or a style sheet refers to the requested file.
    private func isReferredTo(_ request: PageRequest) -> Bool {
        switch request.destination {
        case .script, .style, .image, .font: true
        case .document, .frame, .fetch, .other: false
        }
    }

    private func isOutsideVersions(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        if request.target.hasPrefix("/__") { return true }
        if observed.app.www.isEmpty { return false }
        let path = request.path
        return observed.app.www.contains { path == "/" + $0.path }
    }

    private func isFixedByHash(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        observed.versions.contains { version in
            version.files.contains { $0.route.contains("{hash}") && matches(request.target, $0.route) }
        }
    }

    /// Whether the version lists the file. Without hashes in the manifest, its index may be another
    /// version's, which refers to files of that one.
    private func isNeeded(
        _ request: PageRequest, _ key: VersionKey, _ observed: ObservedState, _ store: StoreView
    ) -> Bool {
        if observed.app.hasHashes { return true }
        if let table = store.live.table(key) {
            return table.table.assets.contains { request.path == $0.route }
        }
        guard let version = observed.index(of: key) else { return false }
        return observed.versions[version].files.contains { matches(request.target, $0.route) }
    }

    private func isOptional(_ request: PageRequest, _ version: Int, _ observed: ObservedState) -> Bool {
        observed.versions[version].files.contains { $0.isOptional && matches(request.target, $0.route) }
    }

    private func matches(_ target: String, _ template: String) -> Bool {
        let path = target.split(separator: "?")[0]
        let parts = template.components(around: "{hash}")
        guard let (before, after) = parts else { return path == template }
        return path.hasPrefix(before) && path.hasSuffix(after)
            && path.utf8.count > before.utf8.count + after.utf8.count
    }

    private func names(_ mask: VersionMask, _ observed: ObservedState) -> [String] {
        observed.names.names(of: mask)
    }
}
