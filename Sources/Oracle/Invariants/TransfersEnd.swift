import Backend
import Core
import Updater

/// U5.idle, U5.slow-line: no transfer stays open that brings nothing, or next to nothing.
///
/// A transfer is open no longer than its bytes need at 1 KiB/s, the slowest rate that is no stall, and the
/// time that passes until a stall is noticed.
///
/// Silent about: time in which the process is stopped or the disk is slow or fails; bodies longer than the
/// file that was asked for, and manifests of more than 512 KiB, up to the time that these would need.
struct TransfersEnd: RuleChecker {
    let rule = "U5"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U5.idle", decided)] }

    private var open = OpenTimes<TransferID>()

    private static let slowestRate: Int64 = 1_024
    private static let manifestBytes: Int64 = 512 << 10
    /// Until a stall is noticed: a minute of too few bytes follows on half a minute without any.
    private static let timeToNotice = TimeSpan.minutes(3)

    /// Adds nothing: a transfer ends with its process.
    func hashMemory(into hasher: inout Hasher) {}

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if let violation = overdue(observed) { return violation }
        switch event.kind {
        case .requestSent(let request): open.begin(request.transfer, limit: limit(request, observed))
        case .transferEnded(let id, _, _), .transferFailed(let id, _, _), .transferCancelled(let id, _):
            if open.end(id) { decided += 1 }
        case .launched, .processEnded, .powerCut: open.endAll()
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        overdue(observed)
    }

    private func limit(_ request: RequestEvent, _ observed: ObservedState) -> TimeSpan {
        var bytes = TransfersEnd.manifestBytes
        if case .file(let route) = request.kind, let version = request.version.flatMap(observed.index(of:)),
            let file = observed.versions[version].files.first(where: { $0.route == route }),
            case .made(let key) = file.content
        {
            bytes = max(bytes, Int64(max(key.size, file.statedSize ?? 0)))
        }
        return observed.settings.idleTimeout + TransfersEnd.timeToNotice
            + .seconds(bytes / TransfersEnd.slowestRate)
    }

    private mutating func overdue(_ observed: ObservedState) -> Violation? {
        guard let late = open.overdue(observed) else { return nil }
        decided += 1
        let url = observed.transfer(late.id, ofProcess: observed.process)?.request.url ?? ""
        return Violation(
            "A transfer stays open that brings next to nothing: \(url)",
            expected: "an end after \(late.limit.microseconds / 1_000_000) s at the latest",
            actual: "still open",
            clause: "U5.idle")
    }
}
