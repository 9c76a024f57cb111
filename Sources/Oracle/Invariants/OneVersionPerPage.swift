import AppHost
import Backend
import Core
import Updater

/// S1: a page load is pinned to one version from its index to its last byte.
///
/// Seen from the page: every whole answer that a document's requests got must be among the bytes of the
/// version that the host said this load has; a request that names no load gets bytes of what was current
/// while it was open, or of whatever version its URL's hash fixes. A version's files stay there while a
/// load needs them. Files of `www` belong to no version. Not judged here: answers with an error that the
/// scenario's damage explains, and whether bytes are right at all (S2).
struct OneVersionPerPage: Checker {
    let rule = "S1"

    private struct OpenRequest: Hashable {
        var request: PageRequest
        var current: VersionKey?
    }

    private var pinned: [(token: PageLoadToken, key: VersionKey)] = []
    private var open: [OpenRequest] = []

    /// Nothing: page loads end with their process.
    func remember(in sum: inout Hasher) {}

    mutating func observe(_ fact: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch fact.kind {
        case .launched:
            pinned.removeAll()
            open.removeAll()
        case .pageLoad(_, let token, let key): return pin(token, to: key, observed)
        case .pageRequested(let request):
            open.append(OpenRequest(request: request, current: observed.status?.current))
        case .pageReceived(let request, let answer): return judge(request, answer, observed)
        case .committed(_, let load?, let mask): return judge(load, mask, observed)
        default: break
        }
        return nil
    }

    private mutating func pin(_ token: PageLoadToken, to key: VersionKey, _ observed: ObservedState)
        -> Violation?
    {
        if let known = pinned.first(where: { $0.token == token }), known.key != key {
            return Violation(
                "Page load \(token.text) was given two versions",
                expected: "it stays with \(observed.name(known.key))", actual: "\(observed.name(key)) as well"
            )
        }
        pinned.append((token, key))
        return nil
    }

    private func version(of token: PageLoadToken) -> VersionKey? {
        pinned.last { $0.token == token }?.key
    }

    private func judge(_ load: PageLoadToken, _ mask: VersionMask, _ observed: ObservedState) -> Violation? {
        guard let key = version(of: load), let place = observed.place(of: key), !mask.isEmpty,
            !mask.contains(place)
        else { return nil }
        return Violation(
            "A document was shown that is not of the version of its page load",
            expected: "the index of \(observed.name(key))", actual: "the index of \(names(mask, observed))")
    }

    private mutating func judge(_ request: PageRequest, _ answer: PageAnswer, _ observed: ObservedState)
        -> Violation?
    {
        let place = open.firstIndex { $0.request == request }
        let asked = place.map { open.remove(at: $0) }
        guard !isOutside(request, observed) else { return nil }
        guard let load = request.load, let key = version(of: load) else {
            return judgeUnattributed(request, answer, asked?.current, observed)
        }
        guard let version = observed.place(of: key) else { return nil }
        if request.destination == .document { return nil }
        if answer.isWhole, answer.status == 200, !answer.contentOf.isEmpty {
            if answer.contentOf.contains(version) { return nil }
            return Violation(
                "A page of \(observed.name(key)) got \(request.target) of another version",
                expected: "\(request.target) of \(observed.name(key))",
                actual: "\(request.target) of \(names(answer.contentOf, observed))")
        }
        let isGone = answer.status == 404 || answer.status == 410 || answer.status >= 500
        if isGone, isReferredTo(request), !observed.isMediumDamaged, !isOptional(request, version, observed) {
            return Violation(
                "A file of \(observed.name(key)) was gone while its page needed it",
                expected: "\(request.target) with status 200", actual: "status \(answer.status)")
        }
        return nil
    }

    private func judgeUnattributed(
        _ request: PageRequest, _ answer: PageAnswer, _ current: VersionKey?, _ observed: ObservedState
    ) -> Violation? {
        guard request.destination != .document, answer.isWhole, answer.status == 200,
            !answer.contentOf.isEmpty, !isFixedByHash(request, observed)
        else { return nil }
        let allowed = [current, observed.status?.current, observed.formerStatus?.current]
            .compactMap { $0.flatMap { observed.place(of: $0) } }
        if allowed.isEmpty || allowed.contains(where: { answer.contentOf.contains($0) }) { return nil }
        return Violation(
            "A request that names no page load got a file of a version that is not current",
            expected: "\(request.target) of \(observed.name(observed.status?.current))",
            actual: "\(request.target) of \(names(answer.contentOf, observed))")
    }

    /// Asked for because the bytes of a document or a style sheet refer to it.
    private func isReferredTo(_ request: PageRequest) -> Bool {
        switch request.destination {
        case .script, .style, .image, .font: true
        case .document, .fetch, .other: false
        }
    }

    private func isOutside(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        if request.target.hasPrefix("/__") { return true }
        if observed.app.www.isEmpty { return false }
        let path = request.target.prefix { $0 != "?" }
        return observed.app.www.contains { path == "/" + $0.path }
    }

    private func isFixedByHash(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        observed.versions.contains { version in
            version.files.contains { $0.route.contains("{hash}") && fits(request.target, $0.route) }
        }
    }

    private func isOptional(_ request: PageRequest, _ place: Int, _ observed: ObservedState) -> Bool {
        observed.versions[place].files.contains { $0.isOptional && fits(request.target, $0.route) }
    }

    private func fits(_ target: String, _ template: String) -> Bool {
        let path = target.split(separator: "?")[0]
        let parts = template.components(around: "{hash}")
        guard let (before, after) = parts else { return path == template }
        return path.hasPrefix(before) && path.hasSuffix(after)
            && path.utf8.count > before.utf8.count + after.utf8.count
    }

    private func names(_ mask: VersionMask, _ observed: ObservedState) -> String {
        observed.names.names(of: mask).joined(separator: ", ")
    }
}

extension String {
    /// What stands before and behind the first place of a word; nil where it does not occur.
    package func components(around word: String) -> (String, String)? {
        let bytes = Array(utf8)
        let wanted = Array(word.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in 0...(bytes.count - wanted.count)
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            return (
                String(decoding: bytes[..<start], as: UTF8.self),
                String(decoding: bytes[(start + wanted.count)...], as: UTF8.self)
            )
        }
        return nil
    }
}
