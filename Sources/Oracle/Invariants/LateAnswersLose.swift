import Backend
import Core
import Updater

/// U9.late-answer: an answer to a check that asked for another user, cohort or channel than the app has by
/// now decides nothing.
///
/// The log says nothing of what it offers, and no download of it begins.
///
/// Silent about: changes, and the end of a stop, right before the answer, because the app may handle them
/// after it.
struct LateAnswersLose: RuleChecker {
    let rule = "U9"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U9.late-answer", decided)] }

    /// Who asks.
    private struct Asker: Equatable {
        var user: String?
        var cohort: String?
        var channel: String

        init(_ observed: ObservedState) {
            user = observed.settings.user
            cohort = observed.settings.cohort
            channel = observed.settings.channel
        }
    }

    private var asker: Asker?
    private var changedAt = Instant.zero
    private var resumedAt = Instant.zero
    /// When the last answer of this process arrived, if it came too late.
    private var lateAt: Instant?

    private static let margin = TimeSpan.milliseconds(50)
    /// From an answer to what the log says of it.
    private static let timeToDecide = TimeSpan.seconds(1)
    /// What an offer leads to.
    private static let decisionsOnOffers: [LogCause] = [
        .upToDate, .nothingOffered, .rolloutOutside, .alreadyPending, .alreadyDownloading, .olderThanAccepted,
        .contradictsAccepted, .numberCorrected, .dateAhead, .leftBefore, .blacklisted, .parkedOffer,
        .recalledOffer, .downloadStarted,
    ]

    /// Adds nothing: an answer counts only in the process that asked.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .launched: (asker, lateAt) = (Asker(observed), nil)
        case .settingsChanged:
            let before = asker
            asker = Asker(observed)
            if asker != before { changedAt = event.at }
        case .resumed: resumedAt = event.at
        case .transferEnded(let id, _, _):
            let ended = observed.transfer(id, ofProcess: event.process)
            if let ended, ended.isManifest { lateAt = isLate(ended, event.at) ? event.at : nil }
        case .transferCancelled(let id, _):
            let ended = observed.transfer(id, ofProcess: event.process)
            if let ended, ended.isManifest, ended.sentAt < changedAt { decided += 1 }
        case .log(let entry) where LateAnswersLose.decisionsOnOffers.contains(entry.cause):
            guard let late = lateAt, event.at - late <= LateAnswersLose.timeToDecide else { return nil }
            lateAt = nil
            return Violation(
                "An answer to a check for other settings was not ignored",
                expected: "the answer does not count, and another check follows",
                actual: "the log says \(entry.cause.rawValue)", clause: "U9.late-answer")
        default: break
        }
        return nil
    }

    private mutating func isLate(_ answer: TransferTrace, _ now: Instant) -> Bool {
        guard answer.isGoodManifestAnswer, answer.sentAt < changedAt else { return false }
        guard now - changedAt > LateAnswersLose.margin, now - resumedAt > LateAnswersLose.margin else {
            return false
        }
        decided += 1
        return true
    }
}
