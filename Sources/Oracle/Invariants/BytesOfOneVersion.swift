import AppHost
import Backend
import Core

/// S1 and S2 of an app whose inside is not known: what a page received tells its version.
///
/// All files that a document received whole, with status 200, are those of one version of the setup (S1), and
/// each is some version's (S2). A document and its requests belong together by the web view and the moment:
/// those between one document's commit and the next.
///
/// Silent about: requests of scripts (`fetch`), which may be for anything; files of the app's own shell
/// (`www`); a document before its commit, and late answers to the one before.
package struct BytesOfOneVersion: Checker {
    package let rule = "S1"
    private var decided = (pages: 0, bytes: 0)

    package var decisions: [DecisionCount] {
        [
            DecisionCount("S1", decided.pages),
            DecisionCount("S2", decided.bytes),
        ]
    }

    package mutating func forgetDecisions() { decided = (0, 0) }

    /// A document in front, and the versions that have all its files so far.
    private struct Page {
        var view: WebViewID
        var versions: VersionMask
        var isReported = false
    }

    private var pages: [Page] = []

    package init() {}

    /// Adds nothing: pages end with their process.
    package func hashMemory(into hasher: inout Hasher) {}

    package mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView)
        -> Violation?
    {
        switch event.kind {
        case .launched: pages = []
        case .committed(let view, _, let mask):
            pages.removeAll { $0.view == view }
            // An index that several versions have, or none, as an error page: its files tell.
            pages.append(Page(view: view, versions: mask.isEmpty ? ComparedVersions.all(observed) : mask))
        case .pageReceived(let request, let answer): return evaluate(request, answer, observed)
        default: break
        }
        return nil
    }

    private mutating func evaluate(_ request: PageRequest, _ answer: PageAnswer, _ observed: ObservedState)
        -> Violation?
    {
        guard answer.isWhole, answer.status == 200, isOfVersion(request, observed) else { return nil }
        decided.bytes += 1
        if answer.contentOf.isEmpty {
            return Violation(
                "A page got bytes that no version has", expected: "\(request.path) of a version",
                actual: "\(answer.bytes) bytes of \(answer.type) that are no version's \(request.path)",
                clause: "S2")
        }
        guard request.destination != .document,
            let index = pages.firstIndex(where: { $0.view == request.webView })
        else {
            return nil
        }
        decided.pages += 1
        let common = pages[index].versions.intersection(answer.contentOf)
        guard common.isEmpty else {
            pages[index].versions = common
            return nil
        }
        if pages[index].isReported { return nil }
        pages[index].isReported = true
        let others = ComparedVersions.names(pages[index].versions, observed)
        return Violation(
            "A page got files of more than one version", expected: "\(request.path) of \(versions: others)",
            actual: "\(request.path) of \(versions: ComparedVersions.names(answer.contentOf, observed))")
    }

    private func isOfVersion(_ request: PageRequest, _ observed: ObservedState) -> Bool {
        switch request.destination {
        case .document, .script, .style, .image, .font, .frame: break
        case .fetch, .other: return false
        }
        return !observed.app.www.contains { request.path == "/" + $0.path }
    }
}

/// Versions of the setup as a mask.
private enum ComparedVersions {
    static func all(_ observed: ObservedState) -> VersionMask {
        var mask = VersionMask()
        for index in observed.versions.indices { mask.insert(index) }
        return mask
    }

    static func names(_ mask: VersionMask, _ observed: ObservedState) -> [String] {
        mask.indices.filter { observed.versions.indices.contains($0) }.map { observed.versions[$0].name }
    }
}
