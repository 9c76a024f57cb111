import Backend
import Core
import Updater

/// U15: on a network that the settings don't allow, no file of a version is requested, and what is under way
/// is cancelled. Where they allow a metered network up to a size, no file is received over it that is larger.
///
/// Silent about: the manifest, which may always be requested; the sum of files where a size is allowed; what
/// is on its way when a transfer is cancelled; the first second after the network or the settings have
/// changed, or the process began or went on.
struct AllowedNetworks: Checker {
    let rule = "U15"
    private var decided = (network: 0, size: 0)

    var decisions: [DecisionCount] {
        [DecisionCount("U15.network", decided.network), DecisionCount("U15.size", decided.size)]
    }

    mutating func forgetDecisions() { decided = (0, 0) }

    private var isMetered = false
    /// When what the app may do changed last.
    private var changedAt = Instant.zero

    private static let timeToHandle = TimeSpan.seconds(1)
    /// Bytes that may be on their way when a transfer is cancelled.
    private static let mostOnTheWay = 128 * 1024

    func hashMemory(into hasher: inout Hasher) { hasher.combine(isMetered) }

    mutating func observe(_ event: TraceEvent, in observed: ObservedState, _ store: StoreView) -> Violation? {
        switch event.kind {
        case .networkChanged(let state):
            isMetered = state == .metered
            changedAt = event.at
        case .settingsChanged, .launched, .resumed: changedAt = event.at
        case .requestSent(let request):
            if case .file = request.kind { return evaluate(observed) }
        case .transferEnded(let id, _, _), .transferFailed(let id, _, _), .transferCancelled(let id, _):
            return observed.transfer(id, ofProcess: event.process).flatMap { evaluateSize(of: $0, observed) }
        default: break
        }
        return nil
    }

    mutating func timePassed(in observed: ObservedState, _ store: StoreView) -> Violation? {
        evaluate(observed)
    }

    private mutating func evaluate(_ observed: ObservedState) -> Violation? {
        guard isMetered, !observed.settings.usesMeteredNetwork, observed.isAlive, !observed.isSuspended,
            observed.now > changedAt + AllowedNetworks.timeToHandle + observed.diskDelay
        else { return nil }
        decided.network += 1
        guard let file = observed.openTransfers.first(where: { $0.route != nil }) else { return nil }
        return Violation(
            "A file is downloaded over a network that the app does not allow",
            expected: "downloads wait for another network",
            actual: "\(file.route ?? "") is being received", clause: "U15.network")
    }

    /// A file that was requested over a metered network, and received over it.
    private mutating func evaluateSize(of transfer: TransferTrace, _ observed: ObservedState) -> Violation? {
        guard isMetered, observed.settings.usesMeteredNetwork, let most = observed.settings.meteredBytes,
            let route = transfer.route, transfer.sentAt > changedAt
        else { return nil }
        decided.size += 1
        guard transfer.bytes > most + AllowedNetworks.mostOnTheWay else { return nil }
        return Violation(
            "More of a file was received over a metered network than the app allows",
            expected: "\(most) bytes at most", actual: "\(transfer.bytes) bytes of \(route)",
            clause: "U15.size")
    }
}
