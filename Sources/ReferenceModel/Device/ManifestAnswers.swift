import Backend
import Core

/// When the origin answered with a manifest.
struct ManifestAnswers: Hashable, Sendable {
    private struct Open: Hashable, Sendable {
        var transfer: UInt32
        var process: Int
        /// Id of the version that its answer offers.
        var offered: String?
        /// Whether its answer is a manifest: it may state an order without a version, or offer one to other
        /// devices.
        var isManifest = false
        var isMisdated = false
    }

    private struct Wait: Hashable, Sendable {
        var until: Instant
        var boot: Int
    }

    private var open: [Open] = []
    /// The last answer that is a manifest, of any process.
    private(set) var lastGood: Instant?
    /// Process that got it.
    private(set) var lastGoodProcess = 0
    /// Until when an answer has asked to wait, and in which boot.
    private var wait: Wait?
    /// The last answer that may count as a good one.
    private(set) var lastPossible: Instant?

    mutating func sent(_ transfer: UInt32, process: Int) {
        open.removeAll { $0.process != process || $0.transfer == transfer }
        open.append(Open(transfer: transfer, process: process))
    }

    mutating func head(_ transfer: UInt32, offered: String?, hasSerial: Bool, isMisdated: Bool) {
        guard let index = open.firstIndex(where: { $0.transfer == transfer }) else { return }
        open[index].offered = offered
        open[index].isManifest = offered != nil || hasSerial
        open[index].isMisdated = isMisdated
    }

    /// An answer asks to wait: a day at most (U5).
    mutating func asksToWait(for span: TimeSpan, at now: Instant, boot: Int) {
        let until = now + min(span, .hours(24))
        wait = Wait(until: max(until, wait?.until ?? until), boot: boot)
    }

    /// Whether the app may have to wait. What is left of the time goes on without it where the device says
    /// that it has not booted since; else it may count only while a process runs (N3).
    func mayHaveToWait(at now: Instant, boot: Int?) -> Bool {
        guard let wait else { return false }
        return boot != wait.boot || now < wait.until + ManifestAnswers.slack
    }

    private static let slack = TimeSpan.minutes(2)

    /// Instants count in whole seconds.
    func hash(wait hasher: inout Hasher) {
        hasher.combine(wait.map { $0.until.microseconds / 1_000_000 })
        hasher.combine(wait?.boot)
    }

    func isOpen(_ transfer: UInt32) -> Bool { open.contains { $0.transfer == transfer } }

    /// - Returns: whether the answer is a manifest and states a wrong time, and the id of the version that it
    ///   offers, if it offers one.
    mutating func ended(_ transfer: UInt32, in process: Int, at now: Instant) -> (
        isManifest: Bool, isMisdated: Bool, offered: String?
    ) {
        guard let index = open.firstIndex(where: { $0.transfer == transfer }) else {
            return (false, false, nil)
        }
        let request = open.remove(at: index)
        if request.isManifest {
            lastGood = now
            lastGoodProcess = process
        }
        lastPossible = now
        return (request.isManifest, request.isMisdated, request.offered)
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
            if let delay = summary.retryAfter {
                answers.asksToWait(for: delay, at: event.at, boot: life.boot)
                checks.excuse()
            }
            // What it leads to is asked for at once, in the same check.
            if [301, 302, 303, 307, 308].contains(status), answers.isOpen(id.rawValue) {
                checks.redirect(at: event.at)
            }
            let isAuthentic = signing.isAuthentic(summary.signature)
            let offered = isAuthentic ? offered : nil
            let hasSerial = isAuthentic && (summary.serial ?? summary.withheldSerial) != nil
            if status == 200, answers.isOpen(id.rawValue) {
                offers.answered(offering: offered, isManifest: hasSerial)
            }
            answers.head(
                id.rawValue, offered: status == 200 ? offered : nil, hasSerial: status == 200 && hasSerial,
                isMisdated: summary.isMisdated)
        case .transferEnded(let id, _, _):
            guard answers.isOpen(id.rawValue) else { return }
            moments.answers += 1
            let answer = answers.ended(id.rawValue, in: event.process, at: event.at)
            broken.mayEnd()
            if let offered = answer.offered {
                checks.answered()
                terms.answered(
                    offering: offered, isMisdated: answer.isMisdated, isRecalled: recalled.contains(offered),
                    hasOrder: app.dialect != .meteor, at: event.at)
            }
            guard answer.isManifest else { return }
            for index in starts.indices where starts[index].process == life.process {
                starts[index].isReachable = true
            }
        default: break
        }
    }

    /// A check has been sent.
    private mutating func compareCheck() {
        if let clause = checks.due { decide(clause) }
        let isAllowed = checks.sent(at: life.now)
        // The app's settings reach the updater in order with its other calls, which may be older.
        // A request that was decided on right before a change is on its way.
        let isBefore = settingsChangedAt.map { life.now - $0 <= CheckReasons.delivery } ?? false
        if app.settings.updates == .never, !isBefore {
            decide(.neverChecks)
            return disagree(
                .neverChecks, nil, allowed: "no request to the origin", actual: "a manifest is requested")
        }
        // A download ends with a request that confirms the manifest; dialects without an order check twice.
        guard app.dialect == .own, !moments.hasDownloaded else { return }
        decide(.checkInFront)
        if isAllowed { return }
        disagree(
            .checkInFront, nil,
            allowed: "a check for a reason (a launch, the front after 15 min, a push, the page, the user)",
            actual: "a check without one")
    }
}
