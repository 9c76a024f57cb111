import AppHost
import Backend

/// The versions that documents of a web view turned out to be, found by the bytes that they received: what is
/// known of an app whose inside is not.
///
/// Silent about: a document that left before its files told one version from the others.
package enum ShownVersions {
    /// Indices of versions, each once, in the order in which documents were known to be of them.
    package static func indices(in events: some Sequence<TraceEvent>) -> [Int] {
        var documents: [(view: WebViewID, versions: VersionMask)] = []
        var shown: [Int] = []
        func note(_ mask: VersionMask) {
            guard let index = mask.onlyIndex, !shown.contains(index) else { return }
            shown.append(index)
        }
        for event in events {
            switch event.kind {
            case .launched: documents = []
            case .committed(let view, _, let mask):
                documents.removeAll { $0.view == view }
                // Whose index is not known yet, as of one that has not changed (304).
                documents.append((view, mask.isEmpty ? VersionMask(bits: .max) : mask))
                note(mask)
            case .pageReceived(let request, let answer):
                guard answer.isFile(ofVersionBehind: request),
                    let index = documents.firstIndex(where: { $0.view == request.webView })
                else { continue }
                let common = documents[index].versions.intersection(answer.contentOf)
                if common.isEmpty { continue }
                documents[index].versions = common
                note(common)
            default: break
            }
        }
        return shown
    }
}

extension PageAnswer {
    /// Whether it is a whole file that only the document's version has: not the document itself, and nothing
    /// that a script requested.
    func isFile(ofVersionBehind request: PageRequest) -> Bool {
        isWhole && status == 200 && request.destination != .document && !request.destination.isOfScript
    }
}
