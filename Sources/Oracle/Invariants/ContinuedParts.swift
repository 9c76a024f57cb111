import Backend
import Core
import Updater

/// U3.no-mixture: a part of a file is continued as part of the answer that it came from.
///
/// A range request that depends on a tag (`If-Range`) names the tag of the answer that brought the part's
/// first bytes. Where that answer had none, it may name that of a later one that continued them, and nothing
/// else: what came before it is protected by the file's hash only.
///
/// Silent about: parts whose beginning this trace does not have, or that damage or a power cut may have
/// changed; answers that the app or the end of its process cut off, because what was stored of them is not
/// known; range requests without a tag, because the hash of the whole file protects them.
struct ContinuedParts: RuleChecker {
    let rule = "U3"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U3.no-mixture", decided)] }

    /// The last answer that brought the beginning of a file, with its tag or else that of the first answer
    /// with one that continued it.
    private struct Beginning: Hashable {
        var route: String
        var version: VersionKey
        var tag: String?
    }

    private var beginnings: [Beginning] = []
    /// Tags of answers whose bodies have not arrived.
    private var tags: [TransferID: String] = [:]

    func hashMemory(into hasher: inout Hasher) { hasher.combine(beginnings) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched: tags = [:]
        case .damaged, .powerCut: beginnings = []
        case .answerHead(let id, _, _, let note): tags[id] = note.tag
        case .transferEnded(let id, _, _), .transferFailed(let id, _, _): ended(id, event, observed)
        case .transferCancelled(let id, _):
            if let transfer = observed.transfer(id, ofProcess: event.process) { forget(transfer) }
        case .processEnded:
            for transfer in observed.transfersOfProcess({ $0.state == .open }) { forget(transfer) }
        case .requestSent(let request): return evaluate(request)
        default: break
        }
        return nil
    }

    private mutating func ended(_ id: TransferID, _ event: TraceEvent, _ observed: ObservedState) {
        guard let transfer = observed.transfer(id, ofProcess: event.process), transfer.bytes > 0,
            let route = transfer.route, let version = transfer.request.version
        else { return }
        if ContinuedParts.isBeginning(transfer) {
            forget(transfer)
            beginnings.append(Beginning(route: route, version: version, tag: tags[id]))
        } else if transfer.status == 206 {
            for index in beginnings.indices
            where beginnings[index].route == route && beginnings[index].version == version
                && beginnings[index].tag == nil
            {
                beginnings[index].tag = tags[id]
            }
        }
    }

    /// Whether the body may be stored as a part that begins anew.
    private static func isBeginning(_ transfer: TransferTrace) -> Bool {
        transfer.status == 200 || transfer.status == 206 && transfer.request.from ?? 0 == 0
    }

    private mutating func forget(_ transfer: TransferTrace) {
        guard ContinuedParts.isBeginning(transfer) else { return }
        beginnings.removeAll { $0.route == transfer.route && $0.version == transfer.request.version }
    }

    private mutating func evaluate(_ request: RequestEvent) -> Violation? {
        guard case .file(let route) = request.kind, let tag = request.ifRange,
            let begun = beginnings.first(where: { $0.route == route && $0.version == request.version })
        else { return nil }
        decided += 1
        // Versions that share content share its part.
        let isOfOther = beginnings.contains { $0.route == route && $0 != begun && $0.tag == tag }
        if tag == begun.tag || isOfOther { return nil }
        return Violation(
            "A part is continued as part of an answer that it did not come from",
            expected: begun.tag.map { "\(route) after \($0)" } ?? "\(route) without a tag",
            actual: "it depends on \(tag)", clause: "U3.no-mixture")
    }
}
