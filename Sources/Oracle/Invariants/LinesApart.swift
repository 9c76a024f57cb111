import Backend
import Core
import Updater

/// U9.new-line: a change of the channel or of the remote root begins a line of its own.
///
/// What is pending or being downloaded was offered in the line that the app is in, and a version counts as
/// left (U8) only in a line in which it ran, was pending or was fetched.
///
/// Silent about: five seconds after a launch, a resume or a change of the line, in which the app may not have
/// recorded the change; a process that can't write its record; the embedded version; everything after damage
/// of the store.
struct LinesApart: RuleChecker {
    let rule = "U9"
    var decided = 0
    var decisions: [DecisionCount] { [DecisionCount("U9.new-line", decided)] }

    /// What is known of a line. Versions are named by their ids.
    private struct Line: Hashable {
        var line: ObservedLine
        var offered: [String] = []
        /// Whether an answer may have offered anything, because a fault replaced or changed it.
        var mayOfferAny = false
        /// Versions that have run, were pending or were being downloaded.
        var held: [String] = []
    }

    /// A check, and the line in which it asked.
    private struct Check {
        var id: TransferID
        var line: ObservedLine
    }

    private var lines: [Line] = []
    /// Checks of this process.
    private var checks: [Check] = []
    /// The line that this process says it is in: settings that change reach it a little later.
    private var line: ObservedLine?
    private var changedAt = Instant.zero
    private var isDamaged = false
    /// Whether a change may have come in after the newest report.
    private var isUnevaluated = false

    private static let timeToDrop = TimeSpan.seconds(5)
    /// Causes after which reports and record can differ.
    private static let troubles: [LogCause] = [
        .recordNotWritten, .recordNewerFormat, .storeUnavailable, .storeInUse, .diskFailed,
    ]

    /// Leaves out checks, because they count only in the process that sent them.
    func hashMemory(into hasher: inout Hasher) {
        hasher.combine(lines)
        hasher.combine(isDamaged)
    }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        if isDamaged { return nil }
        switch event.kind {
        case .damaged: isDamaged = true
        case .launched:
            checks = []
            begin(observed)
        case .resumed: (changedAt, isUnevaluated) = (event.at, true)
        case .log(let entry) where entry.cause == .lineChanged: begin(observed)
        case .log(let entry) where entry.cause == .leftBefore:
            return entry.version.flatMap { evaluateLeft($0, observed) }
        case .requestSent(let request) where request.kind == .manifest:
            var line = ObservedLine(observed)
            line.channel = request.asker?.channel ?? line.channel
            checks.append(Check(id: request.transfer, line: line))
        case .transferEnded(let id, _, _): noteOffer(id, event, observed)
        case .status(let status): return evaluate(status, observed)
        default: break
        }
        return nil
    }

    private mutating func begin(_ observed: ObservedState) {
        line = ObservedLine(observed)
        changedAt = observed.now
        isUnevaluated = true
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        guard isUnevaluated, !isDamaged, observed.isAlive, !observed.isSuspended, isSettled(observed),
            let status = observed.status
        else { return nil }
        isUnevaluated = false
        return evaluate(status, observed)
    }

    private mutating func index(of line: ObservedLine) -> Int {
        if let index = lines.firstIndex(where: { $0.line == line }) { return index }
        lines.append(Line(line: line))
        return lines.count - 1
    }

    private mutating func noteOffer(_ id: TransferID, _ event: TraceEvent, _ observed: ObservedState) {
        guard let check = checks.firstIndex(where: { $0.id == id }),
            let transfer = observed.transfer(id, ofProcess: event.process)
        else { return }
        let line = checks.remove(at: check).line
        let index = index(of: line)
        guard let offered = observed.offeredID(transfer) else {
            if transfer.status == 200 { lines[index].mayOfferAny = true }
            return
        }
        if !lines[index].offered.contains(offered) { lines[index].offered.append(offered) }
    }

    private mutating func evaluate(_ status: UpdaterStatus, _ observed: ObservedState) -> Violation? {
        guard let line else { return nil }
        let index = index(of: line)
        for key in [status.current, status.pending, status.downloading].compactMap(\.self)
        where !lines[index].held.contains(key.id) { lines[index].held.append(key.id) }
        guard isSettled(observed) else { return nil }
        for (key, what) in [(status.pending, "is pending"), (status.downloading, "is being downloaded")] {
            guard let key, !observed.isEmbedded(key), key != status.embedded else { continue }
            let isOffered = lines[index].mayOfferAny || lines[index].offered.contains(key.id)
            if lines.count > 1 || !isOffered { decided += 1 }
            if isOffered { continue }
            return Violation(
                "\(version: observed.name(key)) \(what), and was never offered in the line that the app is in",
                expected: "what an answer for channel \(line.channel) offers", actual: "it \(what)",
                clause: "U9.new-line")
        }
        return nil
    }

    private mutating func evaluateLeft(_ id: String, _ observed: ObservedState) -> Violation? {
        guard let line, isSettled(observed), id != observed.status?.embedded?.id else { return nil }
        let index = index(of: line)
        let isHeld = lines[index].held.contains(id)
        if lines.count > 1 || !isHeld { decided += 1 }
        if isHeld { return nil }
        let name = observed.names.name(ofID: id)
        return Violation(
            "\(version: name) counts as left in a line in which the device never had it",
            expected: "one check is enough", actual: "it waits for a second check", clause: "U9.new-line")
    }

    /// Whether what the process reports is what it has recorded.
    private func isSettled(_ observed: ObservedState) -> Bool {
        observed.now - changedAt > LinesApart.timeToDrop + observed.diskDelay
            && ObservedLine(observed) == line
            && !LinesApart.troubles.contains { observed.hasLoggedInProcess($0) }
    }
}
