import Backend
import Core

/// When the origin answered with a manifest.
struct ManifestAnswers: Hashable, Sendable {
    private struct Open: Hashable, Sendable {
        var transfer: UInt32
        var process: Int
        /// Id of the version that its answer offers.
        var offered: String?
    }

    private var open: [Open] = []
    /// The last answer that names a version, of any process.
    private(set) var lastGood: Instant?
    /// Process that got it.
    private(set) var lastGoodProcess = 0
    /// Whether an answer has ever asked to wait.
    private(set) var mayHaveToWait = false
    /// The last answer that may count as a good one.
    private(set) var lastPossible: Instant?

    mutating func sent(_ transfer: UInt32, process: Int) {
        open.removeAll { $0.process != process || $0.transfer == transfer }
        open.append(Open(transfer: transfer, process: process))
    }

    mutating func head(_ transfer: UInt32, offered: String?) {
        if let index = open.firstIndex(where: { $0.transfer == transfer }) { open[index].offered = offered }
    }

    mutating func asksToWait() { mayHaveToWait = true }

    func isOpen(_ transfer: UInt32) -> Bool { open.contains { $0.transfer == transfer } }

    /// - Returns: id of the version that the answer offers; nil for another transfer, or for an answer that
    ///   offers none.
    mutating func ended(_ transfer: UInt32, in process: Int, at now: Instant) -> String? {
        guard let index = open.firstIndex(where: { $0.transfer == transfer }) else { return nil }
        let offered = open.remove(at: index).offered
        if offered != nil {
            lastGood = now
            lastGoodProcess = process
        }
        lastPossible = now
        return offered
    }
}

extension ReferenceModel {
    mutating func observeAnswer(_ event: TraceEvent) {
        switch event.kind {
        case .requestSent(let request):
            guard request.kind == .manifest else {
                moments.hasDownloaded = true
                return
            }
            answers.sent(request.transfer.rawValue, process: event.process)
            compareCheck()
        case .answerHead(let id, let status, let offered, let summary):
            if summary.retryAfter != nil {
                answers.asksToWait()
                checks.excuse()
            }
            answers.head(id.rawValue, offered: status == 200 ? offered : nil)
        case .transferEnded(let id, _, _):
            guard answers.isOpen(id.rawValue) else { return }
            moments.answers += 1
            let offered = answers.ended(id.rawValue, in: event.process, at: event.at)
            broken.checkEnded(isGood: offered != nil)
            guard let offered else { return }
            checks.answered()
            terms.answered(offering: offered, at: event.at)
            for index in starts.indices where starts[index].process == life.process {
                starts[index].isReachable = true
            }
        default: break
        }
    }

    /// A check has been sent.
    private mutating func compareCheck() {
        let isAllowed = checks.sent(at: life.now)
        if app.settings.updates == .never {
            return disagree(
                "U14.never", nil, allowed: "no request to the origin", actual: "a manifest is requested")
        }
        // A download ends with a request that confirms the manifest, and dialects without an order check twice.
        guard !isAllowed, app.dialect == .own, !moments.hasDownloaded else { return }
        disagree(
            "U5.check-in-front", nil,
            allowed: "a check for a reason (a launch, the front after 15 min, a push, the page, the user)",
            actual: "a check without one")
    }
}
